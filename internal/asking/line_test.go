package asking_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

type (
	line  = asking.Line[string, string]
	entry = asking.Entry[string, string]
)

var errInvalid = errors.New("not an answer")

func newLine() *line { return asking.NewLine[string, string]() }

// put puts questions that are their own ids.
func put(l *line, n int) []*entry {
	entries := make([]*entry, n)
	for i := range entries {
		entries[i] = l.Add(func(id string) string { return id })
	}
	return entries
}

// yes accepts any question.
func yes(question string) (string, error) { return "yes to " + question, nil }

func no(string) (string, error) { return "", errInvalid }

func ids(entries ...*entry) (all []string) {
	for _, e := range entries {
		all = append(all, e.ID)
	}
	return all
}

func closed[T any](c <-chan T) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// during runs inside while somebody accepts an answer to the question with the id,
// and returns what became of that answer.
func during(l *line, id string, accept func(string) (string, error), inside func()) error {
	return l.Answer(id, func(q string) (string, error) {
		inside()
		return accept(q)
	})
}

func TestIDsAreNeverUsedTwice(t *testing.T) {
	t.Parallel()
	const lines, putters, each = 3, 8, 50
	var mu sync.Mutex
	seen := map[string]bool{}
	var all sync.WaitGroup
	for range lines {
		l := newLine()
		for range putters {
			all.Go(func() {
				for _, e := range put(l, each) {
					mu.Lock()
					seen[e.ID] = true
					mu.Unlock()
					_ = e.Withdraw()
					e.Remove()
				}
			})
		}
	}
	all.Wait()
	require.Len(t, seen, lines*putters*each)
	require.NotContains(t, seen, "")
}

func TestOnlyAnOpenQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		id   func(l *line) string
		want error
	}{
		{name: "first in line", id: func(l *line) string { return put(l, 2)[0].ID }},
		{name: "last in line", id: func(l *line) string { return put(l, 2)[1].ID }},
		{name: "never put", want: asking.ErrStale, id: func(l *line) string { return put(l, 1)[0].ID + "0" }},
		{name: "no id", want: asking.ErrStale, id: func(l *line) string { put(l, 1); return "" }},
		{name: "of another line", want: asking.ErrStale, id: func(l *line) string { put(l, 1); return put(newLine(), 1)[0].ID }},
		{name: "answered", want: asking.ErrStale, id: func(l *line) string {
			e := put(l, 2)[0]
			_ = l.Answer(e.ID, yes)
			return e.ID
		}},
		{name: "withdrawn", want: asking.ErrStale, id: func(l *line) string {
			e := put(l, 2)[0]
			_ = e.Withdraw()
			return e.ID
		}},
		{name: "yielded", want: asking.ErrStale, id: func(l *line) string {
			e := put(l, 2)[0]
			e.Remove()
			return e.ID
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, accepted := newLine(), 0
			err := l.Answer(tt.id(l), func(q string) (string, error) { accepted++; return yes(q) })
			require.ErrorIs(t, err, tt.want)
			require.Equal(t, tt.want == nil, accepted == 1, "accept is called for what counts only")
		})
	}
}

func TestAnAnswerIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	l := newLine()
	es := put(l, 3)
	require.NoError(t, l.Answer(es[1].ID, yes))
	require.ErrorIs(t, l.Answer(es[1].ID, yes), asking.ErrStale)
	require.False(t, es[1].Withdraw(), "there is an answer")
	require.Equal(t, "yes to "+es[1].ID, <-es[1].Answered())
	require.False(t, closed(es[1].Answered()))
	require.Equal(t, ids(es[0], es[2]), l.Open())
}

