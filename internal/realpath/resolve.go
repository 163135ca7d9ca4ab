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
	// maxName is the length in bytes above which no system call of Linux takes a
	// name: nothing can be found under a longer one.
	maxName = 4096
	// maxLinks is how many symbolic links are followed for one name. Linux stops
	// after 40, programs that resolve a name themselves go further.
	maxLinks = 255
)

// Resolve returns abs, which is clean, with every symbolic link on its way
// followed; what does not exist is appended as it stands. A link that leads
// nowhere is followed to the place it names. In a circle of links the answer is
// abs itself, which cannot be opened either. It is abs as well if that is longer
// than a directory and a name in it may be, 4096 bytes each, or no absolute path.
func Resolve(abs string) string {
	if len(abs) > 2*maxName || !filepath.IsAbs(abs) {
		return abs
	}
	w := walk{root: start(abs)}
	if !w.follow(abs) {
		return abs
	}
	return w.place()
}

// MayExist reports whether something has the name abs, if only a link that leads
// nowhere. It is true as well if nobody may look. It costs less than [os.Lstat],
// since it does not ask what is there.
func MayExist(abs string) bool {
	err := glance(abs)
	return err == nil || !unreachable(err)
}

// glance returns nil if abs is a link.
func glance(abs string) error {
	var room [1]byte
	_, err := syscall.Readlink(abs, room[:])
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Readlink(abs, room[:])
	}
	return err
}

// readlink returns where the link abs leads. Most names are none, which costs less to
// learn than where one leads.
func readlink(abs string) (to string, err error) {
	if runtime.GOOS != "windows" { // where more than one kind of thing is a link
		if err := glance(abs); err != nil {
			return "", err
		}
	}
	return os.Readlink(abs)
}

// Physical returns where the system itself would find name, taken from dir: a
// ".." is the parent of where the link before it leads, not of the link. What
// does not exist is appended as it stands; there ".." takes back the name before
// it. A name that no system finds is only made absolute and clean: one that is
// longer than 4096 bytes, or has a circle of links in it.
func Physical(dir, home, name string) string {
	if home != "" && (name == "~" || strings.HasPrefix(name, "~/")) {
		name = home + name[1:]
	}
	long := len(name) > maxName // before dir is added: a program in dir uses the name alone
	if !filepath.IsAbs(name) {
		name = dir + string(filepath.Separator) + name
	}
	w := walk{root: start(name)}
	if long || !w.follow(name) {
		return filepath.Clean(name)
	}
	return w.place()
}

// A walk is on its way through the file system, name by name, as the system goes.
// Each name is looked at once, and none below one that does not exist.
type walk struct {
	root  string
	names []string // the way from the root, without links
	gone  int      // how many of the last names do not exist
	links int      // how many were followed
}

// follow goes along a path. It reports false if there are too many links on it.
// The ".." of a link's target is taken from where the links before it lead, so no
// path with a link in it is ever cleaned.
func (w *walk) follow(path string) bool {
	for _, seg := range segments(path) {
		if seg == ".." {
			w.up()
			continue
		}
		w.names = append(w.names, seg)
		if w.gone > 0 {
			w.gone++
			continue
		}
		to, err := readlink(w.at())
		if err != nil {
			if unreachable(err) {
				w.gone = 1
			}
			continue
		}
		if w.links++; w.links > maxLinks {
			return false
		}
		w.up()
		if filepath.IsAbs(to) {
			w.root, w.names = start(to), nil
		}
		if !w.follow(to) {
			return false
		}
	}
	return true
}

func (w *walk) up() {
	if len(w.names) > 0 {
		w.names = w.names[:len(w.names)-1]
		w.gone = max(w.gone-1, 0)
	}
}

// at is where the walk is.
func (w *walk) at() string { return w.root + strings.Join(w.names, string(filepath.Separator)) }

// place is where the walk is, with the part that exists in the system's own
// spelling, where one place has several.
func (w *walk) place() string {
	if runtime.GOOS != "windows" {
		return w.at()
	}
	there := walk{root: w.root, names: w.names[:len(w.names)-w.gone]}
	real, err := filepath.EvalSymlinks(there.at())
	if err != nil {
		return w.at()
	}
	return filepath.Join(append([]string{real}, w.names[len(there.names):]...)...)
}

// unreachable reports whether an error about a name holds for all below it.
func unreachable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// start returns the root that an absolute path begins with.
func start(abs string) string { return filepath.VolumeName(abs) + string(filepath.Separator) }

// segments returns the names that a path is made of, without empty ones and dots.
func segments(path string) []string {
	return slices.DeleteFunc(
		strings.FieldsFunc(path[len(filepath.VolumeName(path)):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }),
		func(seg string) bool { return seg == "." })
}
