package settings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// maxWait is how long a save waits for another one in the same directory.
const maxWait = 10 * time.Second

// lockDir acquires the advisory lock of a directory, so that there is no lock file to
// remove. Where directories cannot be locked, as on Windows, it does nothing: the caller
// compares before it writes, so only saves that end in the same moment can lose one.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	const pause = time.Millisecond
	for deadline := time.Now().Add(maxWait); time.Now().Before(deadline); {
		f, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		locked, err := filelock.TryLock(f)
		if (locked || err != nil) && isAt(f, dir) {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
		select {
		case <-time.After(pause/4 + rand.N(pause)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
}

// isAt reports whether f is still the directory at dir.
func isAt(f *os.File, dir string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(dir)
	return err == nil && os.SameFile(opened, now)
}
