package grep

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// An automaton reports quickly whether a text has a match. It is a lazily built
// deterministic automaton: each state is a set of places in the program, and the
// transitions are computed when they are needed. When the states use too much memory,
// all of them are dropped. If that happens too often (thrashing), the automaton must
// not be used any more.
type automaton struct {
	charReader
	prog          *syntax.Prog
	hasAssertions bool
	matchesEmpty  bool // the empty string matches, so every text has a match
	lineByLine    bool // each line of the text is searched on its own

	states      map[string]*state // by key
	freeBytes   int               // memory that new states may still use
	resets      int               // times that all states were dropped
	passedBytes int               // bytes of text since the last reset
	thrashing   bool              // there were too many resets

	start           *state   // state at the start of a text
	isMarked        []bool   // by place in prog
	marked          []uint32 // places of the state that is being built
	key             []byte
	markedAssertion bool // a marked place is an assertion
}

// A state is a set of places in the program.
type state struct {
	next       [256]*state     // by byte; nil if the next state is unknown or the byte completes a match
	matchBytes [4]uint64       // bit set of the bytes that complete a match
	nextRune   map[rune]*state // next states for characters of several bytes
	pcs        []uint32        // places in the program, sorted
	left       rune            // character before the state, reduced by assertionClass; 0 if no assertion can depend on it
}

// The limits of an automaton.
const (
	maxStateBytes    = 4 << 20 // memory of all states, in bytes
	stateSize        = 2200    // approximate memory of a state without its places, in bytes
	maxResets        = 16
	minBytesPerReset = 64 << 10 // bytes of text between two resets, below which the automaton is not worth its cost
)

func newAutomaton(p *Program, r charReader) *automaton {
	a := &automaton{charReader: r, prog: p.prog, hasAssertions: p.hasAssertions, lineByLine: !p.wholeFile, isMarked: make([]bool, len(p.prog.Inst))}
	a.reset()
	return a
}

func (a *automaton) reset() {
	a.states, a.freeBytes, a.passedBytes = map[string]*state{}, maxStateBytes, 0
	a.start = a.startState(textEdge)
}

// startState returns the state before a text that follows the character left.
func (a *automaton) startState(left rune) *state {
	a.clearMarks()
	a.matchesEmpty = a.mark(uint32(a.prog.Start), 0, false)
	return a.intern(left, true)
}

// find reports whether b has a match that starts at from or later. That match starts at
// low or later; with lineByLine it is in the line that contains end. left is the
// character before from. If finish is false, the end of b is not the end of the text,
// or b ends with a line end.
func (a *automaton) find(b []byte, from int, left rune, finish bool) (low, end int, found bool) {
	s := a.start
	if left != textEdge {
		s = a.startState(left)
	}
	low = from
	begun := from
	for i := from; i < len(b); {
		n := s.next[b[i]]
		if n != nil {
			s = n
			i++
			if n == a.start {
				low = i
			}
			continue
		}
		a.passedBytes += i - begun
		begun = i
		next, size, hit := a.transition(s, b, i)
		if hit {
			return low, i, true
		}
		s, i = next, i+size
	}
	a.passedBytes += len(b) - begun
	if !finish {
		return 0, 0, false
	}
	if _, hit := a.step(s, textEdge); hit {
		return low, len(b), true
	}
	return 0, 0, false
}

// transition returns the state after the character at i and the length of that
// character, or reports a match.
func (a *automaton) transition(s *state, b []byte, i int) (*state, int, bool) {
	c := b[i]
	if s.matchBytes[c>>6]&(1<<(c&63)) != 0 {
		return nil, 0, true
	}
	r, size := a.next(b, i)
	if next := s.nextRune[r]; next != nil {
		return next, size, false
	}
	resets := a.resets
	next, hit := a.step(s, r)
	single := size == 1 && r != invalidByte
	switch {
	case hit && single:
		s.matchBytes[c>>6] |= 1 << (c & 63)
	case hit:
	case a.resets != resets: // s was dropped
	case single:
		s.next[c] = next
	default:
		if s.nextRune == nil {
			s.nextRune = map[rune]*state{}
		}
		s.nextRune[r] = next
		a.freeBytes -= 48
	}
	return next, size, hit
}

