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

// Limits are the counts at which the breaker reacts. For each, 0 means 3 and a negative
// number turns the window off.
type Limits struct {
	Errors  int // errors of one tool in a row after which its next call needs the user's approval
	Repeats int // repeats of one call, or rounds of two calls that alternate; the last needs approval, twice as many end the turn
	Denials int // denials in a row, of any calls, after which the turn ends
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Errors:  cmp.Or(l.Errors, defaultLimit),
		Repeats: cmp.Or(l.Repeats, defaultLimit),
		Denials: cmp.Or(l.Denials, defaultLimit),
	}
}

// reached reports whether count has reached limit.
func reached(count, limit int) bool { return limit > 0 && count >= limit }

// An Outcome says how a call ended.
type Outcome int

// The outcomes.
const (
	NotRun    Outcome = iota // cancelled or superseded; not counted
	Succeeded                // the tool returned a result
	Failed                   // the tool returned an error
	Invalid                  // a mistake of the model, such as wrong input or an unknown tool; counts as an error of the tool
	Denied                   // denied by a rule, a hook or the user
)

// A Breaker counts the calls of one session. The zero value has the default limits. Its
// methods may be called from any goroutine. The order of the calls of Before defines
// which calls are in a row, so it is called in the order of the message's calls.
//
// It remembers a fixed number of calls and tools. Of results and of long inputs it keeps
// digests only.
type Breaker struct {
	mu         lock.Mutex
	limits     Limits
	exempt     map[string]bool
	repetition repetition
	failing    []toolErrors // the tool that failed last comes last
	denials    int          // in a row, of any tool
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

// Before counts c and returns the reason why the user should be asked before it runs,
// or "". It is called once for each call, including invalid ones.
//
// A call is the third of its kind in a row if the two before it had the same tool and
// input. Any other call in between restarts the count, except that two calls that
// alternate are detected at the end of their third round. A call is not counted
// together with earlier ones if its result has changed, see After.
func (b *Breaker) Before(c Call) (ask string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limits := b.limits.withDefaults()
	if b.exempt[c.tool] {
		b.repetition = repetition{}
	} else {
		b.repetition.add(c)
	}
	if errors := b.errorCount(c.tool); reached(errors, limits.Errors) {
		return failedText(c.tool, errors)
	}
	if reached(b.repetition.same, limits.Repeats) {
		return repeatedText(c.tool, b.repetition.same)
	}
	if rounds := b.repetition.rounds(); reached(rounds, limits.Repeats) {
		return alternatedText(b.repetition.previous.call.tool, c.tool, rounds)
	}
	return ""
}

// After records how c ended and returns the reason why the turn should end, or "". The
// text is for the model and tells it how to go on. result is the part of the result that
// the model gets; if it differs from that of the last identical call, the two calls are
// no repeats. It is ignored unless c ran.
//
// A success ends the tool's errors in a row. A success or failure ends the denials in a
// row. NotRun changes nothing.
func (b *Breaker) After(c Call, o Outcome, result string) (stop string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limits := b.limits.withDefaults()
	switch o {
	case NotRun:
		return ""
	case Succeeded:
		b.resetErrors(c.tool)
		b.denials = 0
	case Failed:
		b.addError(c.tool)
		b.denials = 0
	case Invalid:
		b.addError(c.tool)
	case Denied:
		b.denials++
		if reached(b.denials, limits.Denials) {
			return deniedText(b.denials)
		}
	}
	if o == Succeeded || o == Failed {
		b.repetition.setResult(c, b.digest(result))
	}
	if b.repetition.last.matches(c) && reached(max(b.repetition.same, b.repetition.rounds()), 2*limits.Repeats) {
		return stuckText(c.tool)
	}
	return ""
}

// Allowed records that the user allowed c after Before asked. It resets the errors and
// repeats of the tool.
func (b *Breaker) Allowed(c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.resetErrors(c.tool)
	if b.repetition.includes(c.tool) {
		b.repetition = repetition{}
	}
}

// NewTurn forgets all calls, because the user sent a message: later calls are not in a
// row with earlier ones. Limits and exemptions stay.
func (b *Breaker) NewTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repetition, b.failing, b.denials = repetition{}, nil, 0
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
