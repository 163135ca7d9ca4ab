package languageserver

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// noticed are the changes that matter. The end of writing is one for files that are written
// through memory.
const noticed = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// maxNoticed limits the directories that are watched: their number is limited for each user.
const maxNoticed = 4096

// localSystems are types of file systems that only this kernel changes.
var localSystems = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
	unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
}

// notices are those of the kernel about changes below a directory. The kernel sends a notice
// before the call that changes a file returns. The zero value has none, and neither has one
// whose directories cannot all be watched.
type notices struct {
	mu     sync.Mutex
	fd     int // 0 if the kernel sends no notices
	root   string
	top    fs.FileInfo // of root
	buffer [4096]byte
}

// open begins to take notices.
func (n *notices) open(root string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	info, err := os.Lstat(root)
	var system unix.Statfs_t
	if err != nil || unix.Statfs(root, &system) != nil || !slices.Contains(localSystems, int64(system.Type)) { //nolint:unconvert // not 64 bits everywhere
		return
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return
	}
	n.fd, n.root, n.top = fd, root, info
}

// watch adds a directory, the one with that number. The same may be added again.
func (n *notices) watch(dir string, info fs.FileInfo, number int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fd == 0 {
		return
	}
	if device(info) != device(n.top) || number > maxNoticed {
		n.shut()
		return
	}
	if _, err := unix.InotifyAddWatch(n.fd, dir, noticed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		n.shut()
	}
}

// none reports whether it is certain that there was no change since the last call.
func (n *notices) none() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fd == 0 {
		return false
	}
	info, err := os.Lstat(n.root)
	if err != nil || !os.SameFile(info, n.top) { // a directory above it was renamed
		n.shut()
		return false
	}
	for quiet := true; ; quiet = false {
		size, err := unix.Read(n.fd, n.buffer[:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			return quiet
		case err != nil && !errors.Is(err, unix.EINTR) || err == nil && size == 0:
			n.shut()
			return false
		}
	}
}

// close ends the notices.
func (n *notices) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shut()
}

// shut is close. The caller holds n.mu.
func (n *notices) shut() {
	if n.fd != 0 {
		_ = unix.Close(n.fd) // nothing was written
		n.fd = 0
	}
}

func device(info fs.FileInfo) uint64 {
	status, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(status.Dev) //nolint:unconvert // not 64 bits everywhere
}

// hasOtherNames reports whether a file can be changed by a name in another directory.
func hasOtherNames(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return !ok || status.Nlink > 1
}
