package walk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// tree maps names of files to what is in them.
type tree map[string]string

func (tr tree) make(t testing.TB) string {
	t.Helper()
	dir := tempDir(t)
	for name, text := range tr {
		put(t, dir, name, text)
	}
	return dir
}

func TestRunChooses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tree    tree
		options walk.Options
		want    []string
	}{
		{name: "nothing", tree: tree{"d/": ""}},
		{name: "hidden", tree: tree{"a": "", ".b": "", ".c/d": ""}, want: []string{"a"}},
		{name: "hidden on demand", tree: tree{"a": "", ".b": "", ".c/d": ""}, options: walk.Options{Hidden: true}, want: []string{".b", ".c/d", "a"}},
		{name: "git needs a repository", tree: tree{".gitignore": "a", "a": "", "b": ""}, want: []string{"a", "b"}},
		{name: "git in a repository", tree: tree{".git/": "", ".gitignore": "a", "a": "", "b": ""}, want: []string{"b"}},
		{name: "git in a worktree", tree: tree{".git": "gitdir: x", ".gitignore": "a", "a": "", "b": ""}, want: []string{"b"}},
		{name: "exclude", tree: tree{".git/info/exclude": "a", "a": "", "b": ""}, want: []string{"b"}},
		{name: "ignore anywhere", tree: tree{".ignore": "a", ".rgignore": "b", "a": "", "b": "", "c": ""}, want: []string{"c"}},
		{name: "no ignore files", tree: tree{".git/": "", ".gitignore": "a", ".ignore": "b", "a": "", "b": ""}, options: walk.Options{NoIgnore: true}, want: []string{"a", "b"}},
		{name: "rgignore wins over ignore, ignore over git", tree: tree{".git/": "", ".gitignore": "a\nb\n", ".ignore": "!a\nc", ".rgignore": "!c", "a": "", "b": "", "c": ""}, want: []string{"a", "c"}},
		{name: "ignore above wins over git below", tree: tree{".git/": "", ".ignore": "!a", "d/.gitignore": "a", "d/a": ""}, want: []string{"d/a"}},
		{name: "nearer wins", tree: tree{".ignore": "a", "d/.ignore": "!a", "a": "", "d/a": ""}, want: []string{"d/a"}},
		{name: "later wins", tree: tree{".ignore": "*\n!a\n!b\nb", "a": "", "b": "", "c": ""}, want: []string{"a"}},
		{name: "nested repository", tree: tree{".git/": "", ".gitignore": "a", "d/.git/": "", "d/a": "", "e/a": ""}, want: []string{"d/a"}},
		{name: "repository further down", tree: tree{".gitignore": "a", "d/.git/": "", "d/.gitignore": "b", "a": "", "b": "", "d/a": "", "d/b": ""}, want: []string{"a", "b", "d/a"}},
		{name: "a rule that wants shows what is hidden", tree: tree{".ignore": "!.env", ".env": "", ".b": ""}, want: []string{".env"}},
		{name: "what is below an ignored directory stays out", tree: tree{".ignore": "d/\n!d/a", "d/a": ""}},
		{name: "directories alone", tree: tree{".ignore": "d/", "d/a": "", "e/d": ""}, want: []string{"e/d"}},
		{name: "anchored", tree: tree{".ignore": "/a\nd/b", "a": "", "d/a": "", "d/b": "", "e/d/b": ""}, want: []string{"d/a", "e/d/b"}},
		{name: "stars", tree: tree{".ignore": "a/**/b\nc/**\n**/d", "a/b": "", "a/x/y/b": "", "c/x": "", "x/d": "", "x/e": ""}, want: []string{"x/e"}},
		{name: "a star stays in a name", tree: tree{".ignore": "/d/*.go", "d/a.go": "", "d/e/b.go": ""}, want: []string{"d/e/b.go"}},
		{name: "classes", tree: tree{".ignore": "[a-c]x\n[!p]y\n[]]z", "ax": "", "dx": "", "py": "", "qy": "", "]z": ""}, want: []string{"dx", "py"}},
		{name: "braces", tree: tree{".ignore": "*.{a,b}", "x.a": "", "x.b": "", "x.c": ""}, want: []string{"x.c"}},
		{name: "escapes", tree: tree{".ignore": "\\#a\n\\!b\n\\*c\nd\\ \ne \n", "#a": "", "!b": "", "*c": "", "xc": "", "d ": "", "d": "", "e": "", "e ": ""}, want: []string{"d", "e ", "xc"}},
		{name: "remarks and empty lines", tree: tree{".ignore": "#a\n\n \n", "#a": "", "a": "", " ": ""}, want: []string{" ", "#a", "a"}},
		{name: "lines of Windows", tree: tree{".ignore": "a\r\nb\r\n", "a": "", "b": ""}},
		{name: "lines that mean nothing", tree: tree{".ignore": "[\n{\n\\\na", "a": "", "[": ""}, want: []string{"["}},
		{name: "text from where it is no text", tree: tree{".ignore": "a\n\xff\nb", "a": "", "b": ""}, want: []string{"b"}},
		{name: "line ends in names", tree: tree{".ignore": "**/a\nb*", "x\ny/a": "", "b\nc": "", "d\ne": ""}, want: []string{"d\ne"}},
		{name: "dots at the end of names", tree: tree{".ignore": "a.\n*.", "a.": "", "b.": "", "c": ""}, want: []string{"c"}},
		{name: "glob", tree: tree{"a.go": "", "d/b.go": "", "c.md": ""}, options: walk.Options{Globs: []string{"*.go"}}, want: []string{"a.go", "d/b.go"}},
		{name: "glob against", tree: tree{"a.go": "", "v/b.go": "", "c.md": ""}, options: walk.Options{Globs: []string{"!v"}}, want: []string{"a.go", "c.md"}},
		{name: "the last glob wins", tree: tree{"a.go": "", "b.go": ""}, options: walk.Options{Globs: []string{"*.go", "!a*", "a.go"}}, want: []string{"a.go", "b.go"}},
		{name: "a glob beats rules", tree: tree{".ignore": "*.go", "a.go": "", ".h.go": "", "b": ""}, options: walk.Options{Globs: []string{"*.go"}}, want: []string{".h.go", "a.go"}},
		{name: "but not those about directories", tree: tree{".ignore": "d", "d/a.go": "", ".e/a.go": "", "a.go": ""}, options: walk.Options{Globs: []string{"*.go"}}, want: []string{"a.go"}},
		{name: "unless it matches them", tree: tree{".ignore": "d", "d/a": "", ".e/a": "", "b": ""}, options: walk.Options{Globs: []string{"**"}}, want: []string{".e/a", ".ignore", "b", "d/a"}},
		{name: "type", tree: tree{"a.go": "", "b.md": "", ".c.go": "", ".ignore": "d.go", "d.go": ""}, options: walk.Options{Types: []string{"go"}}, want: []string{".c.go", "a.go"}},
		{name: "types", tree: tree{"a.go": "", "b.md": "", "c": "", "Makefile": ""}, options: walk.Options{Types: []string{"md", "make"}}, want: []string{"Makefile", "b.md"}},
		{name: "any type", tree: tree{"a.go": "", "c": ""}, options: walk.Options{Types: []string{"all"}}, want: []string{"a.go"}},
		{name: "a glob beats types", tree: tree{"a.go": "", "b.md": ""}, options: walk.Options{Types: []string{"go"}, Globs: []string{"*.md"}}, want: []string{"b.md"}},
		{name: "depth", tree: tree{"a": "", "d/b": "", "d/e/c": ""}, options: walk.Options{MaxDepth: 2}, want: []string{"a", "d/b"}},
		{name: "entered", tree: tree{"a/x": "", "b/x": ""}, options: walk.Options{Enter: func(rel string) bool { return rel == "b" }}, want: []string{"b/x"}},
		{name: "one worker", tree: tree{"a": "", "d/b": ""}, options: walk.Options{Workers: 1}, want: []string{"a", "d/b"}},
		{name: "many workers", tree: tree{"a": "", "d/b": ""}, options: walk.Options{Workers: 9}, want: []string{"a", "d/b"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, append([]string{}, tc.want...), find(t, tc.tree.make(t), tc.options))
		})
	}
}

