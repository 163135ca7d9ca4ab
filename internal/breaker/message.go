package breaker

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Message is the calls of one message of the model. The model has not read the result of
// any of them when it makes the others, so none repeats another, and several denials in it
// count once.
//
// Make one with [Breaker.Message]. Its methods may be called from any goroutine. Add is
// called in the order of the calls.
type Message struct {
	breaker *Breaker
	turn    int     // of the breaker when the message was made
	calls   []entry // in order
	first   [1]entry
	next    int  // the first call whose outcome was not counted
	allowed bool // the user allowed a call that the breaker had asked about

	// How the calls so far continue a repetition.
	sameAsLast, sameAsPrevious bool

	denied bool // a denial was counted since the last success
}

// An entry is one call of a message.
type entry struct {
	counted
	repeats int // how often in a row the call, or the round that it belongs to, was made
	ended   bool
	outcome Outcome
}

// A Stop says that the turn should end after a call.
type Stop struct {
	Place int    // the number that Add returned
	Text  string // for the model: why, and how to go on
}

// Add adds a call and returns its place, and the reason why the user should be asked
// before it runs, or "". Invalid calls are added, too.
//
// A call is the third of its kind in a row if the two messages before had the same calls
// as this one has so far, with the same results. Two messages that alternate are detected
// at the end of their third round.
func (m *Message) Add(c Call) (place int, ask string) {
	b := m.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.calls == nil {
		m.calls = m.first[:0]
	}
	r, limits := &b.repetition, b.limits.withDefaults()
	exempt := b.exempt[c.tool] || m.turn != b.turn
	m.sameAsLast = m.sameAsLast && !exempt && r.last.find(c) != nil
	m.sameAsPrevious = m.sameAsPrevious && !exempt && r.same == 1 && r.previous.find(c) != nil
	same, rounds := 1, 0
	if m.sameAsLast {
		same += r.same
	}
	if m.sameAsPrevious {
		rounds = r.rounds()
	}
	m.calls = append(m.calls, entry{counted: counted{call: c}, repeats: max(same, rounds)})
	place = len(m.calls) - 1
	switch {
	case exempt:
	case reached(same, limits.Repeats):
		ask = repeatedText(c.tool, same)
	case reached(rounds, limits.Repeats):
		ask = alternatedText(r.last.calls[0].call.tool, c.tool, rounds)
	}
	return place, ask
}

// Allowed records that the user allowed a call after Add asked: the message begins no
// repetition.
func (m *Message) Allowed(place int) {
	b := m.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	m.allowed, m.calls[place].repeats = true, 0
}

// End records how a call ended. Outcomes are counted in the order of the calls, so it
// returns the stops of this call and of those after it that had ended before. result is
// the part of the result that the model gets; it is ignored unless the call ran.
//
// A success or failure ends the denials in a row. NotRun changes nothing: later calls do not
// repeat the call.
func (m *Message) End(place int, o Outcome, result string) (stops []Stop) {
	b := m.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &m.calls[place]
	e.ended, e.outcome = true, o
	if o == Succeeded || o == Failed {
		e.result, e.hasResult = b.digest(result), true
	}
	for ; m.next < len(m.calls) && m.calls[m.next].ended; m.next++ {
		if text := m.count(&m.calls[m.next]); text != "" {
			stops = append(stops, Stop{m.next, text})
		}
	}
	return stops
}

// count counts the outcome of the next call and returns why the turn should end, or "".
// The caller holds the breaker's mu.
func (m *Message) count(e *entry) (stop string) {
	b := m.breaker
	if m.turn != b.turn || e.outcome == NotRun || e.outcome == Pending {
		return ""
	}
	limits := b.limits.withDefaults()
	switch e.outcome {
	case Succeeded, Failed:
		b.denials, m.denied = 0, false
	case Denied:
		if !m.denied {
			m.denied = true
			if b.denials++; reached(b.denials, limits.Denials) {
				return deniedText(b.denials)
			}
		}
	}
	if reached(e.repeats, 2*limits.Repeats) && !b.repetition.changed(e.counted) {
		return stuckText(e.call.tool)
	}
	return ""
}

// Close says that the message has ended and the model reads its results: later messages
// may repeat it. It is called once, after End of every call.
func (m *Message) Close() {
	b := m.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.turn != b.turn {
		return
	}
	var r round
	for _, e := range m.calls {
		counts := e.outcome != NotRun
		if m.allowed || counts && b.exempt[e.call.tool] {
			b.repetition = repetition{}
			return
		}
		if counts {
			r.add(e.counted)
		}
	}
	if len(r.calls) > 0 || r.tooLarge {
		b.repetition.add(r)
	}
}

// Abandon is called instead of Close if the model reads none of the results. It takes back
// what was counted; a row that the message has ended stays ended.
func (m *Message) Abandon() {
	b := m.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.turn != b.turn {
		return
	}
	if m.denied && b.denials > 0 {
		b.denials--
	}
}

// The texts for the user say why there is a question. Those for the model also say what
// to do.

func inARow(times int) string {
	if times == 1 {
		return "1 time in a row"
	}
	return fmt.Sprintf("%d times in a row", times)
}

func repeatedText(tool string, times int) string {
	return fmt.Sprintf("%s is called %s with the same input", strictjson.Quote(tool), inARow(times))
}

func alternatedText(first, second string, rounds int) string {
	return fmt.Sprintf("%s and %s take turns %s with the same inputs",
		strictjson.Quote(first), strictjson.Quote(second), inARow(rounds))
}

func deniedText(times int) string {
	return fmt.Sprintf("Calls were denied %s, so the turn ends here. Do not reach the same by other means; "+
		"tell the user what you wanted to do and why, and wait for an answer.", inARow(times))
}

func stuckText(tool string) string {
	return strictjson.Quote(tool) + " is called again and again with the same input, so the turn ends here. " +
		"Tell the user what you are looking for and what you found, and wait for an answer."
}
