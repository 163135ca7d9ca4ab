package pegboard

import "time"

// Traits describe one call. The zero value is the cautious one: the call runs alone, and
// writes something unknown.
type Traits struct {
	Targets     []Target    // none means one target of the kind TargetOpaque, unless ReadOnly
	Concurrency Concurrency // zero: Exclusive
	ReadOnly    bool        // changes nothing; without targets it is asked about where deny or ask rules speak of paths, hosts or commands
	Destructive bool        // cannot be undone; a call that is ReadOnly, too, counts as one that writes
	OpenWorld   bool        // reaches beyond this machine
	Idempotent  bool        // twice has the effect of once; needed only for [RetryPolicy], and only if not ReadOnly

	// Own says that the call changes nothing but what belongs to the conversation: its lists,
	// its agents, their messages. In plan mode, an Allow of the tool itself then counts if no
	// target is a path, a command, a host or opaque; a call without targets has an opaque one.
	// Such a tool names what it changes, as with a target of the kind TargetResource. It has
	// no effect on attached tools.
	Own bool

	// Kind and Folding are for a user interface; nothing is decided by them.
	Kind    CallKind // zero: KindOther
	Folding Folding  // zero: as Kind says

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout

	// Sandboxed says that the call runs in a sandbox, which keeps it to the working
	// directories and to what its targets say, and from the files of deny and ask rules.
	// It then needs no permission if it is not OpenWorld and no target lies outside of the
	// working directories. An ask rule for the whole tool is not about it, except in plan
	// mode. What else is denied or asked about stays so. It has no effect on attached
	// tools.
	Sandboxed bool
}

// cautious returns t without ReadOnly if it is Destructive, too.
func (t Traits) cautious() Traits {
	t.ReadOnly = t.ReadOnly && !t.Destructive
	return t
}

func (t Traits) isZero() bool {
	return len(t.Targets) == 0 && t.Concurrency == Exclusive && !t.ReadOnly && !t.Destructive && !t.OpenWorld && !t.Sandboxed && !t.Own && !t.Idempotent && t.Timeout == 0 &&
		t.Kind == KindOther && t.Folding == FoldByKind
}

// Concurrency says which calls may run at the same time as this one.
type Concurrency int

// The classes of concurrency.
const (
	Exclusive Concurrency = iota // no other call
	PerTarget                    // calls that touch nothing that this one writes, and write nothing that it touches
	Shared                       // any call that is not exclusive; targets count as under PerTarget
)

// String returns the class in lower case.
func (c Concurrency) String() string { return nameOf(int(c), "exclusive", "by target", "shared") }
