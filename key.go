package pegboard

import "sync"

// A Key names a value of type T that a host or a tool keeps in a session. Make
// one with [NewKey] and share the pointer: two keys are never the same, whatever
// their names.
//
// There are two ways to write. Set writes for the agents that somebody waits
// for; a background agent's writes stay its own, so that it cannot change what
// the conversation in front of the user sees. SetRoot always reaches the main
// session, for work that must be registered whoever starts it.
type Key[T any] struct{ name string }

// NewKey returns a new key. The name is for debugging.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name} }

// String returns the key's name.
func (k *Key[T]) String() string { return k.name }

// Get returns the value that s sees: its own, or else the nearest parent's.
func (k *Key[T]) Get(s *Session) (v T, ok bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.value(k); ok {
			held, _ := v.(T) // a nil interface holds no type and is the zero T
			return held, true
		}
	}
	return v, false
}

// Set writes v for s and all that share its state: the sessions up to the main
// one, or up to the nearest background agent.
func (k *Key[T]) Set(s *Session, v T) { s.writer().setValue(k, v) }

// SetRoot writes v for the main session. A background agent that wrote its own
// value before keeps seeing that one.
func (k *Key[T]) SetRoot(s *Session, v T) {
	for s.parent != nil {
		s = s.parent
	}
	s.setValue(k, v)
}

// Once returns the value that s sees, first making it with f if there is none.
// Of concurrent callers that write to one place, see Set, one makes it. f may use the session and other keys, but
// not Once of this one.
func (k *Key[T]) Once(s *Session, f func() T) T {
	w := s.writer()
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

// writer returns the session whose state s writes.
func (s *Session) writer() *Session {
	for s.parent != nil && !s.cfg.Role.background() {
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
