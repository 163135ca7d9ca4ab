package background_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestNewFile(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	path, err := background.Of(s).NewFile("../Shell")
	require.NoError(t, err)
	require.Equal(t, dir, filepath.Dir(path))
	require.Regexp(t, `^shell-[a-z2-7]+\.log$`, filepath.Base(path))
	gone(t, path)
	require.NoError(t, s.Close(t.Context()))
	_, err = background.Of(s).NewFile("shell")
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

func TestOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	long := strings.Repeat("0123456789\n", background.MaxOutput/10)
	tests := []struct {
		name string
		work background.Work
		want string
		fail string
	}{
		{name: "none"},
		{name: "its own", work: background.Work{Output: func() string { return "a\xffb" }, OutputFile: "/nowhere"}, want: "a\uFFFDb"},
		{name: "a panic", work: background.Work{Output: func() string { panic("at the disco") }}, fail: "at the disco"},
		{name: "a file", work: background.Work{OutputFile: file("short", "one\ntwo\n")}, want: "one\ntwo\n"},
		{name: "whole lines at the end of a long file", work: background.Work{OutputFile: file("long", long)}, want: strings.Repeat("0123456789\n", background.MaxOutput/11)},
		{name: "whole characters of a long line", work: background.Work{OutputFile: file("line", strings.Repeat("äß", background.MaxOutput)+"!")}, want: strings.Repeat("äß", background.MaxOutput/4)[2:] + "!"},
		{name: "no such file", work: background.Work{OutputFile: filepath.Join(dir, "none")}, fail: "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			j := start(t, s, tt.work)
			got, err := background.Of(s).Output(j.ID())
			if tt.fail != "" {
				require.ErrorContains(t, err, tt.fail)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, len(got), background.MaxOutput)
		})
	}
}
