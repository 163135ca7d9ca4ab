package shell

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxDirName is the number of bytes that are read of a file that names a directory.
const maxDirName = 16 << 10

// updateStartDir makes the next command start where k ended, if that is inside the
// working directories. It returns a note for the model.
func (k *command) updateStartDir() string {
	f, err := realpath.Open(realpath.Resolve(k.dirFile))
	if err != nil {
		return "" // the shell was replaced by another program, or could not write the file
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDirName))
	_ = f.Close() // it was only read
	dir, last, whole := strings.Cut(string(data), "\n\x00")
	if err != nil || !whole || !filepath.IsAbs(dir) || !isDir(dir) {
		return ""
	}
	s := k.session
	if s.Dir() != k.call.Dir() {
		return "" // the session has moved, and commands start there
	}
	at, ok := nameInWorkDirs(k.call, dir)
	if !ok {
		startDirOf(s).set(k.call, k.dir, k.call.Dir(), "")
		return fmt.Sprintf("The command ended in %s, which is outside the working directories; the next one starts in %s.", dir, k.call.Dir())
	}
	if at != k.dir {
		last, _ = nameInWorkDirs(k.call, realpath.Resolve(last))
		startDirOf(s).set(k.call, k.dir, at, last)
	}
	return ""
}
