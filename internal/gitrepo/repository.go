package gitrepo

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Limits of the size of a file, in bytes.
const (
	maxConfig = 1 << 20
	maxSmall  = 64 << 10 // HEAD, .git, commondir
)

// A repository consists of its folders.
type repository struct {
	folder string // has HEAD and the index
	shared string // has the configuration; the same as folder, except in linked worktrees
	tree   string // has the checked-out files; empty in a bare repository
}

// configuration reads the configuration files that git may read.
func configuration(shared, folder string) ([]setting, error) {
	return settingsOf([]string{
		filepath.Join(shared, "config"),
		filepath.Join(shared, "config.worktree"),
		filepath.Join(folder, "config.worktree"),
	})
}

// hashSize returns the size of an object name in bytes.
func hashSize(entries []setting) int {
	for _, e := range entries {
		if e.key == "extensions.objectformat" && strings.EqualFold(e.value, "sha256") {
			return 32
		}
	}
	return 20
}

// refuseHooks returns an error if there is a hook that reading commands run. Git runs
// post-index-change after it has refreshed the index; Microsoft's git runs the other two
// around every command.
func refuseHooks(dir string) error {
	for _, name := range []string{"post-index-change", "pre-command", "post-command"} {
		for _, suffix := range []string{"", ".exe"} {
			if hook := filepath.Join(dir, name+suffix); exists(hook) {
				return fmt.Errorf("the hook %s may run", hook)
			}
		}
	}
	return nil
}

// read returns the text of a regular file of up to limit bytes.
func read(name string, limit int64) (string, error) {
	f, err := open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > limit {
		return "", fmt.Errorf("%s is larger than %d bytes, too large to look at", name, limit)
	}
	return string(data), nil
}

// open opens a regular file and follows links.
func open(name string) (*os.File, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	f, err := realpath.Open(realpath.Resolve(name))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return f, nil
}
