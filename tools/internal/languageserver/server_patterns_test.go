package languageserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestServerPatterns registers patterns of files that the server wants to know of.
func TestServerPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, pattern string // DIR stands for the root
		told          []string
	}{
		{name: "none", pattern: `"[{**"`},
		{name: "below the root", pattern: `"**/*.y"`, told: []string{"a.y", "b/c.y"}},
		{name: "alternatives", pattern: `"**/*.{y,z}"`, told: []string{"a.y", "b/c.y", "b/d.z"}},
		{name: "name", pattern: `"a.y"`, told: []string{"a.y"}},
		{name: "absolute", pattern: `"DIR/b/*"`, told: []string{"b/c.y", "b/d.z"}},
		{name: "relative to an address", pattern: `{"baseUri":"file://DIR/b","pattern":"*.y"}`, told: []string{"b/c.y"}},
		{name: "relative to a folder", pattern: `{"baseUri":{"uri":"file://DIR/b","name":"b"},"pattern":"**/*.z"}`, told: []string{"b/d.z"}},
		{name: "relative to nothing", pattern: `{"baseUri":7,"pattern":"**"}`},
		{name: "relative to an address of no file", pattern: `{"baseUri":"untitled:x","pattern":"**"}`},
		{name: "relative to another tree", pattern: `{"baseUri":"file://DIR/../elsewhere","pattern":"**"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registered := false
			f := &fake{}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				dir := filepath.Dir(file)
				pattern := strings.ReplaceAll(tt.pattern, "DIR", filepath.ToSlash(dir))
				var waiting message
				f.on = func(r *fakeRun, m message) {
					switch {
					case m.Method == "textDocument/definition" && !registered:
						registered, waiting = true, m
						r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w","method":"client/registerCapability","params":{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":%s}]}}]}}`, pattern))
					case m.Method == "textDocument/definition":
						r.answer(m, `null`)
					case m.Method == "" && string(m.ID) == `"w"`:
						r.answer(waiting, `null`)
					}
				}
				require.NoError(t, os.Mkdir(filepath.Join(dir, "b"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "b/d.z"), nil, 0o600))
				ask := func() {
					_, err := s.Definition(t.Context(), file, first)
					require.NoError(t, err)
				}
				ask()
				ask() // finds the files that the pattern matches
				require.Empty(t, f.params(t, "workspace/didChangeWatchedFiles"), "nothing has changed")
				for _, name := range []string{"a.y", "b/c.y", "b/d.z"} {
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("new"), 0o600))
				}
				ask()
				told := strings.Join(f.params(t, "workspace/didChangeWatchedFiles"), "\n")
				require.Equal(t, len(tt.told), strings.Count(told, `"uri"`), told)
				for _, name := range tt.told {
					require.Contains(t, told, filepath.ToSlash(filepath.Join(dir, name)))
				}
				synctest.Wait()
			})
		})
	}
}
