package files_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// patchGround is a session with the tool and some files.
func patchGround(t testing.TB, o files.WriteOptions, tree map[string]string) *ground {
	t.Helper()
	g := editable(t, append(files.Tools(), files.ApplyPatch(o))...)
	for name, text := range tree {
		g.put(t, name, text)
	}
	return g
}

// patch calls apply_patch with the lines between the marks.
func (g *ground) patch(t testing.TB, lines string) pegboard.Outcome {
	t.Helper()
	return g.call(t.Context(), t, "apply_patch", map[string]any{"input": "*** Begin Patch\n" + lines + "\n*** End Patch"})
}

// allFiles returns the files below the directory.
func (g *ground) allFiles(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		rel, err := filepath.Rel(g.dir, path)
		require.NoError(t, err)
		if !d.IsDir() {
			all[filepath.ToSlash(rel)] = content(t, path)
		}
		return nil
	}))
	return all
}

func TestApplyPatch(t *testing.T) {
	t.Parallel()
	tree := map[string]string{"a": "one\ntwo\nthree\n", "sub/b": "b\n", "c.bin": "\x00\x01", "crlf": "x\r\ny\r\n"}
	for _, tt := range []struct {
		name  string
		patch string
		want  map[string]string // changes of the tree; "-" for none
		says  string            // after the first line
		types []string
		moved string // path that the first file had
	}{
		{name: "add", patch: "*** Add File: new/dir/f\n+x\n+\n+y", want: map[string]string{"new/dir/f": "x\n\ny\n"}, says: "A {{dir}}/new/dir/f", types: []string{"add"}},
		{name: "add an empty file", patch: "*** Add File: f", want: map[string]string{"f": ""}, says: "A {{dir}}/f", types: []string{"add"}},
		{name: "delete", patch: "*** Delete File: sub/b", want: map[string]string{"sub/b": "-"}, says: "D {{dir}}/sub/b", types: []string{"delete"}},
		{name: "delete what is not text", patch: "*** Delete File: c.bin", want: map[string]string{"c.bin": "-"}, says: "D {{dir}}/c.bin", types: []string{"delete"}},
		{name: "update", patch: "*** Update File: a\n@@\n one\n-two\n+2\n three", want: map[string]string{"a": "one\n2\nthree\n"}, says: "M {{dir}}/a", types: []string{"update"}},
		{name: "update with the file's line ends", patch: "*** Update File: crlf\n@@\n x\n-y\n+z", want: map[string]string{"crlf": "x\r\nz\r\n"}, says: "M {{dir}}/crlf", types: []string{"update"}},
		{name: "several sections of one file", patch: "*** Update File: a\n@@\n-one\n+1\n*** Update File: {{dir}}/a\n@@\n-1\n+I\n@@\n-three\n+3", want: map[string]string{"a": "I\ntwo\n3\n"}, says: "M {{dir}}/a", types: []string{"update"}},
		{name: "move", patch: "*** Update File: a\n*** Move to: sub/a2", want: map[string]string{"a": "-", "sub/a2": tree["a"]}, says: "M {{dir}}/sub/a2 (moved from {{dir}}/a)", types: []string{"update"}, moved: "a"},
		{name: "move and update", patch: "*** Update File: a\n*** Move to: n/a2\n@@\n-two\n+2", want: map[string]string{"a": "-", "n/a2": "one\n2\nthree\n"}, says: "M {{dir}}/n/a2 (moved from {{dir}}/a)", types: []string{"update"}, moved: "a"},
		{name: "move, and show lines", patch: "*** Update File: a\n*** Move to: a2\n@@\n one", want: map[string]string{"a": "-", "a2": tree["a"]}, says: "M {{dir}}/a2 (moved from {{dir}}/a)", types: []string{"update"}, moved: "a"},
		{name: "move what is not text", patch: "*** Update File: c.bin\n*** Move to: d.bin", want: map[string]string{"c.bin": "-", "d.bin": "\x00\x01"}, says: "M {{dir}}/d.bin (moved from {{dir}}/c.bin)", types: []string{"update"}, moved: "c.bin"},
		{name: "move twice", patch: "*** Update File: a\n*** Move to: x\n*** Update File: x\n*** Move to: y\n@@\n-two\n+2", want: map[string]string{"a": "-", "y": "one\n2\nthree\n"}, says: "M {{dir}}/y (moved from {{dir}}/a)", types: []string{"update"}, moved: "a"},
		{name: "move to where a file was removed", patch: "*** Delete File: sub/b\n*** Update File: a\n*** Move to: sub/b", want: map[string]string{"a": "-", "sub/b": tree["a"]}, says: "M {{dir}}/sub/b\nD {{dir}}/a", types: []string{"update", "delete"}},
		{name: "delete and add", patch: "*** Delete File: a\n*** Add File: a\n+new", want: map[string]string{"a": "new\n"}, says: "M {{dir}}/a", types: []string{"update"}},
		{name: "several files", patch: "*** Add File: f\n+x\n*** Update File: a\n@@\n-two\n+2\n\n*** Delete File: sub/b\n", want: map[string]string{"f": "x\n", "a": "one\n2\nthree\n", "sub/b": "-"},
			says: "A {{dir}}/f\nM {{dir}}/a\nD {{dir}}/sub/b", types: []string{"add", "update", "delete"}},
		{name: "not exactly", patch: "*** Update File: a\n@@\n-  one\n+  1\n@@\n-three \n+3", want: map[string]string{"a": "1\ntwo\n3\n"},
			says: "M {{dir}}/a\nHunk 1 of {{dir}}/a does not occur exactly as given; what was replaced is a match without regard to indentation. Check it.\nHunk 2 of {{dir}}/a does not occur exactly as given; what was replaced is a match without regard to white space at line ends. Check it.", types: []string{"update"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := patchGround(t, files.WriteOptions{}, tree)
			want := maps.Clone(tree)
			for name, text := range tt.want {
				if want[name] = text; text == "-" {
					delete(want, name)
				}
			}
			out := g.patch(t, strings.ReplaceAll(tt.patch, "{{dir}}", g.dir))
			require.NoError(t, out.Err, out.Result.Text())
			require.Equal(t, want, g.allFiles(t))
			first, rest, _ := strings.Cut(out.Result.Text(), "\n")
			require.Regexp(t, `^Applied the patch to \d files?\.$`, first)
			require.Equal(t, strings.ReplaceAll(tt.says, "{{dir}}", g.dir), rest)
			data, ok := out.Result.Data.(files.ApplyPatchOutput)
			require.True(t, ok)
			var types []string
			for _, f := range data.Files {
				types = append(types, f.Type)
			}
			require.Equal(t, tt.types, types)
			require.Len(t, out.Result.Diffs, len(tt.types))
			if tt.moved != "" {
				require.Equal(t, filepath.Join(g.dir, tt.moved), data.Files[0].MovedFrom)
				require.Equal(t, data.Files[0].MovedFrom, out.Result.Diffs[0].MovedFrom)
			}
		})
	}
}