func TestAnAnswerThatIsNoneLeavesTheQuestionOpen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		accept func(string) (string, error)
		want   any // what comes out of Answer
	}{
		{name: "error", accept: no, want: errInvalid},
		{name: "panic", accept: func(string) (string, error) { panic("broken") }, want: "broken"},
		{name: "Goexit", accept: func(string) (string, error) { runtime.Goexit(); return "", nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLine()
			es := put(l, 3)
			got := make(chan any)
			go func() {
				var end any
				defer func() { got <- end }()
				defer func() {
					if v := recover(); v != nil {
						end = v
					}
				}()
				if err := l.Answer(es[1].ID, tt.accept); err != nil {
					end = err
				}
			}()
			require.Equal(t, tt.want, <-got)
			require.Equal(t, ids(es...), l.Open(), "in its place")
			require.False(t, closed(es[1].Answered()))
			require.NoError(t, l.Answer(es[1].ID, yes))
			require.Equal(t, "yes to "+es[1].ID, <-es[1].Answered())
		})
	}
}

func TestWhileAnAnswerIsAcceptedAnotherWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		accept   func(string) (string, error)
		withdraw bool // meanwhile
		first    error
		second   error
	}{
		{name: "and is late", accept: yes, second: asking.ErrStale},
		{name: "and has its chance", accept: no, first: errInvalid},
		{name: "for a question withdrawn meanwhile", accept: no, withdraw: true, first: errInvalid, second: asking.ErrStale},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLine()
				es := put(l, 2)
				second := make(chan error, 3)
				first := during(l, es[0].ID, tt.accept, func() {
					go func() { second <- l.Answer(es[0].ID, yes) }()
					synctest.Wait()
					require.Empty(t, second)
					require.Equal(t, ids(es[1]), l.Open(), "what is being answered is not open")
					require.NoError(t, l.Answer(es[1].ID, yes), "nobody waits for another question")
					if tt.withdraw {
						require.False(t, es[0].Withdraw())
					}
				})
				require.Equal(t, tt.first, first)
				require.ErrorIs(t, <-second, tt.second)
			})
		})
	}
}

func TestOfManyAnswersOneCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		e := put(l, 1)[0]
		const invalid, valid = 20, 20
		got := make(chan error, invalid+valid)
		for range invalid {
			go func() { got <- l.Answer(e.ID, func(q string) (string, error) { runtime.Gosched(); return no(q) }) }()
		}
		for range valid {
			go func() { got <- l.Answer(e.ID, func(q string) (string, error) { runtime.Gosched(); return yes(q) }) }()
		}
		synctest.Wait()
		close(got)
		delivered := 0
		for err := range got {
			if err == nil {
				delivered++
			} else if !errors.Is(err, asking.ErrStale) {
				require.ErrorIs(t, err, errInvalid)
			}
		}
		require.Equal(t, 1, delivered)
		require.Len(t, e.Answered(), 1)
	})
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		before   func(l *line, e *entry)
		want     bool
		answered int
	}{
		{name: "open", want: true, before: func(*line, *entry) {}},
		{name: "withdrawn", want: true, before: func(_ *line, e *entry) { _ = e.Withdraw() }},
		{name: "yielded", want: true, before: func(_ *line, e *entry) { e.Remove() }},
		{name: "refused an answer", want: true, before: func(l *line, e *entry) { _ = l.Answer(e.ID, no) }},
		{name: "answered", answered: 1, before: func(l *line, e *entry) { _ = l.Answer(e.ID, yes) }},
		{name: "answered and yielded", answered: 1, before: func(l *line, e *entry) { _ = l.Answer(e.ID, yes); e.Remove() }},
		{name: "yielded while answered", answered: 1, before: func(l *line, e *entry) { _ = during(l, e.ID, yes, e.Remove) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLine()
			es := put(l, 2)
			tt.before(l, es[0])
			require.Equal(t, tt.want, es[0].Withdraw())
			require.ErrorIs(t, l.Answer(es[0].ID, yes), asking.ErrStale)
			require.Len(t, es[0].Answered(), tt.answered)
			require.Equal(t, ids(es[1]), l.Open())
		})
	}
}

func TestWithdrawWhileAnAnswerIsAccepted(t *testing.T) {
	t.Parallel()
	t.Run("which counts", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		e := put(l, 1)[0]
		require.NoError(t, during(l, e.ID, yes, func() { require.False(t, e.Withdraw()) }))
		require.Equal(t, "yes to "+e.ID, <-e.Answered())
		require.False(t, e.Withdraw())
	})
	t.Run("which is none", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		e := put(l, 1)[0]
		require.ErrorIs(t, during(l, e.ID, no, func() { require.False(t, e.Withdraw()) }), errInvalid)
		require.Empty(t, l.Open(), "nobody waits for another answer")
		require.ErrorIs(t, l.Answer(e.ID, yes), asking.ErrStale)
		require.True(t, closed(e.Answered()), "who waits for the answer hears that there is none")
		require.True(t, e.Withdraw())
	})
}

