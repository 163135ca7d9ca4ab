package pegboard

// A Key names a value of type T that a host or a tool keeps in a session. Make it with
// [NewKey] and share the pointer: two keys are never equal, whatever their names.
//
// A shared value can be written in two ways. Set writes for the agents that the user
// waits for; a background agent's value stays its own, so that it cannot change the
// conversation that the user sees. SetRoot always writes the main session's value.
//
// All methods may be called concurrently. The functions that a caller passes run while
// no lock is held that reading or writing a value needs.
type Key[T any] struct {
	name  string
	clone func(T) T // nil if sessions share the value
}

// NewKey returns a new key. The name is for debugging.
func NewKey[T any](name string) *Key[T] { return NewClonedKey[T](name, nil) }

// NewClonedKey returns a key under which every session has a value of its own. A fork
// starts with clone of its parent's value at that moment, if there is one; later changes
// of either are not seen by the other. Clone may be called while the value is in use.
func NewClonedKey[T any](name string, clone func(T) T) *Key[T] {
	return &Key[T]{name: name, clone: clone}
}

// String returns the key's name.
func (k *Key[T]) String() string { return k.name }

// Get returns the value that s sees: its own, or else, if sessions share the value, the
// nearest parent's. A nil session has no value.
func (k *Key[T]) Get(s *Session) (v T, ok bool) {
	if s == nil {
		return v, false
	}
	return k.get(s.values)
}

// Set writes v for s and all sessions that share its values: those up to the main
// session, or up to the nearest background agent. Under a cloned key only s sees v.
func (k *Key[T]) Set(s *Session, v T) {
	s.mustExist("Key.Set")
	k.writer(s.values).set(k, v)
}

// SetRoot writes v for the main session. A background agent that has written a value of
// its own keeps seeing that one.
func (k *Key[T]) SetRoot(s *Session, v T) {
	s.mustExist("Key.SetRoot")
	k.writer(s.values.root()).set(k, v)
}

// GetOrInit returns the value that s sees. If there is none, it writes the result of f
// as Set does and returns it. Of concurrent calls that write to the same session, see
// Set, one calls f. F may use the session and other keys, but not GetOrInit of k.
func (k *Key[T]) GetOrInit(s *Session, f func() T) T {
	s.mustExist("Key.GetOrInit")
	return k.getOrInit(s.values, f)
}

// GetOrInitRoot is GetOrInit for the main session's value: all agents of the
// conversation share the result of f. Do not use Set with such a key.
func (k *Key[T]) GetOrInitRoot(s *Session, f func() T) T {
	s.mustExist("Key.GetOrInitRoot")
	return k.getOrInit(s.values.root(), f)
}

func (k *Key[T]) get(in *values) (v T, ok bool) {
	for ; in != nil; in = in.parent {
		if v, ok := in.get(k); ok {
			held, _ := v.(T) // a nil interface value is the zero T
			return held, true
		}
		if k.clone != nil {
			break
		}
	}
	return v, false
}

func (k *Key[T]) getOrInit(in *values, f func() T) T {
	writer := k.writer(in)
	lock := writer.initLock(k)
	lock.Lock()
	defer lock.Unlock()
	if v, ok := k.get(in); ok {
		return v
	}
	v := f()
	writer.set(k, v)
	return v
}

// writer returns the values that Set writes to.
func (k *Key[T]) writer(in *values) *values {
	if k.clone != nil {
		return in
	}
	return in.sharedWriter
}

// cloned returns a fork's first value, made from its parent's value v.
func (k *Key[T]) cloned(v any) (any, bool) {
	if k.clone == nil {
		return nil, false
	}
	held, _ := v.(T)
	return k.clone(held), true
}