// TestApplyPatchRefuses, and leaves every file as it was.
func TestApplyPatchRefuses(t *testing.T) {
	t.Parallel()
	tree := map[string]string{"a": "one\ntwo\nthree\ntwo\n", "sub/b": "b\n", "bin": "\x00", "long": "the quick brown fox jumps over it\n", "n.ipynb": notebookText}
	for _, tt := range []struct {
		name  string
		patch string
		says  []string
	}{
		{name: "a hunk that does not fit, after others", patch: "*** Add File: f\n+x\n*** Update File: sub/b\n@@\n-b\n+B\n*** Update File: a\n@@\n-one\n+1\n@@\n-four\n+4",
			says: []string{"{{dir}}/a: Hunk 2 (line 12 of the patch): the old text is not in the file", "No file was changed. Send the whole patch again"}},
		{name: "lines that occur twice", patch: "*** Update File: a\n@@\n-two\n+2", says: []string{": The hunk (line 3 of the patch): its lines are found several times, at lines 2, 4. Write the function or class before them after @@"}},
		{name: "no such file", patch: "*** Update File: sub/c\n@@\n-b\n+B", says: []string{"{{dir}}/sub/c does not exist"}},
		{name: "no such file to delete", patch: "*** Delete File: c", says: []string{"does not exist"}},
		{name: "a directory", patch: "*** Delete File: sub", says: []string{"{{dir}}/sub is a directory"}},
		{name: "a file that exists and was not read", patch: "*** Add File: a\n+x", says: []string{"exists already and was not read"}},
		{name: "a move to a file", patch: "*** Update File: a\n*** Move to: sub/b", says: []string{"{{dir}}/sub/b exists already, so {{dir}}/a cannot be moved there"}},
		{name: "a file that was removed", patch: "*** Delete File: a\n*** Update File: a\n@@\n-one\n+1", says: []string{"(line 3 of the patch) was removed or moved by a section before it"}},
		{name: "a file that was made", patch: "*** Add File: f\n+x\n*** Add File: f\n+y", says: []string{"was made by a section before"}},
		{name: "not text", patch: "*** Update File: bin\n@@\n-a\n+b", says: []string{"binary"}},
		{name: "similar lines of a file that was not read", patch: "*** Update File: long\n@@\n-the quick brwn fox jumps over it\n+the quick brwn fox jumps over us", says: []string{"was not read, or changed since. Read it first"}},
		{name: "a notebook", patch: "*** Update File: n.ipynb\n@@\n-{\n+{ ", says: []string{"Use NotebookEdit"}},
		{name: "nothing", patch: "*** Update File: sub/b\n@@\n b", says: []string{"reads like the new text already"}},
		{name: "nothing in the end", patch: "*** Update File: a\n@@\n-one\n+1\n*** Update File: a\n@@\n-1\n+one", says: []string{"The patch changes nothing"}},
		{name: "no sections", patch: "", says: []string{"it has no file sections"}},
		{name: "no header", patch: "hello", says: []string{"at its line 2: expected the header of a file"}},
		{name: "a path that is a directory", patch: "*** Add File: x/\n+y", says: []string{`the path "x/" names a directory`}},
		{name: "outside", patch: "*** Update File: a\n@@\n-one\n+1\n*** Add File: ../f\n+x", says: []string{"outside"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := patchGround(t, files.WriteOptions{}, tree)
			out := g.patch(t, tt.patch)
			require.Error(t, out.Err)
			for _, want := range tt.says {
				require.Contains(t, out.Result.Text(), strings.ReplaceAll(want, "{{dir}}", g.dir))
			}
			require.Equal(t, tree, g.allFiles(t))
		})
	}
}

