package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// instructionsName is the name of the files that [Files.LoadInstructions] reads.
const instructionsName = "AGENTS.md"

// maxInstructions is the size of a file of instructions up to which it is read. Our choice: files
// of this kind are a page or two.
const maxInstructions = 256 << 10

// Instructions are the text of a file AGENTS.md.
type Instructions struct {
	Path string // absolute
	Text string // without bytes that are no UTF-8
	// Trusted says that the user trusts the project, see [Files].Trusted: the text of another
	// author may want anything.
	Trusted bool
}

// LoadInstructions returns the files AGENTS.md of the project, from its directory down to the
// session's, so that the last is the nearest, which counts where two differ. Nothing uses them by
// itself: the host decides what becomes part of its prompt.
//
// Files that are missing are left out. The error joins those of files that cannot be read, that
// have more than 256 KiB, or that are links to outside of the project's directory; the others are
// returned. When ctx has ended, its error is the only one.
func (f Files) LoadInstructions(ctx context.Context) (all []Instructions, err error) {
	dir, home, err := f.sessionDirs()
	if err != nil {
		return nil, err
	}
	dirs := f.projectDirs(dir, home)
	if len(dirs) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(dirs[len(dirs)-1])
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	var failed []error
	for _, d := range slices.Backward(dirs) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		path := filepath.Join(d, instructionsName)
		switch text, err := readInstructions(root, d); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", path, err))
		default:
			all = append(all, Instructions{Path: path, Text: text, Trusted: f.Trusted})
		}
	}
	return all, errors.Join(failed...)
}

// readInstructions reads the file of a directory at or below that of root.
func readInstructions(root *os.Root, dir string) (string, error) {
	below, err := filepath.Rel(root.Name(), dir)
	if err != nil {
		return "", err
	}
	file, err := (&confinedTree{root, filepath.ToSlash(below)}).Open(instructionsName)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxInstructions+1))
	if err == nil && len(data) > maxInstructions {
		err = fmt.Errorf("it has more than %d bytes", maxInstructions)
	}
	return strings.ToValidUTF8(string(data), ""), err
}
