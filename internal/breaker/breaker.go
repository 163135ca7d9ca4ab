// Package breaker detects that a model makes no progress: it repeats the same call, a
// tool keeps failing, or one call after another is denied.
//
// It counts calls and reads no clock, so the same calls in the same order give the same
// answers.
package breaker

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

const (
	defaultLimit = 3
	// maxFailing limits the tools whose errors are counted at once, since a model can
	// invent any number of names. The tool that failed longest ago is dropped.
	maxFailing = 64
)

// Limits are the counts at which the breaker reacts. A negative number turns a count off.
type Limits struct {
	Errors  int // messages in a row with an error of one tool after which its next call needs the user's approval; 0 means off
	Repeats int // messages in a row with the same calls, or rounds of two that alternate; the last needs approval, twice as many end the turn; 0 means 3
	Denials int // messages in a row with denials, of any calls, after which the turn ends; 0 means 3
}

func (l Limits) withDefaults() Limits {
	return Limits{Errors: l.Errors, Repeats: cmp.Or(l.Repeats, defaultLimit), Denials: cmp.Or(l.Denials, defaultLimit)}
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
	Invalid                  // a mistake of the model, such as wrong input or an unknown tool; counts as an error of the tool
	Denied                   // denied by a rule, a hook or the user
	Pending                  // the result comes later; counts as a repetition, and as nothing else
)

// A Breaker counts the calls of one session. The zero value has the default limits. Its
// methods may be called from any goroutine. It counts messages, in the order in which they
// end, and within a message calls in the order of the message.
//
// It remembers a fixed number of calls and tools. Of results and of long inputs it keeps
// digests only.
type Breaker struct {
	mu         lock.Mutex
	limits     Limits
	exempt     map[string]bool
	repetition repetition
	failing    []toolErrors // the tool that failed last comes last
	denials    int          // messages in a row with a denial and no success after it
	turn       int          // how often NewTurn was called
	seed       maphash.Seed
	seeded     bool
}

// toolErrors counts the errors of a tool since its last success.
type toolErrors struct {
	tool  string
	count int
}

// New returns a Breaker with limits l.
func New(l Limits) *Breaker { return &Breaker{limits: l} }

// Exempt excludes calls of a tool from the count of repeats. It is for tools that poll.
// Their errors and denials still count.
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
	b.repetition, b.failing, b.denials = repetition{}, nil, 0
	b.turn++
}

func (b *Breaker) indexOf(tool string) int {
	return slices.IndexFunc(b.failing, func(f toolErrors) bool { return f.tool == tool })
}

func (b *Breaker) errorCount(tool string) int {
	if i := b.indexOf(tool); i >= 0 {
		return b.failing[i].count
	}
	return 0
}

func (b *Breaker) resetErrors(tool string) {
	if i := b.indexOf(tool); i >= 0 {
		b.failing = slices.Delete(b.failing, i, i+1)
	}
}

// removeError takes back an error of a message that was abandoned.
func (b *Breaker) removeError(tool string) {
	if i := b.indexOf(tool); i >= 0 {
		if b.failing[i].count--; b.failing[i].count == 0 {
			b.resetErrors(tool)
		}
	}
}

func (b *Breaker) addError(tool string) {
	errors := b.errorCount(tool) + 1
	b.resetErrors(tool)
	if len(b.failing) == maxFailing {
		b.failing = slices.Delete(b.failing, 0, 1)
	}
	b.failing = append(b.failing, toolErrors{tool: tool, count: errors})
}

// digest returns a hash of a result. Its seed is random, so that no tool can choose two
// results with the same hash.
func (b *Breaker) digest(result string) uint64 {
	if !b.seeded {
		b.seed, b.seeded = maphash.MakeSeed(), true
	}
	return maphash.String(b.seed, result)
}
