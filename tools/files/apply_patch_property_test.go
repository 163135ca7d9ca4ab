package files_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestApplyPatchIsAllOrNothing: a random patch of several files, with one section that
// cannot be carried out at any place among them, leaves every file as it was; without that
// section it leaves what a model of the files says.
func TestApplyPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	wrong := []string{ // sections that fail
		"*** Update File: f0\n@@\n-no such line\n+x",
		"*** Update File: missing\n@@\n-a\n+b",
		"*** Delete File: missing",
		"*** Delete File: dir",
		"*** Add File: other/x\n+a file is where a directory should be",
		"*** Add File: new/" + strings.Repeat("n", 300) + "\n+the name is too long",
		"*** Update File: other\n*** Move to: moved/" + strings.Repeat("n", 300),
		"*** Add File: dir\n+x",
		"*** Update File: other\n@@\n-a\n+a\x00",
		"*** Add File: clash\n+x\n*** Add File: clash/y\n+below a file",
		"*** Delete File: other\n*** Add File: other/y\n+still below a file",
	}
	for seed := range effort.Of(t, uint64(300)) {
		r := rand.New(rand.NewPCG(seed, 9))
		tree := map[string]string{"other": "a\nb\n", "dir/x": "x\n"}
		for i := range 5 {
			tree[fmt.Sprintf("f%d", i)] = fmt.Sprintf("one\ntwo %d\nthree\n", i)
		}
		sections, after := randomPatch(r, tree)
		g := patchGround(t, files.WriteOptions{}, tree)
		fails := wrong[r.IntN(len(wrong))]
		at := r.IntN(len(sections) + 1)
		broken := append(append(append([]string{}, sections[:at]...), fails), sections[at:]...)
		out := g.patch(t, strings.Join(broken, "\n"))
		require.Error(t, out.Err, "seed %d: %s", seed, broken)
		require.Contains(t, out.Result.Text(), "No file was changed", "seed %d: %s", seed, broken)
		require.Equal(t, tree, g.allFiles(t), "seed %d: %s", seed, broken)
		entries, err := os.ReadDir(g.dir)
		require.NoError(t, err)
		require.Len(t, entries, 7, "seed %d: no directory is left", seed)
		require.NotContains(t, out.Result.Text(), "could not get the old state back")

		out = g.patch(t, strings.Join(sections, "\n"))
		require.NoError(t, out.Err, "seed %d: %s", seed, sections)
		require.Equal(t, after, g.allFiles(t), "seed %d: %s", seed, sections)
		require.NoFileExists(t, filepath.Join(g.dir, "missing"))
	}
}

// randomPatch returns sections that change the files f0 to f4, and the tree after them.
func randomPatch(r *rand.Rand, tree map[string]string) (sections []string, after map[string]string) {
	after = map[string]string{}
	for name, text := range tree {
		after[name] = text
	}
	for i := range 1 + r.IntN(5) {
		name := fmt.Sprintf("f%d", i)
		changed := strings.Replace(tree[name], "two", "2", 1)
		hunk := fmt.Sprintf("@@\n one\n-two %d\n+2 %d", i, i)
		switch r.IntN(5) {
		case 0:
			sections, after[name] = append(sections, "*** Update File: "+name+"\n"+hunk), changed
		case 1:
			sections = append(sections, "*** Delete File: "+name)
			delete(after, name)
		case 2:
			sections, after["add/"+name] = append(sections, "*** Add File: add/"+name+"\n+new"), "new\n"
		case 3:
			sections, after["moved/"+name] = append(sections, "*** Update File: "+name+"\n*** Move to: moved/"+name+"\n"+hunk), changed
			delete(after, name)
		case 4:
			sections, after[name] = append(sections, "*** Delete File: "+name, "*** Add File: "+name+"\n+new"), "new\n"
		}
	}
	return sections, after
}
