package grep

import "regexp/syntax"

// A machine finds the bounds of the first match of a program. It finds the same match
// as backtracking, but in time proportional to the text (the algorithm of Pike). It is
// slow: dozens of nanoseconds per byte.
type machine struct {
	charReader
	prog          *syntax.Prog
	hasAssertions bool
	stopped       func() bool // called from time to time; the search ends when it returns true

	work    int // steps since stopped was called
	now     threads
	pending []thread // threads at the next character, in order of preference
}

// A thread is a path through the program that matches the text so far.
type thread struct {
	pc    uint32
	start int // offset in the text where the path starts
}

// A threads value is a list of threads at different places.
type threads struct {
	list  []thread
	index []uint32 // index in list of the thread at each place
}

func newMachine(p *Program, r charReader, stopped func() bool) *machine {
	return &machine{charReader: r, prog: p.prog, hasAssertions: p.hasAssertions, stopped: stopped,
		now: threads{index: make([]uint32, len(p.prog.Inst))}}
}

// find returns the first match in b that starts at from or later, or exactly at from if
// anchored.
func (m *machine) find(b []byte, from int, anchored bool) (start, end int, found bool) {
	m.pending = m.pending[:0]
	left := m.previous(b, from)
	for i := from; ; {
		right, size := m.next(b, i)
		var ops syntax.EmptyOp
		if m.hasAssertions {
			ops = m.assertionsBetween(left, right)
		}
		m.now.list = m.now.list[:0]
		for _, t := range m.pending {
			m.add(t, ops)
		}
		if !found && (i == from || !anchored) {
			m.add(thread{uint32(m.prog.Start), i}, ops)
		}
		if hit, ok := m.step(right); ok {
			start, end, found = hit, i, true
		}
		if size == 0 || len(m.pending) == 0 && (found || anchored) || m.shouldStop() {
			return start, end, found
		}
		left, i = right, i+size
	}
}

// shouldStop reports whether the search is to end early.
func (m *machine) shouldStop() bool {
	m.work += 1 + len(m.now.list)
	if m.work < 1<<16 {
		return false
	}
	m.work = 0
	return m.stopped()
}

// step moves all threads past r. If a thread matches, step returns its start and drops
// the threads after it in the order of preference.
func (m *machine) step(r rune) (start int, matched bool) {
	m.pending = m.pending[:0]
	for _, t := range m.now.list {
		in := &m.prog.Inst[t.pc]
		if in.Op == syntax.InstMatch {
			return t.start, true
		}
		if r >= 0 && consumes(in, r) {
			m.pending = append(m.pending, thread{in.Out, t.start})
		}
	}
	return 0, false
}

// add adds t, or the threads that are reachable from it without a character.
func (m *machine) add(t thread, ops syntax.EmptyOp) {
	if j := m.now.index[t.pc]; int(j) < len(m.now.list) && m.now.list[j].pc == t.pc {
		return
	}
	m.now.index[t.pc] = uint32(len(m.now.list))
	m.now.list = append(m.now.list, t)
	in := &m.prog.Inst[t.pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		m.add(thread{in.Out, t.start}, ops)
		m.add(thread{in.Arg, t.start}, ops)
	case syntax.InstCapture, syntax.InstNop:
		m.add(thread{in.Out, t.start}, ops)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^ops == 0 {
			m.add(thread{in.Out, t.start}, ops)
		}
	}
}

// consumes reports whether the instruction matches the character r.
func consumes(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(r)
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return false
}