// TestApplyPatchOfAFileThatWasRead may replace it whole, and find similar lines.
func TestApplyPatchOfAFileThatWasRead(t *testing.T) {
	t.Parallel()
	g := patchGround(t, files.WriteOptions{}, map[string]string{"a": "one\n", "long": "the quick brown fox jumps over it\nand on\n"})
	g.read(t, map[string]any{"file_path": "a"})
	g.read(t, map[string]any{"file_path": "long"})
	out := g.patch(t, "*** Add File: a\n+x\n*** Update File: long\n@@\n the quick brwn fox jumps over it\n-and on\n+and off")
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "M "+g.dir+"/long\nThe hunk of "+g.dir+"/long does not occur exactly as given; what was replaced is a similar text, not the same. Check it.\n"+
		g.dir+"/long:\n     1\tthe quick brown fox jumps over it\n     2\tand off")
	require.Equal(t, map[string]string{"a": "x\n", "long": "the quick brown fox jumps over it\nand off\n"}, g.allFiles(t))
	require.NoError(t, g.edit(t, "a", "x", "y").Err, "the model knows what it wrote")
	require.NoError(t, g.write(t, "long", "new").Err)

	g.put(t, "b", "first\nsecond\n")
	require.NoError(t, g.patch(t, "*** Update File: b\n@@\n-first\n+1").Err)
	require.NoError(t, g.edit(t, "b", "second", "2").Err)
	require.ErrorContains(t, g.write(t, "b", "new").Err, "was read in part only", "the model has not seen all of it")
}

