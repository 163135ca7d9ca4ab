package pegboard

import (
	"context"
	"maps"
	"sync"
)

// A Key names a value of type T that a host or a tool keeps in a session. Make
// one with [NewKey] and share the pointer: two keys are never the same, whatever
// their names.
//
// There are two ways to write a shared value. Set writes for the agents that somebody waits
// for; a background agent's writes stay its own, so that it cannot change what
// the conversation in front of the user sees. SetRoot always reaches the main
// session, for work that must be registered whoever starts it.
type Key[T any] struct {
	name  string
	clone func(T) T // nil if agents share the value
}

// NewKey returns a new key. The name is for debugging.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name: name} }

// NewClonedKey returns a key whose value is a session's own. A fork begins with
// what clone makes of its parent's value at that moment, if there is one, and
// neither sees what becomes of the other's. clone must be ready for a value that
// is in use.
func NewClonedKey[T any](name string, clone func(T) T) *Key[T] {
	return &Key[T]{name: name, clone: clone}
}

// String returns the key's name.
func (k *Key[T]) String() string { return k.name }

// Get returns the value that s sees: its own, or else the nearest parent's if
// agents share it.
func (k *Key[T]) Get(s *Session) (v T, ok bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.value(k); ok {
			held, _ := v.(T) // a nil interface holds no type and is the zero T
			return held, true
		}
		if k.clone != nil {
			break
		}
	}
	return v, false
}

// Set writes v for s and all that share its state: the sessions up to the main
// one, or up to the nearest background agent. Under a cloned key only s sees it.
func (k *Key[T]) Set(s *Session, v T) { k.writer(s).setValue(k, v) }

// SetRoot writes v for the main session. A background agent that wrote its own
// value before keeps seeing that one.
func (k *Key[T]) SetRoot(s *Session, v T) { s.main().setValue(k, v) }

// Once returns the value that s sees, first making it with f if there is none.
// Of concurrent callers that write to one place, see Set, one makes it. f may use the session and other keys, but
// not Once of this one.
func (k *Key[T]) Once(s *Session, f func() T) T {
	w := k.writer(s)
	lock := w.onceLock(k)
	lock.Lock()
	defer lock.Unlock()
	if v, ok := k.Get(s); ok {
		return v
	}
	v := f()
	w.setValue(k, v)
	return v
}

// OnceRoot is Once for the main session's value: whichever agent asks first, all of
// the conversation share what f made. Nobody should Set such a key.
func (k *Key[T]) OnceRoot(s *Session, f func() T) T { return k.Once(s.main(), f) }

// writer returns the session whose state s writes.
func (k *Key[T]) writer(s *Session) *Session {
	for k.clone == nil && s.parent != nil && !s.cfg.Role.background() {
		s = s.parent
	}
	return s
}

// onceLock returns the lock under which the value of key is made.
func (s *Session) onceLock(key any) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock, ok := s.making[key]
	if !ok {
		lock = &sync.Mutex{}
		if s.making == nil {
			s.making = map[any]*sync.Mutex{}
		}
		s.making[key] = lock
	}
	return lock
}

// cloned returns what a fork begins with of the value v.
func (k *Key[T]) cloned(v any) (any, bool) {
	if k.clone == nil {
		return nil, false
	}
	held, _ := v.(T)
	return k.clone(held), true
}

// stateForFork returns the state that a fork of s begins with.
func (s *Session) stateForFork() map[any]any {
	s.mu.Lock()
	held := maps.Clone(s.state)
	s.mu.Unlock()
	state := map[any]any{}
	for key, v := range held { // without the lock: clone is somebody else's code
		if k, ok := key.(interface{ cloned(any) (any, bool) }); ok {
			if v, ok := k.cloned(v); ok {
				state[key] = v
			}
		}
	}
	return state
}

func (s *Session) value(key any) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.state[key]
	return v, ok
}

func (s *Session) setValue(key, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == nil {
		s.state = map[any]any{}
	}
	s.state[key] = v
}

// main returns the session that s was forked from in the end, or s.
func (s *Session) main() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

type sessionKey struct{}

// WithSession returns a context that carries s, as the one a tool gets does.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session that ctx carries.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok && s != nil
}
