package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestGlobOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options files.GlobOptions
		want    []string
		says    string // of the description
	}{
		{
			name: "none", says: "Hidden files are found, symbolic links are not.",
			want: []string{".env", ".github/ci", ".gitignore", "kept", "out/log", "sub/.ignore", "sub/kept", "sub/tmp"},
		},
		{
			name: "ignore files", options: files.GlobOptions{Ignore: true}, says: "files that ignore files name and symbolic links are not.",
			want: []string{".env", ".github/ci", ".gitignore", "kept", "sub/.ignore", "sub/kept"},
		},
		{
			name: "not hidden", options: files.GlobOptions{NoHidden: true}, says: "Hidden files and symbolic links are not found.",
			want: []string{"kept", "out/log", "sub/kept", "sub/tmp"},
		},
		{
			name: "both", options: files.GlobOptions{Ignore: true, NoHidden: true}, says: "Hidden files, files that ignore files name and symbolic links are not found.",
			want: []string{"kept", "sub/kept"},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := files.Glob(tc.options)
			g := newGround(t, pegboard.SessionConfig{}, tool)
			for name, text := range map[string]string{
				".gitignore": "out\n", "sub/.ignore": "tmp\n", ".git/HEAD": "",
				".env": "", ".github/ci": "", "kept": "", "out/log": "", "sub/kept": "", "sub/tmp": "",
			} {
				require.NoError(t, os.Chtimes(g.put(t, name, text), time.Unix(1, 0), time.Unix(1, 0)))
			}
			_, out := g.glob(t, map[string]any{"pattern": "**"})
			require.Equal(t, tc.want, out.Filenames)
			declared, ok := tool.Declare(pegboard.Scope{Session: g.session})
			require.True(t, ok)
			require.Contains(t, declared.Description, tc.says)
		})
	}
}

// TestGlobOfAHiddenDirectory begins in one, which is not left out.
func TestGlobOfAHiddenDirectory(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{NoHidden: true}))
	g.put(t, ".github/workflows/ci.yml", "")
	g.put(t, ".github/.x/ci.yml", "")
	_, out := g.glob(t, map[string]any{"pattern": ".github/**/*.yml"})
	require.Equal(t, []string{".github/workflows/ci.yml"}, out.Filenames)
}

// TestGlobEntersWhatCanHoldMatches compares with a walk that enters everything.
func TestGlobEntersWhatCanHoldMatches(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{MaxResults: 100_000}))
	hardTree(t, g)
	patterns := []string{
		"*/b/*", "?/*/c", "{a,b}/*/c", "{a,b/c}/*", "*/{a,b/c}/**/*", "{*/a,b}/{c,a}", "[ab]/**/c", "[a/b]/c", "*/**/*/a", "**/a/*/b", "*a*/b*",
		`\*/*`, `*/\?`, `\{a,b\}/*`, "{a,b}", "{a,b}/{c,e.txt}", "*/*/*", "*/*/**/*", "{,a/}*", "a{,/b}/*", "a{/b,}/c/*", "*{a,b}*/**/*", "{**,a}/b", "{**/a,b}/c", "*.txt", "**/*.t*t", `**/back\\*`,
	}
	for _, pattern := range patterns {
		_, out := g.glob(t, map[string]any{"pattern": pattern})
		require.ElementsMatch(t, everythingLike(t, g.dir, pattern), out.Filenames, "pattern %q", pattern)
	}
}

func everythingLike(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found := []string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		if d.Type().IsRegular() && doublestar.MatchUnvalidated(pattern, filepath.ToSlash(rel)) {
			found = append(found, rel)
		}
		return nil
	}))
	return found
}
