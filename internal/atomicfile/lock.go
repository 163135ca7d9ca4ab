package atomicfile

import (
	"context"
	"os"
	"slices"
	"sync"
)

// Lock locks the file at real, which is absolute and resolved, within this Store; the
// file need not exist. A caller that reads a file, changes the content and writes it
// back holds the lock all the while. Other names of the file (hard links, other
// spellings on a case-insensitive file system) share its lock. The only error is that of
// ctx.
//
// A caller must hold one lock at a time, since a second one could be of the same file; see
// LockAll for several files.
// Replace and Create neither need nor take this lock. unlock may be called twice.
func (s *Store) Lock(ctx context.Context, real string) (unlock func(), err error) {
	return s.edits.lockFile(ctx, real)
}

// LockAll is Lock for several files at once, of which some may be the same.
func (s *Store) LockAll(ctx context.Context, reals []string) (unlock func(), err error) {
	return s.edits.lockFiles(ctx, reals)
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

// lockFile locks a path and then, if there is a file, the file itself.
func (l *locks) lockFile(ctx context.Context, real string) (unlock func(), err error) {
	return l.lockFiles(ctx, []string{real})
}

// lockFiles locks paths and then the files that are there. The fixed order prevents
// deadlocks: no goroutine waits for a path while it holds a file, nor for a key that comes
// before one of the same kind that it holds.
func (l *locks) lockFiles(ctx context.Context, reals []string) (unlock func(), err error) {
	paths := keysOf(reals, pathKey)
	if err := l.acquireAll(ctx, paths); err != nil {
		return nil, err
	}
	for {
		ids := keysOf(reals, fileKey)
		if err := l.acquireAll(ctx, ids); err != nil {
			l.releaseAll(paths)
			return nil, err
		}
		if slices.Equal(keysOf(reals, fileKey), ids) {
			return sync.OnceFunc(func() { l.releaseAll(ids); l.releaseAll(paths) }), nil
		}
		l.releaseAll(ids) // a file was replaced through another name meanwhile
	}
}

// keysOf returns the keys of files, each once and in order.
func keysOf(reals []string, key func(real string) string) []string {
	var keys []string
	for _, real := range reals {
		if k := key(real); k != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// acquireAll locks keys in their order, or none.
func (l *locks) acquireAll(ctx context.Context, keys []string) error {
	for i, key := range keys {
		if err := l.acquire(ctx, key); err != nil {
			l.releaseAll(keys[:i])
			return err
		}
	}
	return nil
}

func (l *locks) releaseAll(keys []string) {
	for _, key := range keys {
		l.release(key)
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