// TestApplyPatchKeepsPermissions of a file that is moved.
func TestApplyPatchKeepsPermissions(t *testing.T) {
	t.Parallel()
	g := patchGround(t, files.WriteOptions{}, map[string]string{"run.sh": "#!/bin/sh\necho 1\n"})
	require.NoError(t, os.Chmod(filepath.Join(g.dir, "run.sh"), 0o755))
	require.NoError(t, g.patch(t, "*** Update File: run.sh\n*** Move to: bin/run\n@@\n-echo 1\n+echo 2").Err)
	info, err := os.Stat(filepath.Join(g.dir, "bin", "run"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
}

// TestApplyPatchIsRuledByItsPaths: rules on edits rule each file.
func TestApplyPatchIsRuledByItsPaths(t *testing.T) {
	t.Parallel()
	const both = "*** Begin Patch\n*** Update File: src/a\n*** Move to: src/b\n*** Delete File: lib/c\n*** End Patch"
	for _, tt := range []struct {
		name  string
		rules policy.RuleSet
		runs  bool
	}{
		{name: "all paths", rules: policy.RuleSet{Allow: []string{"Edit(/src/**)", "Edit(/lib/**)"}}, runs: true},
		{name: "some paths", rules: policy.RuleSet{Allow: []string{"Edit(/src/**)"}}},
		{name: "all but where it is moved to", rules: policy.RuleSet{Allow: []string{"Edit(/src/a)", "Edit(/lib/**)"}}},
		{name: "the tool", rules: policy.RuleSet{Allow: []string{"apply_patch"}}, runs: true},
		{name: "the tool, and one path denied", rules: policy.RuleSet{Allow: []string{"apply_patch"}, Deny: []string{"Edit(/lib/c)"}}},
		{name: "the tool, and reading where it is moved to denied", rules: policy.RuleSet{Allow: []string{"apply_patch"}, Deny: []string{"Read(/src/b)"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{Permissions: rules(t, tt.rules)}, files.ApplyPatch(files.WriteOptions{}))
			g.put(t, "src/a", "a\n")
			g.put(t, "lib/c", "c\n")
			before := g.allFiles(t)
			out := g.call(t.Context(), t, "apply_patch", map[string]any{"input": both})
			if tt.runs {
				require.NoError(t, out.Err)
				require.Equal(t, map[string]string{"src/b": "a\n"}, g.allFiles(t))
				return
			}
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Equal(t, before, g.allFiles(t))
		})
	}
	g := newGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Allow: []string{"apply_patch"}})}, files.ApplyPatch(files.WriteOptions{ConfigDirs: []string{"lib"}}))
	g.put(t, "src/a", "a\n")
	g.put(t, "lib/c", "c\n")
	require.ErrorContains(t, g.call(t.Context(), t, "apply_patch", map[string]any{"input": both}).Err, "belongs to the configuration of the program")
}

