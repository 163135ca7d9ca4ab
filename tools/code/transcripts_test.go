package code_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestTranscripts replays conversations with a server that finds nothing. Each text for the
// model is compared byte by byte; PEGBOARD_UPDATE=1 writes the texts anew.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	o := code.Options{Servers: []code.Server{{Name: "fake", Command: []string{program, fakeArgument, "null"}, Languages: map[string]string{".x": "x"}}}}
	replayer := tooltest.Replayer{Tools: append(files.Tools(), code.LSP(o))}
	paths, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		transcript, err := tooltest.ParseTranscript(string(text))
		require.NoError(t, err)
		got, err := replayer.Replay(t.Context(), transcript)
		require.NoError(t, err)
		if os.Getenv("PEGBOARD_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o600))
			continue
		}
		require.Equal(t, string(text), got.String())
	}
}
