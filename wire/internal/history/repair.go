package history

import (
	"cmp"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire"
)

// Repair returns the conversation as it can be sent, and the repairs, in the order of
// the messages given. The messages given are not changed.
//
// In the repaired conversation each call has one result, in the message of the user
// right after its own. Results are the first blocks there, in the order of the calls. Of
// several calls with one ID the model's first counts, and of several results the first,
// wherever it stands. Other content stays in order; only a Lead that would end a message
// because the blocks after it are dropped is dropped, too.
//
// A turn of the model may have been recorded as several messages. If calls before the
// last of these messages have their results after it, they become one message again.
//
// If the last turn of the model that makes calls is suspended, those of its calls that have no
// result stay so.
//
// The same messages always give the same turns. A conversation in order is returned
// unchanged, and one that was repaired is in order.
func Repair(messages []Message, suspended bool) ([]Turn, []wire.Repair) {
	r := repairer{messages: messages, calls: map[string]Ref{}, results: map[string]Ref{}}
	r.matchCalls()
	r.matchResults()
	turns := r.joinSplit(r.dropUnmatched())
	if suspended {
		r.findSuspended(turns)
	}
	turns = r.compare(r.insertResults(turns))
	SortRepairs(r.repairs)
	return turns, r.repairs
}

// A repairer repairs one conversation.
type repairer struct {
	messages []Message
	calls    map[string]Ref // by ID, the call that counts
	results  map[string]Ref // by ID, the result that counts
	waiting  map[Ref]bool   // calls that are not answered yet
	repairs  []wire.Repair
}

func (r *repairer) report(kind wire.RepairKind, id string, message int) {
	r.repairs = append(r.repairs, wire.Repair{Kind: kind, CallID: id, Message: message})
}

func (r *repairer) role(t Turn) Role {
	if t.Message == New {
		return User
	}
	return r.messages[t.Message].Role
}

func (r *repairer) block(at Ref) Block { return r.messages[at.Message].Blocks[at.Block] }

// each calls f with every block of a kind.
func (r *repairer) each(kind Kind, f func(at Ref, id string)) {
	for i, message := range r.messages {
		if message.Role == Other {
			continue
		}
		for j, b := range message.Blocks {
			if b.Kind == kind {
				f(Ref{Message: i, Block: j}, b.ID)
			}
		}
	}
}

func (r *repairer) matchCalls() {
	r.each(Call, func(at Ref, id string) {
		_, known := r.calls[id]
		switch {
		case id == "" || r.messages[at.Message].Role != Model:
			r.report(wire.StrayCall, id, at.Message)
		case known:
			r.report(wire.DuplicateCall, id, at.Message)
		default:
			r.calls[id] = at
		}
	})
}

func (r *repairer) matchResults() {
	r.each(Result, func(at Ref, id string) {
		_, called := r.calls[id]
		_, known := r.results[id]
		switch {
		case !called:
			r.report(wire.StrayResult, id, at.Message)
		case known:
			r.report(wire.DuplicateResult, id, at.Message)
		default:
			r.results[id] = at
		}
	})
}

// dropUnmatched returns the messages without results, and without the calls that do not
// count. A message of the model that becomes empty is dropped. A message of the user
// stays: results may be added to it.
func (r *repairer) dropUnmatched() []Turn {
	var turns []Turn
	for i, message := range r.messages {
		t := Turn{Message: i}
		if message.Role == Other {
			turns = append(turns, t)
			continue
		}
		for j, b := range message.Blocks {
			at := Ref{Message: i, Block: j}
			if call, ok := r.calls[b.ID]; b.Kind != Result && (b.Kind != Call || ok && call == at) {
				t.Blocks = append(t.Blocks, at)
			}
		}
		lost := message.Role == Model && len(t.Blocks) < len(message.Blocks)
		for lost && len(t.Blocks) > 0 && r.block(t.Blocks[len(t.Blocks)-1]).Kind == Lead {
			t.Blocks = t.Blocks[:len(t.Blocks)-1]
		}
		if lost && len(t.Blocks) == 0 {
			r.report(wire.EmptyMessage, "", i)
			continue
		}
		turns = append(turns, t)
	}
	return turns
}

// joinSplit makes one message of those that hold the calls of one turn.
func (r *repairer) joinSplit(turns []Turn) []Turn {
	var out []Turn
	for len(turns) > 0 {
		run := r.span(turns, true)
		after := r.span(turns[len(run):], false)
		turns = turns[len(run)+len(after):]
		out = append(append(out, r.joinRun(run, after)...), after...)
	}
	return out
}