// step returns the state after r, or reports a match that ends before or after r.
func (a *automaton) step(s *state, r rune) (*state, bool) {
	right := r
	if a.lineByLine && r == '\n' {
		right = textEdge
	}
	now := s.pcs
	if a.hasAssertions && s.left != 0 {
		a.clearMarks()
		ops := a.assertionsBetween(s.left, right)
		for _, pc := range s.pcs {
			if a.mark(pc, ops, true) {
				return nil, true
			}
		}
		now = slices.Clone(a.marked)
	}
	if right == textEdge {
		return a.start, false
	}
	a.clearMarks()
	for _, pc := range now {
		in := &a.prog.Inst[pc]
		if r >= 0 && consumes(in, r) && a.mark(in.Out, 0, false) {
			return nil, true
		}
	}
	fresh := len(a.marked) == 0
	a.mark(uint32(a.prog.Start), 0, false)
	return a.intern(r, fresh), false
}

func (a *automaton) clearMarks() {
	for _, pc := range a.marked {
		a.isMarked[pc] = false
	}
	a.marked, a.markedAssertion = a.marked[:0], false
}

// mark adds pc and the places that are reachable from it without a character. If decide
// is set, it passes the assertions that hold according to ops; otherwise it stops at
// every assertion. It reports whether the end of the program is reachable.
func (a *automaton) mark(pc uint32, ops syntax.EmptyOp, decide bool) bool {
	if a.isMarked[pc] {
		return false
	}
	a.isMarked[pc] = true
	a.marked = append(a.marked, pc)
	in := &a.prog.Inst[pc]
	switch in.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return a.mark(in.Out, ops, decide) || a.mark(in.Arg, ops, decide)
	case syntax.InstCapture, syntax.InstNop:
		return a.mark(in.Out, ops, decide)
	case syntax.InstEmptyWidth:
		a.markedAssertion = true
		if decide && syntax.EmptyOp(in.Arg)&^ops == 0 {
			return a.mark(in.Out, ops, decide)
		}
	}
	return false
}

// intern returns the state of the marked places. fresh reports that no match in
// progress started before this position; states that differ in this alone are kept
// apart, so that find knows where a match can start.
func (a *automaton) intern(left rune, fresh bool) *state {
	var pcs []uint32
	for _, pc := range a.marked {
		switch a.prog.Inst[pc].Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL, syntax.InstEmptyWidth:
			pcs = append(pcs, pc)
		}
	}
	slices.Sort(pcs)
	if !a.markedAssertion {
		left = 0
	} else {
		left = a.assertionClass(left)
	}
	a.key = binary.AppendVarint(a.key[:0], int64(left))
	if fresh {
		a.key = append(a.key, 'f')
	} else {
		a.key = append(a.key, 0)
	}
	for _, pc := range pcs {
		a.key = binary.AppendUvarint(a.key, uint64(pc))
	}
	if s := a.states[string(a.key)]; s != nil {
		return s
	}
	if a.freeBytes < 0 {
		a.dropStates()
	}
	s := &state{pcs: pcs, left: left}
	a.states[string(a.key)] = s
	a.freeBytes -= stateSize + 6*len(pcs)
	return s
}

// assertionClass returns one character for all characters that assertions treat alike.
func (a *automaton) assertionClass(r rune) rune {
	switch {
	case r == textEdge || r == '\n':
		return r
	case a.isWord(r):
		return 'w'
	}
	return ' '
}

// dropStates drops all states, and keeps the marks of the state that is being built.
func (a *automaton) dropStates() {
	key := slices.Clone(a.key)
	a.resets++
	a.thrashing = a.thrashing || a.resets > maxResets && a.passedBytes < minBytesPerReset
	marked := slices.Clone(a.marked)
	a.reset()
	a.clearMarks()
	for _, pc := range marked {
		a.isMarked[pc] = true
	}
	a.marked, a.key = append(a.marked, marked...), key
}
