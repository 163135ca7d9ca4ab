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
// or passes through a link that does. A change in a root can then change where the name leads. A
// root is recognised under another name, too, as one in other letter case or behind a mount. It
// returns true as well if there are too many links, or if one cannot be read.
func LeadsThrough(name string, roots []string) bool {
	var same []fs.FileInfo
	for _, root := range roots {
		if info, err := os.Lstat(root); err == nil {
			same = append(same, info)
		}
	}
	for range maxHops {
		if slices.ContainsFunc(roots, func(root string) bool { return Contains(root, name) }) {
			return true
		}
		link, rest, through := firstLink(name, same)
		if through || link == "" {
			return through
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

// firstLink returns the name up to its first link, and the rest of it. No directory above the
// link is a link, so that .. in the target of the link can be resolved by name. Through says
// that a part of the name before any link is one of roots.
func firstLink(name string, roots []fs.FileInfo) (link, rest string, through bool) {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != filepath.Separator {
			continue
		}
		info, err := os.Lstat(name[:i])
		switch {
		case err != nil:
			return "", "", false
		case info.Mode()&fs.ModeSymlink != 0:
			return name[:i], name[i:], false
		case !HasLinks(info) && slices.ContainsFunc(roots, func(root fs.FileInfo) bool { return os.SameFile(info, root) }):
			return "", "", true
		}
	}
	return "", "", false
}
