package pegboard

import (
	"maps"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// values hold the values of one session, by [Key].
type values struct {
	parent       *values // nil in the main session
	sharedWriter *values // where values that sessions share are written

	mu   lock.Mutex // guards the fields below
	held map[anyKey]any
	init map[anyKey]*lock.Mutex // held while a key's first value is made
}

// anyKey is a *Key of any type.
type anyKey interface {
	cloned(v any) (any, bool)
}

func newValues() *values {
	v := &values{}
	v.sharedWriter = v
	return v
}

// fork returns the values of a fork. It starts with clones of the values under cloned
// keys. If apart is set, shared values that the fork writes stay its own.
func (v *values) fork(apart bool) *values {
	fork := &values{parent: v, sharedWriter: v.sharedWriter, held: v.clones()}
	if apart {
		fork.sharedWriter = fork
	}
	return fork
}

// root returns the values of the main session.
func (v *values) root() *values {
	for v.parent != nil {
		v = v.parent
	}
	return v
}

func (v *values) clones() map[anyKey]any {
	v.mu.Lock()
	held := maps.Clone(v.held)
	v.mu.Unlock()
	clones := map[anyKey]any{}
	for key, value := range held { // without the lock: clone functions are the caller's code
		if c, ok := key.cloned(value); ok {
			clones[key] = c
		}
	}
	return clones
}

func (v *values) get(key anyKey) (any, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.held[key]
	return value, ok
}

func (v *values) set(key anyKey, value any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.held == nil {
		v.held = map[anyKey]any{}
	}
	v.held[key] = value
}

func (v *values) initLock(key anyKey) *lock.Mutex {
	v.mu.Lock()
	defer v.mu.Unlock()
	mu, ok := v.init[key]
	if !ok {
		mu = &lock.Mutex{}
		if v.init == nil {
			v.init = map[anyKey]*lock.Mutex{}
		}
		v.init[key] = mu
	}
	return mu
}
