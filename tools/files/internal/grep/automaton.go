package grep

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// An automaton finds out whether a text holds a match, fast, by remembering what
// each byte makes of each set of threads. It is built while it runs and forgets
// all when it grows too large; if that happens too often it is worn out and must
// not be used any more.
type automaton struct {
	charReader
	prog          *syntax.Prog
	hasAssertions bool
	matchesEmpty  bool // anything matches; nothing need be searched for
	lineByLine    bool // the text is lines, each to be searched for itself

	states      map[string]*state
	freeBytes   int // for so many bytes of states
	resets      int
	passedBytes int // bytes since the last reset
	thrashing   bool

	start           *state // at the beginning of a text
	isMarked        []bool // by place in prog
	marked          []uint32
	key             []byte
	markedAssertion bool // an assertion is among what was added last
}

// A state is a set of places in the program.
type state struct {
	next       [256]*state // nil if it is not known, or ends the search
	matchBytes [4]uint64   // bits of the bytes that end the search with a match
	nextRune   map[rune]*state
	pcs        []uint32
	left       rune // what stands before, if an assertion may ask
}

// Bounds of an automaton.
const (
	maxStateBytes    = 4 << 20 // bytes
	stateSize        = 2200    // of one without its places, about
	maxResets        = 16
	minBytesPerReset = 64 << 10 // bytes that a worthwhile automaton passes between two resets
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

// startState returns the state before a text whose left neighbour is given.
func (a *automaton) startState(left rune) *state {
	a.clearMarks()
	a.matchesEmpty = a.mark(uint32(a.prog.Start), 0, false)
	return a.intern(left, true)
}

// find reports whether there is a match in b at from or behind. The first match
// begins at low or behind and ends behind low; if b is lines, it is in the one
// that end is in. left is what stands before from. Unless finish is set, b may go
// on, or ends with the end of a line.
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

// transition returns the state behind the character at i, or that there is a match.
func (a *automaton) transition(s *state, b []byte, i int) (*state, int, bool) {
	c := b[i]
	if s.matchBytes[c>>6]&(1<<(c&63)) != 0 {
		return nil, 0, true
	}
	r, size := a.next(b, i)
	if next := s.nextRune[r]; next != nil {
		return next, size, false
	}
	lives := a.resets
	next, hit := a.step(s, r)
	single := size == 1 && r != invalidByte
	switch {
	case hit && single:
		s.matchBytes[c>>6] |= 1 << (c & 63)
	case hit:
	case a.resets != lives: // s is forgotten already
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

// step returns the state behind r, or that there is a match before or behind it.
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

// mark adds pc and the places that it leads to with no character between. Past
// an assertion it goes only if decide is set and ops grant it. It reports
// whether the end of the program is among them.
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

// intern returns the state of what is marked. It is fresh if nothing in it began
// further left: the states that differ in this alone are two.
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

// assertionClass returns a character that assertions do not tell from r.
func (a *automaton) assertionClass(r rune) rune {
	switch {
	case r == textEdge || r == '\n':
		return r
	case a.isWord(r):
		return 'w'
	}
	return ' '
}

// dropStates drops all states but the one that is made.
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
