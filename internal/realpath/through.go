package realpath

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxHops is how many links LeadsThrough follows, as Linux does.
const maxHops = 40

// LeadsThrough reports whether a name, which is absolute and clean, lies in one of the roots,
// or if a link on its way does: who can change what is there decides where the name leads.
// It returns true as well if there are too many links.
func LeadsThrough(name string, roots []string) bool {
	for range maxHops {
		if slices.ContainsFunc(roots, func(root string) bool { return Contains(root, name) }) {
			return true
		}
		link, rest, ok := firstLink(name)
		if !ok {
			return false
		}
		to, err := os.Readlink(link)
		if err != nil {
			return true
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(link), to)
		}
		name = filepath.Join(to, rest)
	}
	return true
}

// firstLink returns the first part of a name that is a link, and what follows it. What comes
// before it holds no link, so that .. in the target of the link can be taken away from it.
func firstLink(name string) (link, rest string, ok bool) {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != filepath.Separator {
			continue
		}
		if info, err := os.Lstat(name[:i]); err != nil {
			return "", "", false
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return name[:i], name[i:], true
		}
	}
	return "", "", false
}
