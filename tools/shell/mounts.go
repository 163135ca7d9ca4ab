package shell

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// A view says how a command sees a place.
type view int

const (
	seen    view = iota // reads the place
	written             // reads and writes the place
	emptied             // sees an empty directory, which it may write, or a directory of the session
	hidden              // sees nothing
	shown               // reads a file that would be hidden or in an emptied directory
)

// mounts are the places that a command sees in another way than the rest of the file system.
type mounts struct {
	all  []mount
	temp string // takes the place of tempDir; may be empty
}

// A mount is one such place, with all that is in it.
type mount struct {
	path string
	view view
}

func (m *mounts) add(v view, paths ...string) {
	for _, path := range paths {
		m.all = append(m.all, mount{path, v})
	}
}

// args returns the arguments of bwrap for the mounts. One that lies deeper than another
// counts where both do, and of several at one place the last.
func (m *mounts) args() (args []string) {
	root := seen
	var sorted []mount
	for i, at := range m.all {
		switch {
		case at.path == "/":
			root = at.view
		case !slices.ContainsFunc(m.all[i+1:], func(later mount) bool { return later.path == at.path && later.view != shown }):
			sorted = append(sorted, at)
		}
	}
	slices.SortStableFunc(sorted, func(a, b mount) int {
		return cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/"))
	})
	bind := "--ro-bind"
	if root == written {
		bind = "--bind"
	}
	args = append(args, bind, "/", "/", "--dev", "/dev", "--proc", "/proc")
	var done []mount
	var sealed []string
	for _, at := range sorted {
		if !m.needed(at, done) {
			continue
		}
		done = append(done, at)
		args = append(args, m.one(at)...)
		if at.view == hidden && isRealDir(at.path) {
			sealed = append(sealed, "--remount-ro", at.path)
		}
	}
	return append(args, sealed...)
}

// one returns the arguments for one mount.
func (m *mounts) one(at mount) []string {
	switch {
	case at.view == written:
		return []string{"--bind", at.path, at.path}
	case at.view == emptied && at.path == tempDir && m.temp != "":
		return []string{"--bind", m.temp, at.path}
	case at.view == emptied, at.view == hidden && isRealDir(at.path):
		return []string{"--tmpfs", at.path}
	case at.view == hidden:
		return []string{"--ro-bind", os.DevNull, at.path}
	}
	return []string{"--ro-bind", at.path, at.path}
}

// needed reports whether a place still needs a mount to be seen as it should be. In an emptied
// directory only files are shown, since a directory may hold the sockets of other programs.
//
// A mount can be neither removed nor replaced. So a place that can be written as part of a
// directory gets no mount, unless it holds something kept or hidden, which would be moved out of
// the way with it.
func (m *mounts) needed(at mount, done []mount) bool {
	nearest := mount{view: seen}
	for _, other := range done { // the deepest come last
		if isBelow(at.path, other.path) {
			nearest = other
		}
	}
	switch at.view {
	case written:
		holds := func(other mount) bool {
			return (other.view == seen || other.view == hidden) && other.path != at.path && isBelow(other.path, at.path)
		}
		return nearest.view != written || slices.ContainsFunc(m.all, holds)
	case shown:
		return nearest.view == hidden || nearest.view == emptied && at.path != nearest.path && isRegular(at.path)
	}
	return true
}

// tempDir is the directory for temporary files of most programs.
const tempDir = "/tmp"

// socketDirs are directories in which programs of the system and the user listen on
// sockets, such as those of containers and of the user's services, which could run a
// command outside of the sandbox.
var socketDirs = []string{"/run", "/var/run", "/var/tmp"}

// resolverFile says how names of hosts are looked up. It is often a link into /run.
const resolverFile = "/etc/resolv.conf"

// systemDir holds the programs of some systems, although it lies in /run.
const systemDir = "/run/current-system"

// onlyDirs returns those paths that are directories and no links.
func onlyDirs(paths ...string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isRealDir(path) })
}
