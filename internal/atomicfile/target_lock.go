package atomicfile

import (
	"context"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// maxLockWait is how long a replacement waits for another holder of the file's advisory
// lock. Another program may hold it for its own purposes, and for as long as it runs.
const maxLockWait = 2 * time.Second

// lockTarget acquires the lock of f, the file that is about to be replaced, so that other
// Stores of this process and others wait. After maxLockWait, or where files cannot be
// locked, it returns without the lock. The lock ends when f is closed. The only error is
// that of ctx.
func lockTarget(ctx context.Context, f *os.File) error {
	if err := filelock.Lock(ctx, f, maxLockWait); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}
