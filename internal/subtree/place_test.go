package subtree_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/subtree"
)

// grown returns a directory with files, and links by the place they lead to.
func grown(t *testing.T, files []string, links map[string]string) string {
	t.Helper()
	root := realpath.Resolve(t.TempDir())
	for _, name := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	for name, to := range links {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.Symlink(to, filepath.Join(root, name)))
	}
	return root
}

func TestLook(t *testing.T) {
	t.Parallel()
	root := grown(t,
		[]string{"plain/a", "one/.npmrc", "deep/x/.NPMRC", "conf/.config/git/config", "git/config"},
		map[string]string{"linked/a": "../plain/a", "away/d": "../linked", "rc/.npmrc": "../plain/a"})
	at := func(name string) string { return filepath.Join(root, name) }
	for _, tt := range []struct {
		name  string
		place subtree.Place // under names below root
		says  string        // part of the caution
		led   []string
	}{
		{name: "a file is read", place: subtree.Place{Real: "one/.npmrc", Copied: true}},
		{name: "a tree is copied", place: subtree.Place{Real: "plain", Tree: true, Copied: true}},
		{name: "a protected name", place: subtree.Place{Real: "one", Tree: true, Copied: true}, says: "one/.npmrc, and"},
		{name: "deep down", place: subtree.Place{Real: "deep", Tree: true, Copied: true}, says: "trust what is in .npmrc"},
		{name: "two names", place: subtree.Place{Real: "conf", Tree: true, Copied: true}, says: "in .config/git"},
		{name: "half of two names", place: subtree.Place{Real: "git", Tree: true, Copied: true}},
		{name: "a pattern", place: subtree.Place{Real: "o*", Aliases: []string{"one"}, Glob: true, Tree: true, Copied: true}, says: "one/.npmrc"},
		{name: "a pattern for a protected link", place: subtree.Place{Real: "rc/*", Aliases: []string{"rc/.npmrc"}, Glob: true, Copied: true}, says: "rc/.npmrc"},
		{name: "a pattern for others", place: subtree.Place{Real: "p*", Aliases: []string{"plain"}, Glob: true, Tree: true, Copied: true}},
		{name: "a tree is written", place: subtree.Place{Real: "one", Write: true, Tree: true}, says: "it would write all of"},
		{name: "its level alone counts", place: subtree.Place{Real: "deep", Write: true, Tree: true}},
		{name: "a pattern is written", place: subtree.Place{Real: "o*", Aliases: []string{"one"}, Glob: true, Write: true, Tree: true}, says: "it would write all of"},
		{name: "links stay where they are", place: subtree.Place{Real: "linked", Write: true, Tree: true}},
		{name: "links are followed", place: subtree.Place{Real: "linked", Write: true, Tree: true, Copied: true}, led: []string{"plain/a"}},
		{name: "and on", place: subtree.Place{Real: "away", Write: true, Tree: true, Copied: true}, led: []string{"linked", "plain/a"}},
		{name: "nothing is there", place: subtree.Place{Real: "no", Write: true, Tree: true, Copied: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.place
			p.Platform, p.Display, p.Real = pattern.Linux, filepath.ToSlash, at(p.Real)
			for i := range p.Aliases {
				p.Aliases[i] = at(p.Aliases[i])
			}
			caution, led := p.Inspect()
			require.Contains(t, caution, tt.says)
			require.Equal(t, tt.says == "", caution == "", caution)
			var want []string
			for _, name := range tt.led {
				want = append(want, at(name))
			}
			require.ElementsMatch(t, want, led)
		})
	}
}

// TestLookAtMuch: what is too much to look at is not taken for harmless.
func TestLookAtMuch(t *testing.T) {
	t.Parallel()
	files, links := []string{"few/a"}, map[string]string{}
	for i := range 5001 {
		files = append(files, "many/"+strconv.Itoa(i))
	}
	for i := range 101 {
		links["led/"+strconv.Itoa(i)] = "../there/" + strconv.Itoa(i)
	}
	root := grown(t, files, links)
	look := func(name string, write, copied bool) string {
		caution, _ := subtree.Place{Display: filepath.ToSlash, Real: filepath.Join(root, name), Write: write, Tree: true, Copied: copied}.Inspect()
		return caution
	}
	require.Contains(t, look("many", false, true), "nobody can tell whether")
	require.Contains(t, look("many", true, true), "nobody can tell where the links")
	require.Contains(t, look("led", true, true), "nobody can tell where the links")
	require.Empty(t, look("led", false, true))
	require.Empty(t, look("many", true, false))
	require.Empty(t, look("few", true, true))
}