// span returns the leading turns that all are the model's, or that all are not.
func (r *repairer) span(turns []Turn, model bool) []Turn {
	end := slices.IndexFunc(turns, func(t Turn) bool { return (r.role(t) == Model) != model })
	if end < 0 {
		return turns
	}
	return turns[:end]
}

// joinRun joins the first message of run that has a result in after with the rest of
// run.
func (r *repairer) joinRun(run, after []Turn) []Turn {
	first := slices.IndexFunc(run, func(t Turn) bool { return r.answeredIn(t, after) })
	if first < 0 {
		return run
	}
	whole := Turn{Message: run[first].Message}
	for i, t := range run[first:] {
		whole.Blocks = append(whole.Blocks, t.Blocks...)
		if i > 0 {
			r.report(wire.SplitMessage, "", t.Message)
		}
	}
	return append(run[:first:first], whole)
}

// answeredIn reports whether a call of t has its result in turns.
func (r *repairer) answeredIn(t Turn, turns []Turn) bool {
	return len(turns) > 0 && slices.ContainsFunc(t.Blocks, func(at Ref) bool {
		b := r.block(at)
		result, ok := r.results[b.ID]
		return b.Kind == Call && ok && result.Message >= turns[0].Message && result.Message <= turns[len(turns)-1].Message
	})
}

// insertResults adds the results of each turn to the message of the user after it, or
// to a new one.
func (r *repairer) insertResults(turns []Turn) []Turn {
	var out []Turn
	var results []Ref // that the next turn begins with
	for _, t := range turns {
		if len(results) > 0 && r.role(t) == User {
			t.Blocks = append(results, t.Blocks...)
		} else if len(results) > 0 {
			out = append(out, Turn{Message: New, Changed: true, Blocks: results})
		}
		out = append(out, t)
		results = r.resultsOf(t)
	}
	if len(results) > 0 {
		out = append(out, Turn{Message: New, Changed: true, Blocks: results})
	}
	return out
}

// resultsOf returns one result for each call of t.
func (r *repairer) resultsOf(t Turn) []Ref {
	var results []Ref
	for _, at := range t.Blocks {
		b := r.block(at)
		if b.Kind != Call || at.Missing {
			continue
		}
		result, ok := r.results[b.ID]
		if r.waiting[at] {
			r.report(wire.SuspendedCall, b.ID, at.Message)
			continue
		}
		if !ok {
			r.report(wire.MissingResult, b.ID, at.Message)
			result = Ref{Message: at.Message, Block: at.Block, Missing: true}
		}
		results = append(results, result)
	}
	return results
}

// findSuspended finds the calls without a result in the last turns of the model that stand in a
// row and make calls.
func (r *repairer) findSuspended(turns []Turn) {
	r.waiting = map[Ref]bool{}
	called := false
	for _, t := range slices.Backward(turns) {
		if r.role(t) != Model {
			if called {
				return
			}
			continue
		}
		for _, at := range t.Blocks {
			b := r.block(at)
			if b.Kind != Call {
				continue
			}
			called = true
			if _, ok := r.results[b.ID]; !ok {
				r.waiting[at] = true
			}
		}
	}
}

// compare marks the turns that differ from the messages given, and drops those that
// became empty.
func (r *repairer) compare(turns []Turn) []Turn {
	var out []Turn
	for _, t := range turns {
		r.reportMisplaced(t)
		if t.Message != New && r.role(t) != Other {
			before := len(r.messages[t.Message].Blocks)
			if before > 0 && len(t.Blocks) == 0 {
				r.report(wire.EmptyMessage, "", t.Message)
				continue
			}
			t.Changed = len(t.Blocks) != before
			for i, at := range t.Blocks {
				t.Changed = t.Changed || at != Ref{Message: t.Message, Block: i}
			}
		}
		out = append(out, t)
	}
	return out
}

// reportMisplaced reports the results in t that stood in another message, or elsewhere
// in the same message.
func (r *repairer) reportMisplaced(t Turn) {
	var own []Ref
	for _, at := range t.Blocks {
		switch {
		case at.Missing:
		case at.Message == t.Message:
			own = append(own, at)
		case r.block(at).Kind == Result:
			r.report(wire.MisplacedResult, r.block(at).ID, at.Message)
		}
	}
	before := slices.Clone(own)
	slices.SortFunc(before, func(a, b Ref) int { return cmp.Compare(a.Block, b.Block) })
	for i, at := range own {
		if b := r.block(at); b.Kind == Result && at != before[i] {
			r.report(wire.MisplacedResult, b.ID, at.Message)
		}
	}
}
