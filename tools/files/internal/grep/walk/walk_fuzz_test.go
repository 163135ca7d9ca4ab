package walk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// FuzzRun compares with ripgrep what a glob and an ignore file say of a few
// names.
func FuzzRun(f *testing.F) {
	f.Add("*.go", "a\n!b/", "a/b.go")
	f.Add("!{a,**/b}*/", "/**/[!a-c]\\ ", "b/ ")
	f.Add("[]-]?\\*", "#\n\\#\r\n/", "#/-a*")
	f.Add("}**", "**/**\n!**", "x/.y")
	rg := needRipgrep(f)
	f.Fuzz(func(t *testing.T, glob, rules, name string) {
		if strings.ContainsAny(name+glob, "\x00\n") || !utf8.ValidString(glob) || strings.HasSuffix(name, ".") || strings.Contains(name, "./") {
			t.Skip("no name, no argument, or one that ripgrep 13 gets wrong")
		}
		dir := tempDir(t)
		put(t, dir, ".ignore", rules)
		put(t, dir, "a/b/c.go", "")
		if tryPut(dir, "x/"+name, "") != nil {
			t.Skip("no name of a file")
		}
		compare(t, rg, dir, walk.Options{})
		compare(t, rg, dir, walk.Options{Globs: []string{glob}})
		compare(t, rg, dir, walk.Options{Globs: []string{"*", glob}})
	})
}
