// Package resulttrim decides which results of a conversation go out whole, and
// remembers it, so that what was sent once is sent again with the same bytes and
// a provider's prompt cache stays good.
//
// It knows no provider, no files and no texts: it sees the results in the order
// of the history and says what becomes of each. Nothing in it reads a clock or
// throws dice, so the same history gives the same decisions.
//
// Two rules replace results. The budget of a message replaces the largest results
// of a turn that is too large, before the turn is sent the first time. Masking
// replaces old results, many at once.
//
// # Starting again
//
// An agent that is resumed has its decisions from a State that was written as
// JSON, or it makes them again: a fresh State that is shown the whole history
// under the same limits decides what was decided turn by turn. That needs the
// history as it grew. After a compaction or a rewind, or when limits were changed
// on the way, only the State itself knows what was sent.
package resulttrim

import "math"

// Limits say how much goes out. Sizes are in characters (Unicode code points).
// They are best left alone during a conversation: new ones undo no decision, but
// those for masking apply to old turns too, and that costs the provider's cache.
type Limits struct {
	Message int // the results of one turn together; 0 or less means no limit
	Keep    int // the newest results that masking spares; 0 or less means no masking
	Batch   int // masking waits until so many characters go at once; 0 means it never waits
	Least   int // results of so many or fewer are never worth replacing
}

// A Result is one result of the history, in its original size even if something
// else stands in for it by now.
type Result struct {
	ID    string // of the call; best unique in the conversation
	Turn  int    // neighbours with the same number are one turn; only that they differ counts
	Size  int    // characters; below 0 counts as 0, above 2^31-1 as 2^31-1
	Fixed bool   // must not be replaced; what was replaced before it was Fixed stays so
}

func (r Result) size() int64 { return int64(min(max(r.Size, 0), math.MaxInt32)) }

// A Fate is what becomes of a result.
type Fate int

// The fates. Decide gives no other.
const (
	undecided Fate = iota
	Whole          // goes out as it is
	Replaced       // its turn had too much to say
	Masked         // it is old
)

// String returns the fate in lower case, as it is written to JSON.
func (f Fate) String() string {
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

// A Key names one result of a conversation, even where ids repeat. It is good for
// the State that gave it and for copies of that. Keys can be compared.
type Key struct {
	id     string
	repeat int // how many results before it have the same id
}

// A Decision is what becomes of one result.
type Decision struct {
	Key  Key
	Fate Fate
}
