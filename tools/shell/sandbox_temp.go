package shell

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A sandboxTemp is the directory for temporary files of the commands that a session runs in
// a sandbox.
type sandboxTemp struct {
	make sync.Once
	dir  string
	err  error
}

// sandboxTemps holds the sandboxTemp of each session. The commands of a fork do not see the
// files of its parent's.
var sandboxTemps = pegboard.NewClonedKey("temporary files in the sandbox", func(*sandboxTemp) *sandboxTemp { return &sandboxTemp{} })

// sandboxTempOf returns the directory of a session, which it makes first.
func sandboxTempOf(s *pegboard.Session) (string, error) {
	t := sandboxTemps.GetOrInit(s, func() *sandboxTemp { return &sandboxTemp{} })
	t.make.Do(func() {
		dir, err := os.MkdirTemp("", "pegboard-sandbox-") // 0700
		if err != nil {
			t.err = fmt.Errorf("a directory for temporary files: %w", err)
			return
		}
		t.dir = realpath.Resolve(dir)
		s.OnClose("temporary files in the sandbox", t.remove)
	})
	return t.dir, t.err
}

// maxRemoveTries is how often the directory is removed while commands that are being ended
// write to it. A command cannot write to it once it is removed.
const maxRemoveTries = 10

func (t *sandboxTemp) remove(context.Context) error {
	err := os.RemoveAll(t.dir)
	for tries := 1; err != nil && tries < maxRemoveTries; tries++ {
		makeRemovable(t.dir)
		err = os.RemoveAll(t.dir)
	}
	return err
}

// makeRemovable lets the user remove what is in directories that a command has closed.
func makeRemovable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && err == nil {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is a directory, about to be removed
		}
		return nil
	})
}
