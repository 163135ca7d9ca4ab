package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrJournal says that a [Journal] could not be read or written. The call that needed it has not run,
// and its outcome wraps [ErrSuspended], too.
var ErrJournal = errors.New("journal not available")

// A Journal keeps the steps of the calls of a session that suspends, so that a later process
// neither repeats nor forgets one. [FileJournal] is one. A database needs one table with a
// unique index over Session, Turn, Place, State and Attempt.
//
// Its methods may be called concurrently, by any number of processes.
type Journal interface {
	// Append adds an entry. When it returns nil, the entry outlives a loss of power. If there
	// is an entry with the same Session, Turn, Place, State and Attempt, it adds nothing and
	// returns an error that wraps [ErrDuplicate]: of two processes, one goes on.
	Append(ctx context.Context, e JournalEntry) error
	// Entries returns the entries of a turn of a session, in the order in which they were
	// added. It returns none for a turn that it does not know.
	Entries(ctx context.Context, session, turn string) ([]JournalEntry, error)
}

// A JournalEntry is one step of a call. The library makes and signs it; a Journal keeps it
// unchanged. An entry that was changed makes [Executor.Resume] fail with [ErrAltered].
type JournalEntry struct {
	Session string          `json:"session"` // see SessionConfig.ID
	Turn    string          `json:"turn"`    // see WithTurn
	Place   int             `json:"place"`   // of the call in its message, from 0 on
	CallID  string          `json:"call,omitempty"`
	Tool    string          `json:"tool"` // the name that the model wrote
	State   JournalState    `json:"state"`
	Attempt int             `json:"attempt,omitempty"` // more than before if a step is repeated after a crash
	Time    time.Time       `json:"time"`
	Data    json.RawMessage `json:"data"` // for the library; of a finished call it holds the result
	// Signature is of all other fields.
	Signature string `json:"signature"`
}

// A JournalState is how far a call has come.
type JournalState string

// The states of a call, in their order. A call that is not allowed has no JournalStarted. One
// that was suspended has JournalProposed only.
const (
	JournalProposed JournalState = "proposed" // the call was admitted
	JournalDecided  JournalState = "decided"  // it was allowed or denied
	JournalStarted  JournalState = "started"  // its tool is called next
	JournalFinished JournalState = "finished" // it has its outcome
)

// signed returns the content that the signature of an entry covers.
func (e *JournalEntry) signed() []any {
	return []any{e.Session, e.Turn, e.Place, e.CallID, e.Tool, string(e.State), e.Attempt, e.Time.UTC().Format(time.RFC3339Nano), digestOf(e.Data)}
}

// sameStep reports whether two entries are of the same step of a call.
func (e *JournalEntry) sameStep(o *JournalEntry) bool {
	return e.Session == o.Session && e.Turn == o.Turn && e.Place == o.Place && e.State == o.State && e.Attempt == o.Attempt
}
