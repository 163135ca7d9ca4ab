package settings

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard/policy"
)

// A precedence holds the keys that say which settings of other files count.
type precedence struct {
	rulesOnly, hooksOnly, serversOnly toggle
	noHooks                           toggle // disableAllHooks
	noManagedHooks                    bool   // of a managed file, so that its own are off, too
}

// A toggle is a key that is on or off, and the place that says so.
type toggle struct {
	key string
	on  bool
	at  Position
}

// String returns the key and its place, as the reason for something.
func (t toggle) String() string { return fmt.Sprintf("%s is on in %v", t.key, t.at) }

// readPrecedence reads, of all files, the keys that decide which other keys count.
func (l *loader) readPrecedence() {
	l.precedence.rulesOnly = l.managedToggle(rulesOnlyKey)
	l.precedence.hooksOnly = l.managedToggle(hooksOnlyKey)
	l.precedence.serversOnly = l.managedToggle(serversOnlyKey)
	l.readDisableHooks()
}

// managedToggle reads a key that counts in managed files only. A value that is neither true
// nor false is probably meant to be true.
func (l *loader) managedToggle(key string) (t toggle) {
	found := false
	for _, r := range l.readers {
		on, ok, wrong := r.boolean(key)
		if !ok {
			continue
		}
		v := r.member(key)
		switch fact := r.fact(FactSwitch, fmt.Sprintf("%s: %v", key, on || wrong), v); {
		case !r.managed():
			r.warnAt(v, "%s counts in managed files only", key)
			r.discount(fact, "it counts in managed files only")
		case found:
			r.discount(fact, "overridden by %v", t.at)
		default:
			if wrong {
				r.warnAt(v, "%s is neither true nor false, so true counts", key)
			}
			t, found = toggle{key: key, on: on || wrong, at: r.at(v.Start)}, true
		}
	}
	return t
}

// readDisableHooks reads disableAllHooks, which switches the hooks of managed files off only
// if it stands in such a file itself.
func (l *loader) readDisableHooks() {
	for _, r := range l.readers {
		if r.readToggle(disableHooksKey, &l.precedence.noHooks) {
			l.precedence.noManagedHooks = l.precedence.noHooks.on && r.source == policy.SourceManaged
		}
	}
}
