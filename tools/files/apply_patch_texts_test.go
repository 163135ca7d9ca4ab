package files_test

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files"
)

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
