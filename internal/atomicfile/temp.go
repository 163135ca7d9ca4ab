package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// The suffixes of temporary files, as the package comment lists them.
const (
	newContent = ".tmp"
	oldContent = ".bak"
)

// maxNamePart keeps the whole name within 143 bytes, the lowest limit of file systems in
// use.
const maxNamePart = 100

// A temp is a temporary file beside the target.
type temp struct {
	dir  *os.Root
	name string
	file *os.File
}

// newTemp creates an empty file for target in dir. The process's umask applies to perm.
func newTemp(dir *os.Root, target, kind string, perm fs.FileMode) (*temp, error) {
	t := &temp{dir: dir, name: tempName(target, kind)}
	f, err := dir.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	t.file = f
	return t, nil
}

func tempName(target, kind string) string {
	if len(target) > maxNamePart {
		cut := maxNamePart
		for cut > maxNamePart-utf8.UTFMax && !utf8.RuneStart(target[cut]) {
			cut--
		}
		target = target[:cut]
	}
	return "." + target + ".pegboard-" + rand.Text() + kind
}

func (t *temp) path() string { return filepath.Join(t.dir.Name(), t.name) }

// discard closes the file, and removes it if it was not renamed.
func (t *temp) discard() {
	_ = t.file.Close()
	_ = t.dir.Remove(t.name) // the name is random, so no other file has it
}