// TestApplyPatchAsksWithItsDiffs shows what would change before it does.
func TestApplyPatchAsksWithItsDiffs(t *testing.T) {
	t.Parallel()
	var diffs []pegboard.Diff
	var destructive bool
	g := newGround(t, pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
		var err error
		diffs, err = q.Preview(ctx)
		destructive = q.Tool.Traits(q.Call).Destructive
		return policy.Decision{Behavior: policy.Deny}, err
	}}, files.ApplyPatch(files.WriteOptions{}))
	g.put(t, "a", "one\ntwo\n")
	g.put(t, "b", "b\n")
	before := g.allFiles(t)
	out := g.patch(t, "*** Update File: a\n*** Move to: c\n@@\n-two\n+2\n*** Delete File: b\n*** Add File: d\n+d")
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Equal(t, before, g.allFiles(t))
	require.True(t, destructive)
	require.Len(t, diffs, 3)
	require.Equal(t, []string{filepath.Join(g.dir, "c"), filepath.Join(g.dir, "b"), filepath.Join(g.dir, "d")}, []string{diffs[0].Path, diffs[1].Path, diffs[2].Path})
	require.Equal(t, filepath.Join(g.dir, "a"), diffs[0].MovedFrom)
	require.Equal(t, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n", diffs[0].Unified())
	require.True(t, diffs[1].Removed)
	require.Equal(t, "@@ -1 +0,0 @@\n-b\n", diffs[1].Unified())
	require.True(t, diffs[2].New)
}

// TestApplyPatchesOfOneMessage take turns where they touch the same file.
func TestApplyPatchesOfOneMessage(t *testing.T) {
	t.Parallel()
	g := patchGround(t, files.WriteOptions{}, map[string]string{"a": "0\n", "b": "0\n"})
	var calls []map[string]any
	for i := range 20 {
		one, other := "a", "b"
		if i%2 == 1 {
			one, other = other, one
		}
		calls = append(calls, map[string]any{"tool": "apply_patch", "input": strings.ReplaceAll("*** Begin Patch\n*** Update File: "+one+"\n@@\n+N\n*** Update File: "+other+"\n@@\n+N\n*** End Patch", "N", string(rune('A'+i)))})
	}
	for _, out := range g.message(t, calls...) {
		require.NoError(t, out.Err, out.Result.Text())
	}
	want := "0\nA\nB\nC\nD\nE\nF\nG\nH\nI\nJ\nK\nL\nM\nN\nO\nP\nQ\nR\nS\nT\n"
	require.Equal(t, map[string]string{"a": want, "b": want}, g.allFiles(t))
}

func TestApplyPatchKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(files.ApplyPatch(files.WriteOptions{}), `{"input":"*** Begin Patch\n*** Add File: a\n+b\n*** End Patch"}`))
}

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

// patchedTree is what the patches of testdata/apply_patch.txt begin with.
func patchedTree() map[string]string {
	return map[string]string{
		"app.py": "import os\n\n\nclass Reader:\n    def open(self):\n        return None\n\n    def close(self):\n        return None\n\n\n" +
			"class Writer:\n    def open(self):\n        return None\n\n    def close(self):\n        return None\n",
		"main.go":       "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"win.txt":       "first\r\nsecond\r\nthird\r\n",
		"docs/notes.md": "It’s a “note” – really.\nlast line without an end",
		"secret.ipynb":  notebookText,
	}
}

// TestApplyPatchTexts holds what the model reads against testdata/apply_patch.txt: patches as
// models write them, each on the same files. Run with PEGBOARD_UPDATE=1 to write it anew.
func TestApplyPatchTexts(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "apply_patch.txt")
	golden := strings.ReplaceAll(content(t, path), "\r\n", "\n")
	var now strings.Builder
	head, scenes, _ := strings.Cut(golden, "==== ")
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		now.WriteString(head)
	}
	for scene := range strings.SplitSeq(scenes, "==== ") {
		name, rest, _ := strings.Cut(scene, "\n")
		patch, _, _ := strings.Cut(rest, "---- says\n")
		g := patchGround(t, files.WriteOptions{}, patchedTree())
		input := strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(patch, "\n"), "{{dir}}", g.dir), `\r`, "\r")
		out := g.call(t.Context(), t, "apply_patch", map[string]any{"input": input})
		if out.Err != nil {
			require.Equal(t, patchedTree(), g.allFiles(t), name)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(out.Result.Text(), g.dir, "{{dir}}"), "\r", `\r`)
		now.WriteString("==== " + name + "\n" + patch + "---- says\n" + text + "\n")
		if out.Err == nil {
			now.WriteString(changesOf(patchedTree(), g.allFiles(t)))
		}
		now.WriteString("\n")
		if os.Getenv("PEGBOARD_UPDATE") == "" {
			require.Equal(t, strings.TrimRight(scene, "\n"), strings.TrimRight(now.String()[len("==== "):], "\n"), "run PEGBOARD_UPDATE=1 go test -run Texts ./tools/files")
			now.Reset()
		}
	}
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(strings.TrimRight(now.String(), "\n")+"\n"), 0o644))
	}
}