func TestTheFloorPassesInLine(t *testing.T) {
	t.Parallel()
	states := []struct {
		name   string
		before func(l *line, e *entry)
	}{
		{name: "open", before: func(*line, *entry) {}},
		{name: "answered", before: func(l *line, e *entry) { _ = l.Answer(e.ID, yes) }},
		{name: "withdrawn", before: func(_ *line, e *entry) { _ = e.Withdraw() }},
	}
	tests := []struct {
		yields []int
		floor  []int // who has or had it
	}{
		{yields: nil, floor: []int{0}},
		{yields: []int{0}, floor: []int{0, 1}},
		{yields: []int{0, 0}, floor: []int{0, 1}},
		{yields: []int{1}, floor: []int{0}},
		{yields: []int{1, 0}, floor: []int{0, 2}},
		{yields: []int{0, 1}, floor: []int{0, 1, 2}},
		{yields: []int{2, 1, 0}, floor: []int{0}},
		{yields: []int{1, 1, 0, 0}, floor: []int{0, 2}},
	}
	for _, state := range states {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s %v", state.name, tt.yields), func(t *testing.T) {
				t.Parallel()
				l := newLine()
				es := put(l, 3)
				for _, i := range tt.yields {
					state.before(l, es[i])
					es[i].Remove()
				}
				var floor []int
				for i, e := range es {
					if closed(e.Turn()) {
						floor = append(floor, i)
					}
				}
				require.Equal(t, tt.floor, floor)
			})
		}
	}
}

func TestAnAnswerDoesNotPassTheFloor(t *testing.T) {
	t.Parallel()
	l := newLine()
	es := put(l, 2)
	require.NoError(t, during(l, es[0].ID, yes, func() { require.False(t, closed(es[1].Turn())) }))
	require.False(t, closed(es[1].Turn()), "the question is on the screen")
	es[0].Remove()
	require.True(t, closed(es[1].Turn()))
	late := put(l, 1)[0]
	require.False(t, closed(late.Turn()))
	es[1].Remove()
	late.Remove()
	require.True(t, closed(put(l, 1)[0].Turn()), "an empty line gives the floor at once")
}

func TestChangedIsForChangesAlone(t *testing.T) {
	t.Parallel()
	l := newLine()
	before, beside := l.Changed(), l.Changed()
	es := put(l, 3)
	require.NoError(t, l.Answer(es[0].ID, yes))
	require.ErrorIs(t, l.Answer(es[1].ID, no), errInvalid)
	_ = during(l, es[1].ID, no, func() { es[1].Withdraw() })
	es[2].Withdraw()
	es[0].Remove()
	require.False(t, closed(before), "of 1,000 in line, one answer would have 999 look again")
	l.NotifyChange()
	require.True(t, closed(before))
	require.True(t, closed(beside))
	require.False(t, closed(l.Changed()))
}

func TestAQuestionThatPanicsLeavesTheLineAsItWas(t *testing.T) {
	t.Parallel()
	l := newLine()
	before := put(l, 1)
	require.PanicsWithValue(t, "broken", func() { l.Add(func(string) string { panic("broken") }) })
	after := put(l, 1)
	require.Equal(t, ids(before[0], after[0]), l.Open())
	require.NotEqual(t, before[0].ID, after[0].ID)
}

// modelled is an entry as the model sees it.
type modelled struct {
	entry     *entry
	inLine    bool
	floor     bool // has or had it
	claimed   bool
	delivered bool
	gone      bool // withdrawn
	unwanted  bool
}

func (m *modelled) open() bool { return m.inLine && !m.claimed && !m.delivered && !m.gone }

// play drives a line by bytes, two a step: what to do, and to which entry. The model
// beside it is a list that is searched from the start at every step.
type play struct {
	t     *testing.T
	line  *line
	steps []byte
	all   []*modelled
}

