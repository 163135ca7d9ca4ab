package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestAddChange(t *testing.T) {
	t.Parallel()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	require.NoError(t, tooltest.Check(addChange(), `{"file":"unused.md","line":"A change"}`))

	for _, line := range []string{"one", "two"} {
		out := tooltest.Run(t.Context(), addChange(), s, `{"file":"CHANGES.md","line":"`+line+`"}`)
		require.NoError(t, out.Err)
		require.Equal(t, changeAdded{File: "CHANGES.md", Line: line}, out.Result.Data)
	}
	text, err := os.ReadFile(filepath.Join(s.Dir(), "CHANGES.md"))
	require.NoError(t, err)
	require.Equal(t, "- two\n- one\n", string(text))

	out := tooltest.Run(t.Context(), addChange(), s, `{"file":"CHANGES.md","line":"two"}`)
	require.ErrorContains(t, out.Err, "nothing was written")
	out = tooltest.Run(t.Context(), addChange(), s, `{"file":"CHANGES.md","line":"a\nb"}`)
	require.ErrorContains(t, out.Err, "one line of text")
}
