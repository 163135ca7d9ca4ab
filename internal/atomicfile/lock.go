package atomicfile

import (
	"context"
	"os"
	"sync"
)

// Lock waits until nobody else in this Store holds the file at real, which is
// absolute and resolved; it need not exist. Whoever reads a file, changes what was
// read and writes it back holds the lock all the while. Other names of the file
// (hard links, other spellings on a file system that knows no case) share its
// lock. The only error is that of ctx.
//
// A caller holds one lock at a time: a second one could be of the same file.
// Replace and Create need none, and wait for none. Calling unlock twice is no harm.
func (s *Store) Lock(ctx context.Context, real string) (unlock func(), err error) {
	return s.edits.file(ctx, real)
}

// locks are mutual exclusions by name. The zero value is ready.
type locks struct {
	mu    sync.Mutex
	named map[string]*lock
}

type lock struct {
	held  chan struct{} // full while somebody holds it
	users int           // holders and those who wait
}

// file locks a path and then, if there is a file, the file itself. The order
// keeps it from a deadlock: nobody waits for a path while holding a file.
func (l *locks) file(ctx context.Context, real string) (unlock func(), err error) {
	path := pathKey(real)
	if err := l.take(ctx, path); err != nil {
		return nil, err
	}
	for {
		id := fileKey(real)
		if id == "" {
			return sync.OnceFunc(func() { l.release(path) }), nil
		}
		if err := l.take(ctx, id); err != nil {
			l.release(path)
			return nil, err
		}
		if fileKey(real) == id {
			return sync.OnceFunc(func() { l.release(id); l.release(path) }), nil
		}
		l.release(id) // replaced under another name of it, while we waited
	}
}

// fileKey is the same for all names of a file, and "" if there is none or the
// system does not tell.
func fileKey(real string) string {
	info, err := os.Lstat(real)
	if err != nil {
		return ""
	}
	return identity(info)
}

func (l *locks) take(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.named == nil {
		l.named = map[string]*lock{}
	}
	k := l.named[key]
	if k == nil {
		k = &lock{held: make(chan struct{}, 1)}
		l.named[key] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case k.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		l.leave(key, k)
		return ctx.Err()
	}
}

func (l *locks) release(key string) {
	l.mu.Lock()
	k := l.named[key]
	l.mu.Unlock()
	<-k.held
	l.leave(key, k)
}

func (l *locks) leave(key string, k *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.named, key)
	}
}
