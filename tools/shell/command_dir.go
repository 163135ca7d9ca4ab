package shell

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxDirName is how much is read of the file that names a directory, in bytes.
const maxDirName = 16 << 10

// updateStartDir makes the next command start where k ended, if that is inside the working
// directories. It returns what the model should know.
func (k *command) updateStartDir() string {
	f, err := realpath.Open(realpath.Resolve(k.dirFile))
	if err != nil {
		return "" // the shell became another program, or took no notice of it
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDirName))
	_ = f.Close() // it was only read
	dir, whole := strings.CutSuffix(string(data), "\n")
	if err != nil || !whole || !filepath.IsAbs(dir) || !isDir(dir) {
		return ""
	}
	s := k.session
	at, ok := nameInWorkDirs(s, dir)
	if !ok {
		startDirOf(s).set(s, k.dir, s.Dir())
		return fmt.Sprintf("The command ended in %s, which is outside the working directories; the next one starts in %s.", dir, s.Dir())
	}
	if at != k.dir {
		startDirOf(s).set(s, k.dir, at)
	}
	return ""
}