// floor gives the floor to the first that is in line.
func (p *play) floor() {
	for _, m := range p.all {
		if m.inLine {
			m.floor = true
			return
		}
	}
}

// run plays until the steps end, or, while an answer is being accepted, until that
// ends; then it reports whether it counts.
func (p *play) run(accepting bool) (counts bool) {
	for len(p.steps) >= 2 {
		what, which := p.steps[0]%7, int(p.steps[1])
		p.steps = p.steps[2:]
		if what == 6 && accepting {
			return which%2 == 0
		}
		p.step(what, which)
		p.compare()
	}
	return true
}

func (p *play) step(what byte, which int) {
	if what == 0 || len(p.all) == 0 {
		m := &modelled{inLine: true}
		m.entry = p.line.Add(func(id string) string { return id })
		p.all = append(p.all, m)
		p.floor()
		return
	}
	m := p.all[which%len(p.all)]
	switch what {
	case 1, 2:
		p.answer(m)
	case 3:
		if m.unwanted = true; !m.claimed && !m.delivered {
			m.gone = true
		}
		require.Equal(p.t, m.gone, m.entry.Withdraw())
	case 4:
		m.inLine = false
		m.entry.Remove()
		p.floor()
	default:
		before := p.line.Changed()
		p.line.NotifyChange()
		require.True(p.t, closed(before))
	}
}

// answer plays on while the answer is being accepted.
func (p *play) answer(m *modelled) {
	if m.claimed && m.inLine {
		return // it would wait for this very goroutine
	}
	was, accepted, counts := m.open(), false, false
	changed := p.line.Changed()
	err := p.line.Answer(m.entry.ID, func(q string) (string, error) {
		accepted, m.claimed = true, true
		p.compare()
		counts = p.run(true)
		changed = p.line.Changed()
		if !counts {
			return no(q)
		}
		return yes(q)
	})
	require.False(p.t, closed(changed), "an answer is no change")
	require.Equal(p.t, was, accepted)
	if !accepted {
		require.ErrorIs(p.t, err, asking.ErrStale)
		return
	}
	m.claimed = false
	if counts {
		require.NoError(p.t, err)
		m.delivered = true
		return
	}
	require.ErrorIs(p.t, err, errInvalid)
	m.gone = m.unwanted
}

func (p *play) compare() {
	var open []string
	for _, m := range p.all {
		if m.open() {
			open = append(open, m.entry.ID)
		}
		require.Equal(p.t, m.floor, closed(m.entry.Turn()))
		if m.delivered {
			require.Len(p.t, m.entry.Answered(), 1)
		}
	}
	require.Equal(p.t, open, p.line.Open())
}

// FuzzLine compares a line with the naive one, step by step, with answers that are
// accepted while others are given.
func FuzzLine(f *testing.F) {
	for _, seed := range [][]byte{
		{0, 0, 0, 0, 1, 1, 6, 0, 4, 0, 4, 1},              // the second is answered, both yield
		{0, 0, 1, 0, 3, 0, 6, 1, 1, 0},                    // withdrawn while a refused answer is accepted
		{0, 0, 1, 0, 3, 0, 6, 0, 3, 0},                    // and while one that counts is
		{0, 0, 0, 0, 1, 0, 4, 0, 1, 1, 4, 1, 6, 0, 6, 1},  // yielded while claimed, one inside the other
		{0, 0, 0, 0, 0, 0, 4, 1, 4, 0, 5, 0, 3, 2, 1, 2},  // the floor skips who left
		{0, 0, 1, 0, 4, 0, 6, 1, 1, 0, 3, 0, 0, 0, 1, 1},  // refused after it left
		slices.Repeat([]byte{0, 0, 1, 7, 3, 1, 6, 1}, 20), // many
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		p := &play{t: t, line: newLine(), steps: steps[:min(len(steps), 400)]}
		p.run(false)
		for _, m := range p.all { // at the end whoever asked leaves
			require.False(t, m.entry.Withdraw() && m.delivered)
			m.entry.Remove()
		}
		require.Empty(t, p.line.Open())
	})
}