// changesOf returns the files that differ, in the order of their names.
func changesOf(before, after map[string]string) string {
	var b strings.Builder
	for _, name := range sortedKeys(before, after) {
		text, there := after[name]
		switch {
		case !there:
			b.WriteString("---- " + name + " is gone\n")
		case before[name] != text:
			b.WriteString("---- " + name + "\n" + strings.ReplaceAll(text, "\r", `\r`))
			if !strings.HasSuffix(text, "\n") {
				b.WriteString("<no line end>\n")
			}
		}
	}
	return b.String()
}

// TestApplyPatchAdviceHelps: a call that an error text advises succeeds, or makes the patch
// succeed when it is sent again.
func TestApplyPatchAdviceHelps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		patch   string // without the marks
		outside func(t *testing.T, g *ground)
		advice  string // part of the error text
		calls   []map[string]any
		again   string // the patch that follows the advice; "" for the same
	}{
		{name: "write the class after @@", patch: "*** Update File: app.py\n@@\n     def close(self):\n-        return None\n+        pass",
			advice: "Write the function or class before them after @@", again: "*** Update File: app.py\n@@ class Writer:\n     def close(self):\n-        return None\n+        pass"},
		{name: "more lines around", patch: "*** Update File: app.py\n@@\n     def close(self):\n-        return None\n+        pass",
			advice: "or more lines around the change", again: "*** Update File: app.py\n@@\n     def close(self):\n-        return None\n+        pass\n \n \n class Writer:"},
		{name: "take the old text from the difference", patch: "*** Update File: main.go\n@@\n func main() {\n-\tprintln(\"goodbye\")\n+\tprintln(\"bye\")\n }",
			advice: "Take the old text from there", again: "*** Update File: main.go\n@@\n func main() {\n-\tprintln(\"hello\")\n+\tprintln(\"bye\")\n }"},
		{name: "read, and add", patch: "*** Add File: main.go\n+package main", advice: "Read it first", calls: []map[string]any{{"tool": "Read", "file_path": "{{dir}}/main.go"}}},
		{name: "update instead of adding", patch: "*** Add File: main.go\n+package main", advice: `use a section "*** Update File:" to change a part of it`, again: "*** Update File: main.go\n@@\n-package main\n+package hello"},
		{name: "the content that was shown", patch: "*** Delete File: win.txt\n*** Add File: main.go\n+package main",
			outside: func(t *testing.T, g *ground) {
				t.Helper()
				g.read(t, map[string]any{"file_path": "main.go"})
				g.put(t, "main.go", "package other\n")
			},
			advice: "after which the call may be repeated if it is still right:\n     1\tpackage other\nNo file was changed. Send the whole patch again"},
		{name: "too long to be shown", patch: "*** Add File: main.go\n+package main",
			outside: func(t *testing.T, g *ground) {
				t.Helper()
				g.read(t, map[string]any{"file_path": "main.go"})
				g.put(t, "main.go", strings.Repeat("package other\n", 300))
			},
			advice: "changed since it was read, and nothing was written. Read it again", calls: []map[string]any{{"tool": "Read", "file_path": "{{dir}}/main.go"}}},
		{name: "similar lines", patch: "*** Update File: long\n@@\n-the quick brwn fox jumps over it\n+the quick brwn fox jumps over us",
			outside: func(t *testing.T, g *ground) { t.Helper(); g.put(t, "long", "the quick brown fox jumps over it\n") },
			advice:  "Read it first, and write the lines as they are there", calls: []map[string]any{{"tool": "Read", "file_path": "{{dir}}/long"}},
			again: "*** Update File: long\n@@\n-the quick brown fox jumps over it\n+the quick brown fox jumps over us"},
		{name: "another name for a move", patch: "*** Update File: main.go\n*** Move to: app.py", advice: "Choose another path", again: "*** Update File: main.go\n*** Move to: app2.py"},
		{name: "removed before a move", patch: "*** Update File: main.go\n*** Move to: app.py", advice: "or remove the file in a section before", again: "*** Delete File: app.py\n*** Update File: main.go\n*** Move to: app.py"},
		{name: "a name after a move", patch: "*** Update File: main.go\n*** Move to: a.go\n*** Update File: main.go\n-package main\n+package a", advice: "Name the file as it is called then",
			again: "*** Update File: main.go\n*** Move to: a.go\n*** Update File: a.go\n-package main\n+package a"},
		{name: "one section of two", patch: "*** Add File: a\n+x\n*** Add File: a\n+y", advice: "Make one section of both", again: "*** Add File: a\n+x\n+y"},
		{name: "one block of two", patch: "*** Update File: main.go\n@@\n-package main\n+package a\n@@\n-package main\n+package b", advice: "make one block of both", again: "*** Update File: main.go\n@@\n-package main\n+package b"},
		{name: "NotebookEdit", patch: "*** Update File: secret.ipynb\n-x\n+y", advice: "Use NotebookEdit", again: "-", calls: []map[string]any{
			{"tool": "Read", "file_path": "{{dir}}/secret.ipynb"}, {"tool": "NotebookEdit", "notebook_path": "{{dir}}/secret.ipynb", "cell_id": "aa", "new_source": "x"},
		}},
		{name: "Glob", patch: "*** Delete File: docs", advice: `List it with Glob (path "{{dir}}/docs", pattern "*")`, again: "*** Delete File: docs/notes.md", calls: []map[string]any{{"tool": "Glob", "path": "{{dir}}/docs", "pattern": "*"}}},
		{name: "read before the next", patch: "*** Update File: main.go\n-package main\n+package a\n*** Update File: main.go\n-package a\n+package main", advice: "Read them before the next patch",
			calls: []map[string]any{{"tool": "Read", "file_path": "{{dir}}/main.go"}}, again: "*** Update File: main.go\n-package main\n+package a"},
		{name: "a directory that is a file", patch: "*** Add File: main.go/x\n+x", advice: "choose another path", again: "*** Add File: main/x\n+x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := patchGround(t, files.WriteOptions{}, patchedTree())
			if tt.outside != nil {
				tt.outside(t, g)
			}
			before := g.allFiles(t)
			out := g.patch(t, tt.patch)
			require.ErrorContains(t, out.Err, strings.ReplaceAll(tt.advice, "{{dir}}", g.dir))
			require.Equal(t, before, g.allFiles(t))
			for _, call := range tt.calls {
				for key, value := range call {
					call[key] = strings.ReplaceAll(value.(string), "{{dir}}", g.dir) //nolint:errcheck // the table has strings
				}
				require.NoError(t, g.message(t, call)[0].Err)
			}
			if tt.again == "-" {
				return
			}
			require.NoError(t, g.patch(t, cmp.Or(tt.again, tt.patch)).Err)
			require.NotEqual(t, before, g.allFiles(t))
		})
	}
}

// sortedKeys returns the keys of both maps.
func sortedKeys(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
