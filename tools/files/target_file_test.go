package files_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestInvariant11NoEditIsLost: fifty agents edit one file at once, under two
// names, and every edit is there in the end.
func TestInvariant11NoEditIsLost(t *testing.T) {
	t.Parallel()
	const agents = 50
	g := editable(t)
	var text strings.Builder
	for i := range agents {
		fmt.Fprintf(&text, "line %02d\r\n", i)
	}
	path := g.put(t, "f", text.String())
	require.NoError(t, os.Link(path, filepath.Join(g.dir, "other name")))
	g.read(t, map[string]any{"file_path": "f"})
	g.read(t, map[string]any{"file_path": "other name"})
	var wg sync.WaitGroup
	for i := range agents {
		s, err := g.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: fmt.Sprint(i)})
		require.NoError(t, err)
		name := []string{"f", "other name"}[i%2]
		wg.Go(func() {
			out := tooltest.Run(t.Context(), files.Edit(files.WriteOptions{}), s,
				fmt.Sprintf(`{"file_path":%q,"old_string":"line %02d","new_string":"edited %02d"}`, name, i, i))
			if out.Err != nil {
				t.Errorf("agent %d: %v", i, out.Err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, strings.ReplaceAll(text.String(), "line", "edited"), content(t, path))
}

func TestForksKnowWhatTheirParentHadRead(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "before", "a\n")
	g.put(t, "after", "a\n")
	g.read(t, map[string]any{"file_path": "before"})
	fork, err := g.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	g.read(t, map[string]any{"file_path": "after"})
	tool := files.Edit(files.WriteOptions{})
	require.NoError(t, tooltest.Run(t.Context(), tool, fork, `{"file_path":"before","old_string":"a","new_string":"b"}`).Err)
	require.ErrorContains(t, tooltest.Run(t.Context(), tool, fork, `{"file_path":"after","old_string":"a","new_string":"b"}`).Err, "was not read")
	files.Forget(g.session)
	require.ErrorContains(t, g.edit(t, "after", "a", "b").Err, "was not read")
}

// TestLinksAndModesSurvive: what the tools see of a file is its content.
func TestLinksAndModesSurvive(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "dir/f", "a\n")
	require.NoError(t, os.Chmod(path, 0o750))
	link(t, "dir/f", filepath.Join(g.dir, "link"))
	require.NoError(t, os.Link(path, filepath.Join(g.dir, "second")))
	for i, name := range []string{"link", "dir/f", "second"} {
		g.read(t, map[string]any{"file_path": name})
		require.NoError(t, g.edit(t, name, strings.Repeat("a", i+1), strings.Repeat("a", i+2)).Err)
	}
	fi, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o750), fi.Mode())
	second, err := os.Lstat(filepath.Join(g.dir, "second"))
	require.NoError(t, err)
	require.True(t, os.SameFile(fi, second))
	to, err := os.Readlink(filepath.Join(g.dir, "link"))
	require.NoError(t, err)
	require.Equal(t, "dir/f", to)
	require.Equal(t, "aaaa\n", content(t, path))
}

func TestWritersKeepTheContract(t *testing.T) {
	t.Parallel()
	g := editable(t)
	o := files.WriteOptions{AllowUnread: true}
	for input, tool := range map[string]pegboard.Tool{
		fmt.Sprintf(`{"file_path":%q,"content":"b"}`, g.put(t, "a", "a")):                                          files.Write(o),
		fmt.Sprintf(`{"file_path":%q,"old_string":"b","new_string":"c"}`, g.put(t, "b", "b")):                      files.Edit(o),
		fmt.Sprintf(`{"file_path":%q,"edits":[{"old_string":"c","new_string":"d"}]}`, g.put(t, "c", "c")):          files.MultiEdit(o),
		fmt.Sprintf(`{"notebook_path":%q,"cell_id":"bb","new_source":"c"}`, g.put(t, "n.ipynb", notebookText)):     files.NotebookEdit(o),
		fmt.Sprintf(`{"input":"*** Begin Patch\n*** Delete File: %s\n*** End Patch"}`, g.put(t, "d", "delete me")): files.ApplyPatch(o),
	} {
		require.NoError(t, tooltest.Check(tool, input))
	}
}
