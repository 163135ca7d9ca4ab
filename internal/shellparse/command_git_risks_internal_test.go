package shellparse

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// No wildcard covers what a flag of git makes it write or run, nor a word that may
// be such a flag.
func TestGitRisks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		exact bool
		write string
	}{
		{line: "diff --output=a", exact: true, write: "a"},
		{line: "diff --output a", exact: true, write: "a"},
		{line: "-C sub diff --outp=a", exact: true, write: "sub/a sub"},
		{line: "grep -Ox y", exact: true},
		{line: "grep -nOx y", exact: true},
		{line: "grep -eOx --textconv", exact: true},
		{line: "grep -eOx --untracked --unknown"},
		{line: "log --text -unknown"},
		{line: "whatchanged --output=a", exact: true, write: "a"},
		{line: "stash show --output=a", exact: true, write: "a"},
		{line: "reflog list --output=a", exact: true, write: "a"},
		{line: `grep -n "$x"`, exact: true},
		{line: `grep -n "-O$x"`, exact: true},
		{line: `grep -e "$x" src`},
		{line: `grep -f -e "$x" src`, exact: true},
		{line: `grep -e $x`, exact: true},
		{line: `log -1 "--out$x"`, exact: true},
		{line: `log "--since=$x"`},
		{line: `log "--sin"ce="$x"`, exact: true},
		{line: `log --since="$x"`},
		{line: `log --output="$x"`, exact: true},
		{line: `log --since=$x`, exact: true},
		{line: `log HEAD~"$x"`},
		{line: `log HEAD~$x`, exact: true},
		{line: "log --gr*=x", exact: true},
		{line: "log --grep=*x"},
		{line: "diff HEAD $x", exact: true},
		{line: "diff HEAD -- $x"},
		{line: "diff --stat -- $x"},
		{line: "diff -pU5 -- $x"},
		{line: "diff -U -- $x", exact: true},
		{line: "diff --src-prefix -- $x", exact: true},
		{line: "diff --unknown -- $x", exact: true},
		{line: "stash list -- $x", exact: true},
		{line: "diff HEAD *", exact: true},
		{line: "diff HEAD --out*", exact: true},
		{line: "diff -- *"},
		{line: "diff -- src/*.go --x"},
		{line: "status $x"},
		{line: "branch -a $x"},
		{line: "commit -m $x"},
		{line: "stash push -m $x"},
		{line: "archive -o a HEAD", exact: true, write: "a"},
		{line: "archive --out=a HEAD", exact: true, write: "a"},
		{line: "format-patch -oa HEAD", exact: true, write: "a"},
		{line: "fetch --upload-pack=x .", exact: true},
		{line: "fetch origin main"},
		{line: "push -u origin main"},
		{line: "push . --receive-pack x", exact: true},
		{line: "push . $x", exact: true},
		{line: "clone -c a=b x", exact: true},
		{line: "clone x y", write: "y"},
		{line: "rebase -ix x HEAD", exact: true},
		{line: "rebase -i HEAD~2"},
		{line: "bisect run x", exact: true},
		{line: "bisect good $x"},
		{line: "submodule foreach x", exact: true},
		{line: "submodule update --init"},
	} {
		e := gitEffect(argsOf(tt.line))
		require.Equal(t, tt.exact, e.noWildcards, tt.line)
		require.Equal(t, tt.write, strings.Join(definite(e.files), " "), tt.line)
	}
}

// definite are the names of the files that are written for sure.
func definite(files []file) []string {
	var names []string
	for _, f := range files {
		if f.write && !f.guess {
			names = append(names, f.value)
		}
	}
	return names
}

// TestGitRisksAreAll holds the table against git itself: no other form takes a file
// to write.
func TestGitRisksAreAll(t *testing.T) {
	t.Parallel()
	for _, name := range effort.Sample(t, slices.Sorted(maps.Keys(gitForms))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitTree(t)
			var made []string
			for _, line := range []string{"--output=mark", "--output=mark HEAD", "--output=mark HEAD~1 HEAD", "--output=mark -- README.md"} {
				_, _ = g.git(t, append(strings.Fields(name), strings.Fields(line)...)...)
				list, err := os.ReadDir(g.dir)
				require.NoError(t, err)
				for _, e := range list {
					if !slices.Contains([]string{".git", "README.md", "src"}, e.Name()) {
						made = append(made, e.Name())
						require.NoError(t, os.Remove(filepath.Join(g.dir, e.Name())))
					}
				}
			}
			if !strings.Contains(gitRiskyWords[name], "--output") {
				require.Empty(t, made)
			}
		})
	}
}
