package realpath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

const (
	// maxName is the length in bytes of the longest name that a system call of Linux
	// accepts.
	maxName = 4096
	// maxLinks limits the symbolic links followed for one name. Linux stops after 40;
	// programs that resolve a name themselves may follow more.
	maxLinks = 255
)

// Resolve returns abs, which must be clean, with every symbolic link followed. The part
// that does not exist is appended unchanged; the target of a dangling link is part of
// the result. It returns abs itself if the links form a circle, which cannot be opened
// either, if abs is longer than a directory and a name in it may be (4096 bytes each),
// or if it is not an absolute path.
func Resolve(abs string) string {
	if len(abs) > 2*maxName || !filepath.IsAbs(abs) {
		return abs
	}
	w := resolver{root: rootOf(abs)}
	if !w.follow(abs) {
		return abs
	}
	return w.realPath()
}

// MayExist reports whether something has the name abs, including a dangling link. It
// returns true as well if the system does not permit the lookup. It costs less than
// [os.Lstat], since it does not ask for the type.
func MayExist(abs string) bool {
	err := checkLink(abs)
	return err == nil || !unreachable(err)
}

// checkLink returns nil if abs is a link, and otherwise the error of reading it as one.
func checkLink(abs string) error {
	var room [1]byte
	_, err := syscall.Readlink(abs, room[:])
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Readlink(abs, room[:])
	}
	return err
}

// readlink returns the target of the link abs. Most names are no links, and a short read
// that fails costs less than os.Readlink.
func readlink(abs string) (to string, err error) {
	if runtime.GOOS != "windows" { // there os.Readlink knows more than one kind of link
		if err := checkLink(abs); err != nil {
			return "", err
		}
	}
	return os.Readlink(abs)
}

// Physical returns the place where the system itself would find name, taken from dir: a
// ".." after a link is the parent of the link's target, not of the link. The part that
// does not exist is appended unchanged; in it, ".." removes the name before it. A name
// that no system call accepts, because it is longer than 4096 bytes or has a circle of
// links in it, is only made absolute and clean.
func Physical(dir, home, name string) string {
	if home != "" && (name == "~" || strings.HasPrefix(name, "~/")) {
		name = home + name[1:]
	}
	long := len(name) > maxName // without dir, since a program in dir uses the name alone
	if !filepath.IsAbs(name) {
		name = dir + string(filepath.Separator) + name
	}
	w := resolver{root: rootOf(name)}
	if long || !w.follow(name) {
		return filepath.Clean(name)
	}
	return w.realPath()
}

// A resolver follows a path name by name, as the system does. It looks up each name
// once, and none below a name that does not exist.
type resolver struct {
	root    string
	names   []string // names from the root, without links
	missing int      // number of names at the end that do not exist
	links   int      // number of links followed
}

// follow follows a path. It reports false if there are too many links on it. The ".." of
// a link's target is applied after the links before it were followed, so a path with a
// link in it is never cleaned.
func (w *resolver) follow(path string) bool {
	for _, seg := range segments(path) {
		if seg == ".." {
			w.up()
			continue
		}
		w.names = append(w.names, seg)
		if w.missing > 0 {
			w.missing++
			continue
		}
		to, err := readlink(w.path())
		if err != nil {
			if unreachable(err) {
				w.missing = 1
			}
			continue
		}
		if w.links++; w.links > maxLinks {
			return false
		}
		w.up()
		if filepath.IsAbs(to) {
			w.root, w.names = rootOf(to), nil
		}
		if !w.follow(to) {
			return false
		}
	}
	return true
}

func (w *resolver) up() {
	if len(w.names) > 0 {
		w.names = w.names[:len(w.names)-1]
		w.missing = max(w.missing-1, 0)
	}
}

// path returns the path followed so far.
func (w *resolver) path() string { return w.root + strings.Join(w.names, string(filepath.Separator)) }

// realPath is path with the part that exists in the system's own spelling, where names
// have several.
func (w *resolver) realPath() string {
	if runtime.GOOS != "windows" {
		return w.path()
	}
	there := resolver{root: w.root, names: w.names[:len(w.names)-w.missing]}
	real, err := filepath.EvalSymlinks(there.path())
	if err != nil {
		return w.path()
	}
	return filepath.Join(append([]string{real}, w.names[len(there.names):]...)...)
}

// unreachable reports whether an error about a name holds for all names below it.
func unreachable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// rootOf returns the root of an absolute path.
func rootOf(abs string) string { return filepath.VolumeName(abs) + string(filepath.Separator) }

// segments returns the names in a path, without empty ones and dots.
func segments(path string) []string {
	return slices.DeleteFunc(
		strings.FieldsFunc(path[len(filepath.VolumeName(path)):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }),
		func(seg string) bool { return seg == "." })
}

// Search calls visit with the path of everything in the directories dirs, and in those below
// for which enter returns true. Entries near to one of dirs come before deeper ones. It follows
// no links except in dirs. It ends after limit files and directories, and skips directories
// that cannot be read.
func Search(dirs []string, limit int, enter func(dir string) bool, visit func(path string, mode fs.FileMode)) {
	t := tree{budget: limit, visit: func(path string, mode fs.FileMode) bool { visit(path, mode); return true }}
	seen := map[string]bool{}
	for queue := append([]string(nil), dirs...); len(queue) > 0 && t.budget >= 0; queue = queue[1:] {
		dir := queue[0]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		below, _ := t.list(dir)
		for _, d := range below {
			if !seen[d] && enter(d) {
				queue = append(queue, d)
			}
		}
	}
}
