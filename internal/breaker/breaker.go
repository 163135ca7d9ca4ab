// Package breaker detects that a model makes no progress: it repeats the same call, or one
// call after another is denied.
//
// It counts calls and reads no clock, so the same calls in the same order give the same
// answers.
package breaker

import (
	"cmp"
	"hash/maphash"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

const defaultLimit = 3

// Limits are the counts at which the breaker reacts. A negative number turns a count off.
type Limits struct {
	Repeats int // messages in a row with the same calls, or rounds of two that alternate; the last needs approval, twice as many end the turn; 0 means 3
	Denials int // messages in a row with denials, of any calls, after which the turn ends; 0 means 3
}

func (l Limits) withDefaults() Limits {
	return Limits{Repeats: cmp.Or(l.Repeats, defaultLimit), Denials: cmp.Or(l.Denials, defaultLimit)}
}

// reached reports whether count has reached limit.
func reached(count, limit int) bool { return limit > 0 && count >= limit }

// An Outcome says how a call ended.
type Outcome int

// The outcomes.
const (
	NotRun    Outcome = iota // cancelled or superseded, so that there is no result to learn from; not counted
	Succeeded                // the tool returned a result
	Failed                   // the tool returned an error
	Invalid                  // a mistake of the model, such as wrong input or an unknown tool
	Denied                   // denied by a rule, a hook or the user
	Pending                  // the result comes later; counts as a repetition, and as nothing else
)

// A Breaker counts the calls of one session. The zero value has the default limits. Its
// methods may be called from any goroutine. It counts messages, in the order in which they
// end, and within a message calls in the order of the message.
//
// It remembers a fixed number of calls. Of results and of long inputs it keeps digests only.
type Breaker struct {
	mu         lock.Mutex
	limits     Limits
	exempt     map[string]bool
	repetition repetition
	denials    int // messages in a row with a denial and no success after it
	turn       int // how often NewTurn was called
	seed       maphash.Seed
	seeded     bool
}

// New returns a Breaker with limits l.
func New(l Limits) *Breaker { return &Breaker{limits: l} }

// Exempt excludes calls of a tool from the count of repeats. It is for tools that poll.
// Their denials still count.
func (b *Breaker) Exempt(tool string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exempt == nil {
		b.exempt = map[string]bool{}
	}
	b.exempt[truncateName(tool)] = true
}

// Message returns a new message, whose calls are counted together with those of earlier
// messages.
func (b *Breaker) Message() Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Message{breaker: b, turn: b.turn, sameAsLast: true, sameAsPrevious: true}
}

// NewTurn forgets all calls, because the user sent a message: calls of later messages are
// not in a row with earlier ones. Limits and exemptions stay.
func (b *Breaker) NewTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repetition, b.denials = repetition{}, 0
	b.turn++
}

// digest returns a hash of a result. Its seed is random, so that no tool can choose two
// results with the same hash.
func (b *Breaker) digest(result string) uint64 {
	if !b.seeded {
		b.seed, b.seeded = maphash.MakeSeed(), true
	}
	return maphash.String(b.seed, result)
}
