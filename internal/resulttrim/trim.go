// Package resulttrim decides which results of a conversation are sent in full, and
// remembers its decisions, so that a result that was sent once is sent again with the
// same bytes and a provider's prompt cache stays valid.
//
// It knows no provider, files or texts: it gets the results in the order of the history
// and returns a decision for each. It reads no clock and uses no randomness, so the same
// history gives the same decisions.
//
// Two rules replace results. The limit of a turn replaces the largest results of a turn
// that is too large, before the turn is sent the first time. Masking replaces old
// results, many at once.
//
// # Resuming
//
// A resumed agent reads its decisions from a State that was written as JSON, or makes
// them again: a fresh State that gets the whole history under the same limits repeats
// the decisions that were made turn by turn. That needs the history as it grew. After a
// compaction or a rewind, or after limits have changed, only the State itself knows
// which results were sent in full.
package resulttrim

import "math"

// Limits are the sizes that decide, in characters (Unicode code points). They should not
// change during a conversation: new limits undo no decision, but those for masking apply
// to old turns too, which invalidates the provider's cache.
type Limits struct {
	PerMessage int // maximum of the results of one turn together; 0 or less means no limit
	KeepRecent int // size of the newest results that are not masked; 0 or less means no masking
	MaskStep   int // masking waits until it can mask this much at once; 0 means it never waits
	MinSize    int // results of this size or less are not replaced
}

// A Result is one result of the history. Its size is the original one, even if it is
// replaced by now.
type Result struct {
	ID    string // id of the call, preferably unique in the conversation
	Turn  int    // adjacent results with the same number belong to one turn
	Size  int    // in characters; below 0 counts as 0, above 2^31-1 as 2^31-1
	Fixed bool   // must not be replaced from now on; an earlier replacement stays
}

func (r Result) size() int64 { return int64(min(max(r.Size, 0), math.MaxInt32)) }

// A Form says in which form a result is sent.
type Form int

// The forms that Decide returns.
const (
	undecided Form = iota
	Whole          // in full
	Replaced       // replaced because its turn was too large
	Masked         // replaced because it is old
)

// String returns the form in lower case, as it is written to JSON.
func (f Form) String() string {
	switch f {
	case Whole:
		return "whole"
	case Replaced:
		return "replaced"
	case Masked:
		return "masked"
	}
	return "undecided"
}

// A Key identifies one result of a conversation, even if ids repeat. It is valid for the
// State that returned it and for clones of that. Keys can be compared.
type Key struct {
	id     string
	repeat int // number of earlier results with the same id
}

// A Decision says in which form one result is sent.
type Decision struct {
	Key  Key
	Form Form
}
