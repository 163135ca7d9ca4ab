package pegboard

import (
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// dirListeners are the funcs of OnSetDir. The zero value is ready to use.
type dirListeners struct {
	mu   lock.Mutex
	list []dirListener // in the order of their first OnSetDir; never written to
}

type dirListener struct {
	name  string
	moved func(from, to string)
}

// set adds or replaces a func. A nil func removes it.
func (l *dirListeners) set(name string, f func(from, to string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list) // tell may be reading the old ones
	at := slices.IndexFunc(list, func(d dirListener) bool { return d.name == name })
	switch {
	case f == nil && at >= 0:
		list = slices.Delete(list, at, at+1)
	case f == nil:
	case at >= 0:
		list[at].moved = f
	default:
		list = append(list, dirListener{name, f})
	}
	l.list = list
}

// tell calls the funcs. It holds no lock meanwhile.
func (l *dirListeners) tell(from, to string) {
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, d := range list {
		d.moved(from, to)
	}
}
