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
	reader
	prog    *syntax.Prog
	asserts bool
	always  bool // anything matches; nothing need be searched for
	byLine  bool // the text is lines, each to be searched for itself

	known  map[string]*state
	room   int // for so many bytes of states
	resets int
	passed int // bytes since the last reset
	worn   bool

	start    *state // at the beginning of a text
	seen     []bool // by place in prog
	marked   []uint32
	key      []byte
	restless bool // an assertion is among what was added last
}

// A state is a set of places in the program.
type state struct {
	next  [256]*state // nil if it is not known, or ends the search
	final [4]uint64   // bits of the bytes that end the search with a match
	wide  map[rune]*state
	pcs   []uint32
	left  rune // what stands before, if an assertion may ask
}

// Bounds of an automaton.
const (
	stateRoom  = 4 << 20 // bytes
	stateSize  = 2200    // of one without its places, about
	maxResets  = 16
	minPerLife = 64 << 10 // bytes that a worthwhile automaton passes between two resets
)

func newAutomaton(p *Program, r reader) *automaton {
	a := &automaton{reader: r, prog: p.prog, asserts: p.asserts, byLine: !p.across, seen: make([]bool, len(p.prog.Inst))}
	a.reset()
	return a
}

func (a *automaton) reset() {
	a.known, a.room, a.passed = map[string]*state{}, stateRoom, 0
	a.start = a.begin(edge)
}

// begin returns the state before a text whose left neighbour is given.
func (a *automaton) begin(left rune) *state {
	a.clear()
	a.always = a.mark(uint32(a.prog.Start), 0, false)
	return a.intern(left, true)
}

// find reports whether there is a match in b at from or behind. The first match
// begins at low or behind and ends behind low; if b is lines, it is in the one
// that end is in. left is what stands before from. Unless finish is set, b may go
// on, or ends with the end of a line.
func (a *automaton) find(b []byte, from int, left rune, finish bool) (low, end int, found bool) {
	s := a.start
	if left != edge {
		s = a.begin(left)
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
		a.passed += i - begun
		begun = i
		next, size, hit := a.look(s, b, i)
		if hit {
			return low, i, true
		}
		s, i = next, i+size
	}
	a.passed += len(b) - begun
	if !finish {
		return 0, 0, false
	}
	if _, hit := a.step(s, edge); hit {
		return low, len(b), true
	}
	return 0, 0, false
}

// look returns the state behind the character at i, or that there is a match.
func (a *automaton) look(s *state, b []byte, i int) (*state, int, bool) {
	c := b[i]
	if s.final[c>>6]&(1<<(c&63)) != 0 {
		return nil, 0, true
	}
	r, size := a.next(b, i)
	if next := s.wide[r]; next != nil {
		return next, size, false
	}
	lives := a.resets
	next, hit := a.step(s, r)
	single := size == 1 && r != garbage
	switch {
	case hit && single:
		s.final[c>>6] |= 1 << (c & 63)
	case hit:
	case a.resets != lives: // s is forgotten already
	case single:
		s.next[c] = next
	default:
		if s.wide == nil {
			s.wide = map[rune]*state{}
		}
		s.wide[r] = next
		a.room -= 48
	}
	return next, size, hit
}

// step returns the state behind r, or that there is a match before or behind it.
func (a *automaton) step(s *state, r rune) (*state, bool) {
	right := r
	if a.byLine && r == '\n' {
		right = edge
	}
	now := s.pcs
	if a.asserts && s.left != 0 {
		a.clear()
		ops := a.between(s.left, right)
		for _, pc := range s.pcs {
			if a.mark(pc, ops, true) {
				return nil, true
			}
		}
		now = slices.Clone(a.marked)
	}
	if right == edge {
		return a.start, false
	}
	a.clear()
	for _, pc := range now {
		in := &a.prog.Inst[pc]
		if r >= 0 && takes(in, r) && a.mark(in.Out, 0, false) {
			return nil, true
		}
	}
	fresh := len(a.marked) == 0
	a.mark(uint32(a.prog.Start), 0, false)
	return a.intern(r, fresh), false
}

func (a *automaton) clear() {
	for _, pc := range a.marked {
		a.seen[pc] = false
	}
	a.marked, a.restless = a.marked[:0], false
}

// mark adds pc and the places that it leads to with no character between. Past
// an assertion it goes only if decide is set and ops grant it. It reports
// whether the end of the program is among them.
func (a *automaton) mark(pc uint32, ops syntax.EmptyOp, decide bool) bool {
	if a.seen[pc] {
		return false
	}
	a.seen[pc] = true
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
		a.restless = true
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
	if !a.restless {
		left = 0
	} else {
		left = a.kind(left)
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
	if s := a.known[string(a.key)]; s != nil {
		return s
	}
	if a.room < 0 {
		a.forget()
	}
	s := &state{pcs: pcs, left: left}
	a.known[string(a.key)] = s
	a.room -= stateSize + 6*len(pcs)
	return s
}

// kind returns a character that assertions do not tell from r.
func (a *automaton) kind(r rune) rune {
	switch {
	case r == edge || r == '\n':
		return r
	case a.isWord(r):
		return 'w'
	}
	return ' '
}

// forget drops all states but the one that is made.
func (a *automaton) forget() {
	key := slices.Clone(a.key)
	a.resets++
	a.worn = a.worn || a.resets > maxResets && a.passed < minPerLife
	marked := slices.Clone(a.marked)
	a.reset()
	a.clear()
	for _, pc := range marked {
		a.seen[pc] = true
	}
	a.marked, a.key = append(a.marked, marked...), key
}
