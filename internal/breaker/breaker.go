// Package breaker notices when a model goes round in circles: the same call
// again and again, a tool that keeps failing, one denied call after another.
//
// It counts calls and knows no clock, so the same calls in the same order give
// the same answers.
package breaker

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
)

const (
	defaultLimit = 3
	// maxFailing is for how many tools errors are counted at once. A model can
	// invent names without end; the tool that failed longest ago is forgotten.
	maxFailing = 64
)

// Limits say how many in a row are too many. For each, 0 means 3 and a negative
// number turns the window off.
type Limits struct {
	Errors  int // of one tool; the next call of the tool needs a person
	Repeats int // of one call, or of two that take turns; the last needs a person, twice as many end the turn
	Denials int // of any calls; the last of them ends the turn
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Errors:  cmp.Or(l.Errors, defaultLimit),
		Repeats: cmp.Or(l.Repeats, defaultLimit),
		Denials: cmp.Or(l.Denials, defaultLimit),
	}
}

// reached reports whether count is as many as limit allows.
func reached(count, limit int) bool { return limit > 0 && count >= limit }

// An Outcome is how a call ended.
type Outcome int

// The outcomes.
const (
	NotRun    Outcome = iota // cancelled or overtaken; says nothing about the call
	Succeeded                // the tool ran and gave a result
	Failed                   // the tool ran and gave an error
	Invalid                  // the model's mistake, such as wrong input or an unknown tool: an error of the tool
	Denied                   // a rule, a hook or a person said no
)

// A Breaker holds the windows of one session. The zero value has the default
// limits and is ready for use. Its methods may be called by many goroutines at
// once; what counts as in a row is the order in which Before is called, so who
// admits the calls of one message calls it in the order of that message.
//
// It remembers a fixed number of calls and tools, and of their inputs and
// results only digests.
type Breaker struct {
	mu      sync.Mutex
	limits  Limits
	exempt  map[string]bool
	row     row
	failing []failing // the tool that failed last at the end
	denials int       // in a row, of any tool
	seed    maphash.Seed
	seeded  bool
}

// failing counts the errors of a tool since its last success.
type failing struct {
	tool   string
	errors int
}

// New returns a Breaker with limits l.
func New(l Limits) *Breaker { return &Breaker{limits: l} }

// Exempt takes calls of a tool out of the window for repeats. It is for tools
// that wait for something by asking again. Their errors and denials still count.
func (b *Breaker) Exempt(tool string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exempt == nil {
		b.exempt = map[string]bool{}
	}
	b.exempt[cutName(tool)] = true
}

// Before counts c and returns why a person should be asked before it runs, or
// "". It is called once for each call, also for one that turns out invalid.
//
// A call is the third of its kind in a row if the two before it had the same
// tool and input; any other call in between starts the count anew, except that
// two calls that take turns are noticed at the end of their third round. A call
// is not counted with earlier ones once its result has changed, see After.
func (b *Breaker) Before(c Call) (ask string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limits := b.limits.withDefaults()
	if b.exempt[c.tool] {
		b.row = row{}
	} else {
		b.row.add(c)
	}
	if errors := b.errors(c.tool); reached(errors, limits.Errors) {
		return failedText(c.tool, errors)
	}
	if reached(b.row.same, limits.Repeats) {
		return repeatedText(c.tool, b.row.same)
	}
	if rounds := b.row.rounds(); reached(rounds, limits.Repeats) {
		return alternatedText(b.row.previous.call.tool, c.tool, rounds)
	}
	return ""
}

// After records how c ended and returns why the turn should end, or "". The
// text is for the model and says what to do. Result is what the model gets to
// see of the result; when it differs from that of the last identical call, the
// two are no repeats. It is ignored unless c ran.
//
// Success ends the tool's errors in a row; success and failure end denials in a
// row. A call that was not run changes nothing.
func (b *Breaker) After(c Call, o Outcome, result string) (stop string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limits := b.limits.withDefaults()
	switch o {
	case NotRun:
		return ""
	case Succeeded:
		b.forget(c.tool)
		b.denials = 0
	case Failed:
		b.fail(c.tool)
		b.denials = 0
	case Invalid:
		b.fail(c.tool)
	case Denied:
		b.denials++
		if reached(b.denials, limits.Denials) {
			return deniedText(b.denials)
		}
	}
	if o == Succeeded || o == Failed {
		b.row.observe(c, b.digest(result))
	}
	if b.row.last.is(c) && reached(max(b.row.same, b.row.rounds()), 2*limits.Repeats) {
		return stuckText(c.tool)
	}
	return ""
}

// Allowed says that a person let c run after Before asked: errors and repeats
// of its tool are counted from nothing again.
func (b *Breaker) Allowed(c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(c.tool)
	if b.row.has(c.tool) {
		b.row = row{}
	}
}

// NewTurn forgets all calls: the user said something, so what came before is no
// longer in a row with what follows. Limits and exemptions stay.
func (b *Breaker) NewTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.row, b.failing, b.denials = row{}, nil, 0
}

func (b *Breaker) find(tool string) int {
	return slices.IndexFunc(b.failing, func(f failing) bool { return f.tool == tool })
}

func (b *Breaker) errors(tool string) int {
	if i := b.find(tool); i >= 0 {
		return b.failing[i].errors
	}
	return 0
}

func (b *Breaker) forget(tool string) {
	if i := b.find(tool); i >= 0 {
		b.failing = slices.Delete(b.failing, i, i+1)
	}
}

func (b *Breaker) fail(tool string) {
	errors := b.errors(tool) + 1
	b.forget(tool)
	if len(b.failing) == maxFailing {
		b.failing = slices.Delete(b.failing, 0, 1)
	}
	b.failing = append(b.failing, failing{tool: tool, errors: errors})
}

// digest tells results apart. Its seed is random, so no tool can choose two
// results that are taken for one.
func (b *Breaker) digest(result string) uint64 {
	if !b.seeded {
		b.seed, b.seeded = maphash.MakeSeed(), true
	}
	return maphash.String(b.seed, result)
}
