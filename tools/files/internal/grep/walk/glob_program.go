package walk

// A program decides whether a glob matches a whole string, in time that grows
// with the product of their lengths and not faster.
type program []step

// A step is one instruction of a program.
type step struct {
	do   doing
	b    byte     // of doByte
	set  *byteSet // of doSet
	x, y int32    // where to go on: x of doJump, both of doFork
}

type doing byte

const (
	doByte doing = iota // this byte
	doName              // any byte but a slash
	doAny               // any byte
	doSet               // a byte of a set
	doJump
	doFork
	doMatch
)

func compile(tokens []token) program {
	var p program
	p.tokens(tokens)
	return append(p, step{do: doMatch})
}

func (p *program) add(s step) int32 {
	*p = append(*p, s)
	return int32(len(*p) - 1)
}

func (p *program) here() int32 { return int32(len(*p)) }

// loop adds any number of s.
func (p *program) loop(s step) {
	fork := p.add(step{do: doFork})
	p.add(s)
	p.add(step{do: doJump, x: fork})
	(*p)[fork].x, (*p)[fork].y = fork+1, p.here()
}

// maybeAnySlash adds nothing or anything that a slash ends.
func (p *program) maybeAnySlash() {
	fork := p.add(step{do: doFork})
	p.loop(step{do: doAny})
	p.add(step{do: doByte, b: '/'})
	(*p)[fork].x, (*p)[fork].y = fork+1, p.here()
}

func (p *program) tokens(tokens []token) {
	for _, t := range tokens {
		switch t.op {
		case opText:
			for i := range len(t.text) {
				p.add(step{do: doByte, b: t.text[i]})
			}
		case opOne:
			p.add(step{do: doName})
		case opStar:
			p.loop(step{do: doName})
		case opSet:
			p.add(step{do: doSet, set: t.set})
		case opPrefix:
			p.maybeAnySlash()
		case opMiddle:
			p.add(step{do: doByte, b: '/'})
			p.maybeAnySlash()
		case opSuffix:
			p.add(step{do: doByte, b: '/'})
			p.loop(step{do: doAny})
		case opEither:
			p.either(t.either)
		}
	}
}

// either adds alternatives. Empty ones do not count, as in ripgrep.
func (p *program) either(all [][]token) {
	var ends []int32
	var fork int32 = -1
	for _, one := range all {
		if len(one) == 0 {
			continue
		}
		if fork >= 0 {
			ends = append(ends, p.add(step{do: doJump}))
			(*p)[fork].y = p.here()
		}
		fork = p.add(step{do: doFork})
		(*p)[fork].x = fork + 1
		p.tokens(one)
	}
	if fork >= 0 {
		(*p)[fork].do, (*p)[fork].y = doJump, 0 // the last has no other
	}
	for _, end := range ends {
		(*p)[end].x = p.here()
	}
}

// matches reports whether the whole of s matches.
func (p program) matches(s string) bool {
	var room [2][64]int32
	var mark [64]int32
	t := threads{program: p, seen: mark[:]}
	now, next := room[0][:0], room[1][:0]
	if len(p) > len(mark) {
		t.seen = make([]int32, len(p))
	}
	now = t.follow(now, 0)
	for i := range len(s) {
		if len(now) == 0 {
			return false
		}
		t.round++
		for _, at := range now {
			if p[at].eats(s[i]) {
				next = t.follow(next, at+1)
			}
		}
		now, next = next, now[:0]
	}
	for _, at := range now {
		if p[at].do == doMatch {
			return true
		}
	}
	return false
}

func (s *step) eats(b byte) bool {
	switch s.do {
	case doByte:
		return s.b == b
	case doName:
		return b != '/'
	case doAny:
		return true
	case doSet:
		return s.set.has(b)
	}
	return false
}

// threads are the places where a program may be.
type threads struct {
	program program
	seen    []int32 // round+1 in which a place was added
	round   int32
}

// follow adds at, or where it leads without eating a byte.
func (t *threads) follow(places []int32, at int32) []int32 {
	for t.seen[at] != t.round+1 {
		t.seen[at] = t.round + 1
		switch s := &t.program[at]; s.do {
		case doJump:
			at = s.x
		case doFork:
			places = t.follow(places, s.x)
			at = s.y
		default:
			return append(places, at)
		}
	}
	return places
}
