package pegboard

import (
	"github.com/seed49eaa51d/pegboard/internal/state"
)

// A Key names a value of type T that a host or a tool keeps in a session. Make
// one with [NewKey] and share the pointer: two keys are never the same, whatever
// their names.
//
// There are two ways to write a shared value. Set writes for the agents that somebody waits
// for; a background agent's writes stay its own, so that it cannot change what
// the conversation in front of the user sees. SetRoot always reaches the main
// session, for work that must be registered whoever starts it.
type Key[T any] struct{ of state.Key[T] }

// NewKey returns a new key. The name is for debugging.
func NewKey[T any](name string) *Key[T] { return NewClonedKey[T](name, nil) }

// NewClonedKey returns a key whose value is a session's own. A fork begins with
// what clone makes of its parent's value at that moment, if there is one, and
// neither sees what becomes of the other's. clone must be ready for a value that
// is in use.
func NewClonedKey[T any](name string, clone func(T) T) *Key[T] {
	return &Key[T]{state.Key[T]{Name: name, Clone: clone}}
}

// String returns the key's name.
func (k *Key[T]) String() string { return k.of.Name }

// Get returns the value that s sees: its own, or else the nearest parent's if
// agents share it.
func (k *Key[T]) Get(s *Session) (v T, ok bool) {
	if s == nil {
		return v, false
	}
	return k.of.Get(s.values)
}

// Set writes v for s and all that share its state: the sessions up to the main
// one, or up to the nearest background agent. Under a cloned key only s sees it.
func (k *Key[T]) Set(s *Session, v T) { k.of.Set(s.values, v) }

// SetRoot writes v for the main session. A background agent that wrote its own
// value before keeps seeing that one.
func (k *Key[T]) SetRoot(s *Session, v T) { k.of.Set(s.values.Root(), v) }

// GetOrInit returns the value that s sees, first making it with f if there is none.
// Of concurrent callers that write to one place, see Set, one makes it. f may use the session and other keys, but
// not Once of this one.
func (k *Key[T]) GetOrInit(s *Session, f func() T) T { return k.of.Once(s.values, f) }

// GetOrInitRoot is Once for the main session's value: whichever agent asks first, all of
// the conversation share what f made. Nobody should Set such a key.
func (k *Key[T]) GetOrInitRoot(s *Session, f func() T) T { return k.of.Once(s.values.Root(), f) }
