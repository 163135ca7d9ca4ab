package asking_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

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
