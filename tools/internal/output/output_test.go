package output_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

func TestReadEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(file, []byte("0123456789"), 0o600))
	tests := []struct {
		name  string
		limit int64
		want  string
		from  int64
	}{
		{name: "a part", limit: 4, want: "6789", from: 6},
		{name: "all", limit: 10, want: "0123456789"},
		{name: "less than the limit", limit: 11, want: "0123456789"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			end, from, err := output.ReadEnd(file, tt.limit)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(end))
			require.Equal(t, tt.from, from)
		})
	}
}

func TestReadEndFollowsNoLink(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	secret, link := filepath.Join(dir, "secret"), filepath.Join(dir, "log")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(secret, link))
	end, _, err := output.ReadEnd(link, 10)
	require.Error(t, err)
	require.Empty(t, end)
	_, _, err = output.ReadEnd(filepath.Join(dir, "missing"), 10)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{name: "plain", text: "all good", want: "all good"},
		{name: "space at the ends", text: " \tx\r\n", want: "x"},
		{name: "control characters", text: "a\x1b[1mb\nc\u2028d\u2029e", want: "a [1mb c d e"},
		{name: "invalid UTF-8", text: "a\xff\xfeb", want: "a\uFFFDb"},
		{name: "nothing", text: "\n\x00", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, output.Line(tt.text))
		})
	}
}