func TestRunHonoursDirectoriesAbove(t *testing.T) {
	t.Parallel()
	dir := tree{".gitignore": "never", "r/.git/": "", "r/.gitignore": "/d/a\nb", "r/.ignore": "/c", "r/d/a": "", "r/d/b": "", "r/d/c": "", "r/d/never": ""}.make(t)
	require.Equal(t, []string{"c", "never"}, find(t, dir+"/r/d", walk.Options{}))
	require.Equal(t, []string{"d/c", "d/never"}, find(t, dir+"/r", walk.Options{}))
}

func TestRunHonoursTheUsersFileInRepositories(t *testing.T) {
	t.Parallel()
	dir := tree{"user": "a\nb", "r/.git/": "", "r/.gitignore": "!b", "r/a": "", "r/b": "", "s/a": ""}.make(t)
	o := walk.Options{User: dir + "/user"}
	require.Equal(t, []string{"b"}, find(t, dir+"/r", o))
	require.Equal(t, []string{"a"}, find(t, dir+"/s", o))
}

func TestRunCountsWhatIsNotKept(t *testing.T) {
	t.Parallel()
	dir := tree{"a": "", "b": "", "d/x": "", "d/y": "", ".ignore": "i", "i": ""}.make(t)
	found, report, err := tryFind(t, dir, walk.Options{Filter: func(rel string, dir bool) bool {
		require.NotEqual(t, "i", rel, "asked for what is not chosen")
		return rel != "a" && !dir
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, found)
	require.Equal(t, walk.Report{Filtered: 2}, report)
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options walk.Options
		says    string
	}{
		{name: "class", options: walk.Options{Globs: []string{"*.go", "a[b"}}, says: `the glob "a[b" cannot be read: a [ is not closed`},
		{name: "range", options: walk.Options{Globs: []string{"[z-a]"}}, says: "the other way round"},
		{name: "brace", options: walk.Options{Globs: []string{"*.{go"}}, says: `write \{`},
		{name: "braces in braces", options: walk.Options{Globs: []string{"{a,{b,c}}"}}, says: "write out the inner ones"},
		{name: "escape", options: walk.Options{Globs: []string{`a\`}}, says: "put a character after it"},
		{name: "type", options: walk.Options{Types: []string{"go", "pyton"}}, says: `the file type "pyton" is not known; did you mean cython, py?`},
		{name: "type like none", options: walk.Options{Types: []string{"qqqq"}}, says: "types are names such as go"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := tryFind(t, tempDir(t), tc.options)
			require.ErrorContains(t, err, tc.says)
			var glob *walk.GlobError
			var kind *walk.TypeError
			if len(tc.options.Globs) > 0 {
				require.ErrorAs(t, err, &glob)
			} else {
				require.ErrorAs(t, err, &kind)
			}
		})
	}
}
