package walk

// A globProgram reports whether a glob matches a whole string, in time proportional to
// the product of their lengths.
type globProgram []instruction

// An instruction is one step of a globProgram.
type instruction struct {
	op   opcode
	b    byte     // of instByte
	set  *byteSet // of instSet
	x, y int32    // index of the next instruction: x of instJump, both of instFork
}

type opcode byte

const (
	instByte     opcode = iota // the byte b
	instNameByte               // any byte except a slash
	instAnyByte                // any byte
	instSet                    // a byte of set
	instJump
	instFork
	instMatch
)

func compile(tokens []globToken) globProgram {
	var p globProgram
	p.emitTokens(tokens)
	return append(p, instruction{op: instMatch})
}

func (p *globProgram) emit(s instruction) int32 {
	*p = append(*p, s)
	return int32(len(*p) - 1)
}

func (p *globProgram) nextIndex() int32 { return int32(len(*p)) }

// emitLoop emits s for any number of repetitions.
func (p *globProgram) emitLoop(s instruction) {
	fork := p.emit(instruction{op: instFork})
	p.emit(s)
	p.emit(instruction{op: instJump, x: fork})
	(*p)[fork].x, (*p)[fork].y = fork+1, p.nextIndex()
}

// emitOptionalDirs emits instructions for nothing, or for any text that ends with a
// slash.
func (p *globProgram) emitOptionalDirs() {
	fork := p.emit(instruction{op: instFork})
	p.emitLoop(instruction{op: instAnyByte})
	p.emit(instruction{op: instByte, b: '/'})
	(*p)[fork].x, (*p)[fork].y = fork+1, p.nextIndex()
}

func (p *globProgram) emitTokens(tokens []globToken) {
	for _, t := range tokens {
		switch t.op {
		case opText:
			for i := range len(t.text) {
				p.emit(instruction{op: instByte, b: t.text[i]})
			}
		case opOne:
			p.emit(instruction{op: instNameByte})
		case opStar:
			p.emitLoop(instruction{op: instNameByte})
		case opSet:
			p.emit(instruction{op: instSet, set: t.set})
		case opPrefix:
			p.emitOptionalDirs()
		case opMiddle:
			p.emit(instruction{op: instByte, b: '/'})
			p.emitOptionalDirs()
		case opSuffix:
			p.emit(instruction{op: instByte, b: '/'})
			p.emitLoop(instruction{op: instAnyByte})
		case opAlternatives:
			p.emitAlternatives(t.alternatives)
		}
	}
}

// emitAlternatives emits instructions for alternatives. Like ripgrep, it ignores empty
// ones.
func (p *globProgram) emitAlternatives(all [][]globToken) {
	var ends []int32
	var fork int32 = -1
	for _, one := range all {
		if len(one) == 0 {
			continue
		}
		if fork >= 0 {
			ends = append(ends, p.emit(instruction{op: instJump}))
			(*p)[fork].y = p.nextIndex()
		}
		fork = p.emit(instruction{op: instFork})
		(*p)[fork].x = fork + 1
		p.emitTokens(one)
	}
	if fork >= 0 {
		(*p)[fork].op, (*p)[fork].y = instJump, 0 // no alternative follows the last one
	}
	for _, end := range ends {
		(*p)[end].x = p.nextIndex()
	}
}

// matches reports whether the program matches the whole of s.
func (p globProgram) matches(s string) bool {
	var room [2][64]int32
	var mark [64]int32
	t := threads{program: p, addedIn: mark[:]}
	now, next := room[0][:0], room[1][:0]
	if len(p) > len(mark) {
		t.addedIn = make([]int32, len(p))
	}
	now = t.add(now, 0)
	for i := range len(s) {
		if len(now) == 0 {
			return false
		}
		t.round++
		for _, at := range now {
			if p[at].consumes(s[i]) {
				next = t.add(next, at+1)
			}
		}
		now, next = next, now[:0]
	}
	for _, at := range now {
		if p[at].op == instMatch {
			return true
		}
	}
	return false
}

func (s *instruction) consumes(b byte) bool {
	switch s.op {
	case instByte:
		return s.b == b
	case instNameByte:
		return b != '/'
	case instAnyByte:
		return true
	case instSet:
		return s.set.has(b)
	}
	return false
}

// A threads value tracks the instructions that were reached in a round.
type threads struct {
	program globProgram
	addedIn []int32 // by instruction: last round in which it was added, plus 1
	round   int32
}

// add appends the instruction at, or the instructions that are reachable from it
// without a byte.
func (t *threads) add(places []int32, at int32) []int32 {
	for t.addedIn[at] != t.round+1 {
		t.addedIn[at] = t.round + 1
		switch s := &t.program[at]; s.op {
		case instJump:
			at = s.x
		case instFork:
			places = t.add(places, s.x)
			at = s.y
		default:
			return append(places, at)
		}
	}
	return places
}
