package state

// A Key names a value of type T. Its address is what counts: two keys are never
// the same. It must not be changed or copied once it is in use.
type Key[T any] struct {
	Name  string    // for debugging
	Clone func(T) T // makes a fork's own value; nil if scopes share the value
}

// cloner is a key, a pointer, of any type.
type cloner interface {
	// cloned returns what a fork begins with of the value v.
	cloned(v any) (any, bool)
}

func (k *Key[T]) cloned(v any) (any, bool) {
	if k.Clone == nil {
		return nil, false
	}
	held, _ := v.(T)
	return k.Clone(held), true
}

// Get returns the value that s sees: its own, or else the nearest parent's if
// scopes share it. A nil scope sees nothing.
func (k *Key[T]) Get(s *Scope) (v T, ok bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.value(k); ok {
			held, _ := v.(T) // a nil interface holds no type and is the zero T
			return held, true
		}
		if k.Clone != nil {
			break
		}
	}
	return v, false
}

// Set writes v where s writes values of this key: to itself if they are cloned.
func (k *Key[T]) Set(s *Scope, v T) { k.writer(s).setValue(k, v) }

// Once returns the value that s sees, first making it with f and writing it as Set
// does if there is none. Of concurrent callers that write to one place, one makes
// it. f may use other keys, and Get and Set of this one, but not Once.
func (k *Key[T]) Once(s *Scope, f func() T) T {
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

func (k *Key[T]) writer(s *Scope) *Scope {
	if k.Clone != nil {
		return s
	}
	return s.writer
}
