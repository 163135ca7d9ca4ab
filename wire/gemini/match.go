package gemini

import (
	"slices"
	"sort"
	"strconv"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A matcher matches results to calls, and gives each call a key of its own: the API knows
// a call by its id within a turn, or by its name and order.
type matcher struct {
	past  []pastContent
	keys  [][]string // one for each part
	calls []pastCall
}

// A pastCall is a call of the model.
type pastCall struct {
	function
	key      string
	run      int // calls of one turn of the model have one run
	answered bool
}

// match returns the conversation in the form of [history.Repair], and the first call or
// result of each key.
func match(past []pastContent) (view []history.Message, first map[string]function) {
	m := matcher{past: past, keys: make([][]string, len(past))}
	for i, c := range past {
		m.keys[i] = make([]string, len(c.parts))
	}
	runs := m.findCalls()
	m.findResults(runs)

	first = map[string]function{}
	view = make([]history.Message, len(past))
	for i, c := range past {
		view[i].Role = c.role
		for j, f := range c.functions {
			key := m.keys[i][j]
			view[i].Blocks = append(view[i].Blocks, history.Block{Kind: f.kind, ID: key})
			if _, known := first[key]; !known && key != "" {
				first[key] = f
			}
		}
	}
	return view, first
}

// findCalls gives the model's calls their keys. It returns for each content the number of
// runs up to it: a run is contents of the model with no other content between them.
func (m *matcher) findCalls() (runs []int) {
	run := 0
	byID := map[string]string{} // of this run
	for i, c := range m.past {
		if c.role == history.Model && (i == 0 || m.past[i-1].role != history.Model) {
			run++
			clear(byID)
		}
		runs = append(runs, run)
		for j, f := range c.functions {
			if f.kind != history.Call || f.name == "" {
				continue
			}
			key := position(i, j)
			if c.role == history.Model && f.id != "" {
				if first, twice := byID[f.id]; twice {
					m.keys[i][j] = first
					continue
				}
				byID[f.id] = key
			}
			m.keys[i][j] = key
			if c.role == history.Model {
				m.calls = append(m.calls, pastCall{function: f, key: key, run: run})
			}
		}
	}
	return runs
}

// findResults matches results to calls: by id and name, or by name and order if no call
// has the id. The nearest turn before a result counts, and only if none fits, a later
// turn.
func (m *matcher) findResults(runs []int) {
	ids := map[string]bool{}
	for _, c := range m.calls {
		ids[c.id] = c.id != ""
	}
	for _, fits := range []fit{sameID, sameName} {
		for _, nearest := range []func(fit, function, int) int{m.before, m.after} {
			m.eachResult(func(key *string, f function, content int) {
				*key = m.answer(f, nearest(fits, f, runs[content]), runs[content], fits)
			})
		}
		m.eachResult(func(key *string, f function, _ int) {
			if ids[f.id] {
				*key = noCall
			}
		})
	}
	m.eachResult(func(key *string, _ function, _ int) { *key = noCall })
	for i := range m.keys {
		for j, key := range m.keys[i] {
			if key == noCall {
				m.keys[i][j] = noCall + position(i, j)
			}
		}
	}
}

// noCall begins the key of a result that belongs to no call.
const noCall = "no call "

// eachResult calls f with all results that have no key yet.
func (m *matcher) eachResult(f func(key *string, result function, content int)) {
	for i, c := range m.past {
		for j, r := range c.functions {
			if r.kind == history.Result && m.keys[i][j] == "" {
				f(&m.keys[i][j], r, i)
			}
		}
	}
}

// A fit reports whether a result may belong to a call.
type fit func(call, result function) bool

func sameID(call, result function) bool {
	return call.id != "" && call.id == result.id && (call.name == result.name || result.name == "")
}

func sameName(call, result function) bool {
	return call.name == result.name && (call.id == "" || result.id == "")
}

// before returns the first call that fits in the nearest run that has one, up to a run, or
// -1.
func (m *matcher) before(fits fit, result function, run int) int {
	found := -1
	end := sort.Search(len(m.calls), func(i int) bool { return m.calls[i].run > run })
	for i := end - 1; i >= 0; i-- {
		c := &m.calls[i]
		if found >= 0 && c.run < m.calls[found].run {
			break
		}
		if fits(c.function, result) {
			found = i
		}
	}
	return found
}

// after returns the first call that fits in the runs after a run, or -1.
func (m *matcher) after(fits fit, result function, run int) int {
	return slices.IndexFunc(m.calls, func(c pastCall) bool { return c.run > run && fits(c.function, result) })
}

// answer returns the key of the call that a result after a run answers: of the calls from
// first on in the same run, the first without an answer. If all have one, the result gets
// the key of the last, as its second result. If the calls come after the result, it gets
// none: its call was cut off.
func (m *matcher) answer(result function, first, run int, fits fit) (key string) {
	if first < 0 {
		return ""
	}
	at := m.calls[first].run
	for i := first; i < len(m.calls) && m.calls[i].run == at; i++ {
		c := &m.calls[i]
		switch {
		case !fits(c.function, result):
		case !c.answered:
			c.answered = true
			return c.key
		case at <= run:
			key = c.key
		}
	}
	return key
}

func position(content, part int) string { return strconv.Itoa(content) + "." + strconv.Itoa(part) }
