package history

import (
	"cmp"
	"slices"
)

// Mend returns the conversation as it can be sent, and what had to be done for
// that, in the order of the messages given. The messages given are not changed.
//
// Then each call has one result, in the message of the user right after its own.
// Results are the first blocks there, in the order of the calls. The call that
// counts for an id is the first of the model's, and the result that counts is the
// first one, wherever it stands. Other content stays in order; only a Lead that
// would end a message because what followed it is dropped goes, too.
//
// A turn of the model may have been recorded as several messages. If calls before
// the last of them have their results after it, they become one message again.
//
// The same messages always give the same turns, and a conversation in order comes
// back unchanged; one that was mended is in order.
func Mend(messages []Message) ([]Turn, []Repair) {
	m := mender{messages: messages, calls: map[string]Ref{}, results: map[string]Ref{}}
	m.matchCalls()
	m.matchResults()
	turns := m.compare(m.answer(m.join(m.keep())))
	slices.SortStableFunc(m.repairs, func(a, b Repair) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Kind, b.Kind))
	})
	return turns, m.repairs
}

type mender struct {
	messages []Message
	calls    map[string]Ref // the one that counts for an id
	results  map[string]Ref
	repairs  []Repair
}

func (m *mender) report(kind RepairKind, id string, message int) {
	m.repairs = append(m.repairs, Repair{Kind: kind, CallID: id, Message: message})
}

func (m *mender) role(t Turn) Role {
	if t.Message == New {
		return User
	}
	return m.messages[t.Message].Role
}

func (m *mender) block(r Ref) Block { return m.messages[r.Message].Blocks[r.Block] }

// each calls f with every block of a kind.
func (m *mender) each(kind Kind, f func(r Ref, id string)) {
	for i, message := range m.messages {
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

func (m *mender) matchCalls() {
	m.each(Call, func(r Ref, id string) {
		_, known := m.calls[id]
		switch {
		case id == "" || m.messages[r.Message].Role != Model:
			m.report(StrayCall, id, r.Message)
		case known:
			m.report(DuplicateCall, id, r.Message)
		default:
			m.calls[id] = r
		}
	})
}

func (m *mender) matchResults() {
	m.each(Result, func(r Ref, id string) {
		_, called := m.calls[id]
		_, known := m.results[id]
		switch {
		case !called:
			m.report(StrayResult, id, r.Message)
		case known:
			m.report(DuplicateResult, id, r.Message)
		default:
			m.results[id] = r
		}
	})
}

// keep returns the messages without results, and without the calls that do not
// count.
//
// What that empties of the model is gone; a message of the user gets results yet.
func (m *mender) keep() []Turn {
	var turns []Turn
	for i, message := range m.messages {
		t := Turn{Message: i}
		if message.Role == Other {
			turns = append(turns, t)
			continue
		}
		for j, b := range message.Blocks {
			r := Ref{Message: i, Block: j}
			if call, ok := m.calls[b.ID]; b.Kind != Result && (b.Kind != Call || ok && call == r) {
				t.Blocks = append(t.Blocks, r)
			}
		}
		lost := message.Role == Model && len(t.Blocks) < len(message.Blocks)
		for lost && len(t.Blocks) > 0 && m.block(t.Blocks[len(t.Blocks)-1]).Kind == Lead {
			t.Blocks = t.Blocks[:len(t.Blocks)-1]
		}
		if lost && len(t.Blocks) == 0 {
			m.report(EmptyMessage, "", i)
			continue
		}
		turns = append(turns, t)
	}
	return turns
}

// join makes one message of those that hold the calls of one turn.
func (m *mender) join(turns []Turn) []Turn {
	var out []Turn
	for len(turns) > 0 {
		run := m.span(turns, true)
		after := m.span(turns[len(run):], false)
		turns = turns[len(run)+len(after):]
		out = append(append(out, m.joinRun(run, after)...), after...)
	}
	return out
}

// span returns the first turns as long as all of them are the model's, or none is.
func (m *mender) span(turns []Turn, model bool) []Turn {
	end := slices.IndexFunc(turns, func(t Turn) bool { return (m.role(t) == Model) != model })
	if end < 0 {
		return turns
	}
	return turns[:end]
}

// joinRun joins the first message that has a result after the run with the rest
// of the run.
func (m *mender) joinRun(run, after []Turn) []Turn {
	first := slices.IndexFunc(run, func(t Turn) bool { return m.answeredIn(t, after) })
	if first < 0 {
		return run
	}
	whole := Turn{Message: run[first].Message}
	for i, t := range run[first:] {
		whole.Blocks = append(whole.Blocks, t.Blocks...)
		if i > 0 {
			m.report(SplitMessage, "", t.Message)
		}
	}
	return append(run[:first:first], whole)
}

func (m *mender) answeredIn(t Turn, turns []Turn) bool {
	return len(turns) > 0 && slices.ContainsFunc(t.Blocks, func(r Ref) bool {
		b := m.block(r)
		result, ok := m.results[b.ID]
		return b.Kind == Call && ok && result.Message >= turns[0].Message && result.Message <= turns[len(turns)-1].Message
	})
}

// answer puts the results where they belong.
func (m *mender) answer(turns []Turn) []Turn {
	var out []Turn
	var results []Ref // that the next turn begins with
	for _, t := range turns {
		if len(results) > 0 && m.role(t) == User {
			t.Blocks = append(results, t.Blocks...)
		} else if len(results) > 0 {
			out = append(out, Turn{Message: New, Changed: true, Blocks: results})
		}
		out = append(out, t)
		results = m.resultsOf(t)
	}
	if len(results) > 0 {
		out = append(out, Turn{Message: New, Changed: true, Blocks: results})
	}
	return out
}

// resultsOf returns one result for each call of t.
func (m *mender) resultsOf(t Turn) []Ref {
	var results []Ref
	for _, r := range t.Blocks {
		b := m.block(r)
		if b.Kind != Call || r.Missing {
			continue
		}
		result, ok := m.results[b.ID]
		if !ok {
			m.report(MissingResult, b.ID, r.Message)
			result = Ref{Message: r.Message, Block: r.Block, Missing: true}
		}
		results = append(results, result)
	}
	return results
}

// compare finds out which turns are not what they were.
func (m *mender) compare(turns []Turn) []Turn {
	var out []Turn
	for _, t := range turns {
		m.reportMisplaced(t)
		if t.Message != New && m.role(t) != Other {
			before := len(m.messages[t.Message].Blocks)
			if before > 0 && len(t.Blocks) == 0 {
				m.report(EmptyMessage, "", t.Message)
				continue
			}
			t.Changed = len(t.Blocks) != before
			for i, r := range t.Blocks {
				t.Changed = t.Changed || r != Ref{Message: t.Message, Block: i}
			}
		}
		out = append(out, t)
	}
	return out
}

// reportMisplaced reports the results in t that were in another message, or
// elsewhere in the same.
func (m *mender) reportMisplaced(t Turn) {
	var own []Ref
	for _, r := range t.Blocks {
		switch {
		case r.Missing:
		case r.Message == t.Message:
			own = append(own, r)
		case m.block(r).Kind == Result:
			m.report(MisplacedResult, m.block(r).ID, r.Message)
		}
	}
	before := slices.Clone(own)
	slices.SortFunc(before, func(a, b Ref) int { return cmp.Compare(a.Block, b.Block) })
	for i, r := range own {
		if b := m.block(r); b.Kind == Result && r != before[i] {
			m.report(MisplacedResult, b.ID, r.Message)
		}
	}
}
