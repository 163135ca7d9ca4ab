package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/filelock"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// leaseName is the name of the file in Options.Dir that the conversation holds locked. It stays when
// the conversation ends: to remove it could remove the lock of the next one.
const leaseName = "lock"

// A lease is the right of one conversation to Options.Dir. It ends with the main session, after
// the last agent, or with the program.
type lease struct {
	file *os.File // nil if Options.Dir is empty
	err  error    // why the directory cannot be used

	ending sync.Once // registers the end of the lease with the main session

	mu   sync.RWMutex // held for reading while a file is written
	over bool
}

// leaseOf returns the lease of the conversation of s.
func (g *Agents) leaseOf(s *pegboard.Session) *lease {
	l := g.leases.GetOrInitRoot(s, func() *lease {
		l := takeLease(g.options.Dir)
		if l.err != nil {
			g.options.logger().Error("agents cannot be kept", "error", l.err)
		}
		return l
	})
	if l.file != nil {
		l.ending.Do(func() { // not in the func above, which GetOrInitRoot calls under its lock
			s.OnMainClose("directory of agents", func(ctx context.Context) error { return g.endLease(ctx, s, l) })
		})
	}
	return l
}

// takeLease takes the lease of a directory, which is made if it is missing.
func takeLease(dir string) *lease {
	if dir == "" {
		return &lease{}
	}
	file, err := lockDirectory(dir)
	return &lease{file: file, err: err}
}

// lockDirectory opens and locks the file of a directory. Where files have no locks, a second
// conversation is not noticed.
func lockDirectory(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the directory of agents: %w", err)
	}
	path := filepath.Join(dir, leaseName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its other end
		return nil, fmt.Errorf("the directory of agents: %s: %w", path, errNoFile)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the directory of agents: %w", err)
	}
	locked, err := filelock.TryLock(file)
	if err == nil && !locked {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrDirInUse, dir), file.Close())
	}
	return file, nil
}

// endLease waits until the agents of the conversation of s have ended, and ends the lease.
func (g *Agents) endLease(ctx context.Context, s *pegboard.Session, l *lease) error {
	idle := g.rosterWith(s, l).whenIdle()
	select {
	case <-idle:
		return g.free(s, l)
	case <-ctx.Done():
	}
	goroutine.Go(func() {
		<-idle
		_ = g.free(s, l) // the session is closed
	})
	return fmt.Errorf("agents are still ending: %w", context.Cause(ctx))
}

// free closes the mail of the conversation of s, and ends the lease.
func (g *Agents) free(s *pegboard.Session, l *lease) (err error) {
	if m, ok := g.mails.Get(s); ok {
		err = m.close()
	}
	return errors.Join(err, l.end())
}

// end ends the lease.
func (l *lease) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil
	}
	l.over = true
	// A process that is being started has a copy of the file for a moment. Closing alone would
	// leave the lock to it.
	_ = filelock.Unlock(l.file) // it can only fail where the system has no locks
	return l.file.Close()
}

// write calls do, which writes to the directory, unless the lease has ended.
func (l *lease) write(do func() error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.over {
		return fmt.Errorf("the directory of agents: %w", pegboard.ErrClosed)
	}
	return do()
}
