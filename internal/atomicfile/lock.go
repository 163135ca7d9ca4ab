package atomicfile

import (
	"context"
	"os"
	"sync"
)

// Lock locks the file at real, which is absolute and resolved, within this Store; the
// file need not exist. A caller that reads a file, changes the content and writes it
// back holds the lock all the while. Other names of the file (hard links, other
// spellings on a case-insensitive file system) share its lock. The only error is that of
// ctx.
//
// A caller must hold one lock at a time, since a second one could be of the same file.
// Replace and Create neither need nor take this lock. unlock may be called twice.
func (s *Store) Lock(ctx context.Context, real string) (unlock func(), err error) {
	return s.edits.lockFile(ctx, real)
}

// locks are mutexes by name. The zero value is ready.
type locks struct {
	mu    sync.Mutex
	named map[string]*lock
}

type lock struct {
	token chan struct{} // full while the lock is held
	users int           // goroutines that hold it or wait for it
}

// lockFile locks a path and then, if there is a file, the file itself. The fixed order
// prevents deadlocks: no goroutine waits for a path while it holds a file.
func (l *locks) lockFile(ctx context.Context, real string) (unlock func(), err error) {
	path := pathKey(real)
	if err := l.acquire(ctx, path); err != nil {
		return nil, err
	}
	for {
		id := fileKey(real)
		if id == "" {
			return sync.OnceFunc(func() { l.release(path) }), nil
		}
		if err := l.acquire(ctx, id); err != nil {
			l.release(path)
			return nil, err
		}
		if fileKey(real) == id {
			return sync.OnceFunc(func() { l.release(id); l.release(path) }), nil
		}
		l.release(id) // the file was replaced through another name meanwhile
	}
}

// fileKey returns a key that all names of a file share, or "" if there is no file or the
// system has no such key.
func fileKey(real string) string {
	info, err := os.Lstat(real)
	if err != nil {
		return ""
	}
	return identity(info)
}

func (l *locks) acquire(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.named == nil {
		l.named = map[string]*lock{}
	}
	k := l.named[key]
	if k == nil {
		k = &lock{token: make(chan struct{}, 1)}
		l.named[key] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case k.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		l.drop(key, k)
		return ctx.Err()
	}
}

func (l *locks) release(key string) {
	l.mu.Lock()
	k := l.named[key]
	l.mu.Unlock()
	<-k.token
	l.drop(key, k)
}

func (l *locks) drop(key string, k *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.named, key)
	}
}
