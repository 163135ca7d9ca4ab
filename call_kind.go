package pegboard

import "fmt"

// CallKind says what sort of work a call does, for a user interface: which symbol stands
// beside it, and which calls fold together. Nothing is decided by it.
type CallKind uint8

// The kinds of call.
const (
	KindOther  CallKind = iota
	KindSearch          // looks for something
	KindRead            // shows something that is known by its name
	KindList            // lists what there is
	KindEdit            // changes a file or a document
	KindRun             // runs a program, or directs one that runs
	KindFetch           // gets something from another machine
	KindThink           // notes a plan or a thought, and touches nothing else
)

// callKinds are the words for the kinds: its name, what a call of it is called, and what
// it does while it runs.
var callKinds = [...]struct{ name, one, many, while string }{
	{"other", "call", "calls", "Running"},
	{"search", "search", "searches", "Searching"},
	{"read", "read", "reads", "Reading"},
	{"list", "listing", "listings", "Listing"},
	{"edit", "edit", "edits", "Editing"},
	{"run", "command", "commands", "Running"},
	{"fetch", "fetch", "fetches", "Fetching"},
	{"think", "thought", "thoughts", "Thinking of"},
}

// known returns k, or KindOther if k is none of the constants.
func (k CallKind) known() CallKind {
	if int(k) >= len(callKinds) {
		return KindOther
	}
	return k
}

// String returns the kind in lower case.
func (k CallKind) String() string {
	if k.known() != k {
		return "invalid"
	}
	return callKinds[k].name
}

// MarshalText returns the result of String.
func (k CallKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText returns for a kind that exists.
func (k *CallKind) UnmarshalText(text []byte) error {
	for i := range callKinds {
		if callKinds[i].name == string(text) {
			*k = CallKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind of call %q", text)
}

// Folding says whether neighbouring calls may be shown as one line.
type Folding uint8

// The ways of folding.
const (
	FoldByKind Folding = iota // if the call searches, reads or lists
	FoldAlways
	FoldNever
)

// String returns the way of folding in lower case.
func (f Folding) String() string { return nameOf(int(f), "by kind", "always", "never") }

// folds reports whether a call of this kind folds.
func (f Folding) folds(k CallKind) bool {
	return f == FoldAlways || f == FoldByKind && (k == KindSearch || k == KindRead || k == KindList)
}
