package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func TestLinesThatCountAsARead(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	for _, tt := range []struct {
		name     string
		line     string
		standing reads.Knowledge
		whole    bool
	}{
		{name: "cat", line: "cat f", standing: reads.Current, whole: true},
		{name: "cat by its path", line: "/bin/cat f"},
		{name: "cat with numbers", line: "cat -n f", standing: reads.Current},
		{name: "nl", line: "nl f", standing: reads.Current},
		{name: "head", line: "head -n 2 f", standing: reads.Current},
		{name: "head of all", line: "head f", standing: reads.Current, whole: true},
		{name: "tail", line: "tail -n 1 f", standing: reads.Current},
		{name: "sed", line: "sed -n '2,3p' f", standing: reads.Current},
		{name: "sed to the end", line: `sed -n "2,\$p" f`, standing: reads.Unread},
		{name: "sed that does more", line: "sed -n '2,3p;4q' f"},
		{name: "sed that replaces", line: "sed 's/one/1/' f"},
		{name: "grep", line: "grep -n two f", standing: reads.Current},
		{name: "grep without a match", line: "grep four f || true"},
		{name: "a pipe", line: "cat f | head -n 1"},
		{name: "a redirection", line: "cat f > g"},
		{name: "errors redirected", line: "cat f 2> g"},
		{name: "two files", line: "cat f f2"},
		{name: "two commands", line: "cat f; true"},
		{name: "another program", line: "wc -l f"},
		{name: "a tree", line: "grep -r two ."},
		{name: "a pattern", line: "cat ?"},
		{name: "not there", line: "cat nothing"},
		{name: "nothing printed", line: "head -n 0 f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			needBash(t)
			s := session(t, tempDir(t), "Bash")
			path := filepath.Join(s.Dir(), "f")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			require.NoError(t, os.WriteFile(path+"2", []byte("x"), 0o600))
			bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, tt.line))
			require.Equal(t, tt.standing, reads.Of(s).Knowledge(path, []byte(text)))
			require.Equal(t, tt.whole, reads.Of(s).SeenWhole(path, []byte(text)))
		})
	}
}

// TestOutputThatWasCutIsNoRead: the model has not seen the middle.
func TestOutputThatWasCutIsNoRead(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t), "Bash")
	text := strings.Repeat("a line of some length\n", 10_000)
	path := filepath.Join(s.Dir(), "f")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	bash(t, s, shell.Options{}, `{"command":"cat f"}`)
	require.Equal(t, reads.Unread, reads.Of(s).Knowledge(path, []byte(text)))
}
