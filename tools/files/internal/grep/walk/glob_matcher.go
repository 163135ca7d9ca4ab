package walk

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// A globMatcher is a glob in the form that is cheapest to match.
type globMatcher struct {
	byName         bool // matches the last name of a path only
	prefix, suffix string
	middle         middleKind
	program        globProgram // used with middleByProgram
}

// A middleKind describes the text that may be between the prefix and the suffix of a globMatcher.
type middleKind byte

const (
	noMiddle           middleKind = iota // nothing; the prefix is the whole glob
	middleWithoutSlash                   // any text without a slash
	middleByProgram                      // text such that the program matches the whole string
)

func newGlobMatcher(tokens []globToken) globMatcher {
	if len(tokens) == 1 && tokens[0].op == opPrefix {
		tokens = []globToken{tokens[0], {op: opStar}} // "**/" alone matches everything
	}
	s := globMatcher{middle: middleByProgram}
	if len(tokens) > 0 && tokens[0].op == opPrefix && !spansNames(tokens[1:]) {
		s.byName, tokens = true, tokens[1:]
	}
	s.program = compile(tokens)
	if n := len(tokens); n > 0 && tokens[0].op == opText {
		s.prefix, tokens = tokens[0].text, tokens[1:]
	}
	if n := len(tokens); n > 0 && tokens[n-1].op == opText {
		s.suffix, tokens = tokens[n-1].text, tokens[:n-1]
	}
	switch {
	case len(tokens) == 0 && s.suffix == "":
		s.middle = noMiddle
	case len(tokens) == 1 && tokens[0].op == opStar:
		s.middle = middleWithoutSlash
	}
	if s.middle != middleByProgram {
		s.program = nil
	}
	return s
}

// matches reports whether the glob matches s: a path, or its last name if byName is
// set.
func (h *globMatcher) matches(s string) bool {
	if len(s) < len(h.prefix)+len(h.suffix) || !strings.HasPrefix(s, h.prefix) || !strings.HasSuffix(s, h.suffix) {
		return false
	}
	switch h.middle {
	case noMiddle:
		return len(s) == len(h.prefix)
	case middleWithoutSlash:
		return h.byName || !strings.Contains(s[len(h.prefix):len(s)-len(h.suffix)], "/")
	}
	return h.program.matches(s)
}

// spansNames reports whether tokens can match a slash.
func spansNames(tokens []globToken) bool {
	for _, t := range tokens {
		switch t.op {
		case opText:
			if strings.Contains(t.text, "/") {
				return true
			}
		case opSet:
			if t.set.has('/') {
				return true
			}
		case opPrefix, opMiddle, opSuffix:
			return true
		case opAlternatives:
			for _, one := range t.alternatives {
				if spansNames(one) {
					return true
				}
			}
		}
	}
	return false
}

// A globParser reads a glob character by character.
type globParser struct {
	rest      string
	prev, cur string
	stack     [][]globToken // tokens of the glob, then those of each alternative of an open {
}

// parseGlob parses a glob as ripgrep does: * and ? do not match slashes, but sets may.
// A glob matches bytes; only characters that stand for themselves are read as UTF-8.
func parseGlob(glob string) ([]globToken, error) {
	if len(glob) > maxGlob {
		return nil, errLength
	}
	p := globParser{rest: glob, stack: [][]globToken{nil}}
	for {
		c, ok := p.next()
		if !ok {
			break
		}
		if err := p.parse(c); err != nil {
			return nil, err
		}
	}
	if len(p.stack) > 1 {
		return nil, errBrace
	}
	return p.stack[0], nil
}

// maxGlob is the maximum length of a glob in bytes, since the time of a match grows
// with it.
const maxGlob = 4 << 10

// The errors of a glob.
var (
	errClass  = errors.New(`a [ is not closed; close it, or write \[ for the character itself`)
	errRange  = errors.New("a range in [ ] ends before it begins; write its ends the other way round")
	errBrace  = errors.New(`a { is not closed; close it, or write \{ for the character itself`)
	errNested = errors.New("a { stands inside another; write out the inner ones")
	errEscape = errors.New(`it ends with a \; put a character after it, or leave it out`)
	errLength = errors.New("it is too long; use a shorter one")
)

// next moves to the next character.
func (p *globParser) next() (string, bool) {
	p.prev = p.cur
	if p.rest == "" {
		p.cur = ""
		return "", false
	}
	_, n := utf8.DecodeRuneInString(p.rest)
	p.cur, p.rest = p.rest[:n], p.rest[n:]
	return p.cur, true
}

func (p *globParser) peek() string {
	_, n := utf8.DecodeRuneInString(p.rest)
	return p.rest[:n]
}

func (p *globParser) push(t globToken) {
	top := &p.stack[len(p.stack)-1]
	if last := len(*top) - 1; t.op == opStar && last >= 0 && (*top)[last].op == opStar {
		return // two stars match the same as one
	}
	*top = append(*top, t)
}

func (p *globParser) pushText(s string) { p.push(globToken{op: opText, text: s}) }

func (p *globParser) parse(c string) error {
	switch c {
	case "?":
		p.push(globToken{op: opOne})
	case "*":
		p.star()
	case "[":
		return p.class()
	case "{":
		if len(p.stack) > 1 {
			return errNested
		}
		p.stack = append(p.stack, nil)
	case "}":
		either := p.stack[1:]
		p.stack = p.stack[:1:1]
		p.push(globToken{op: opAlternatives, alternatives: either})
	case ",":
		if len(p.stack) == 1 {
			p.pushText(c)
		} else {
			p.stack = append(p.stack, nil)
		}
	case `\`:
		c, ok := p.next()
		if !ok {
			return errEscape
		}
		p.pushText(c)
	default:
		p.pushText(c)
	}
	return nil
}

// star parses * and **. The latter matches directories only where it is a whole name.
func (p *globParser) star() {
	prev := p.prev
	if p.peek() != "*" {
		p.push(globToken{op: opStar})
		return
	}
	p.next()
	top := &p.stack[len(p.stack)-1]
	next, inBraces := p.peek(), len(p.stack) > 1
	begins := prev == "/" || inBraces && (prev == "," || prev == "{")
	switch {
	case len(*top) == 0 && (next == "" || next == "/"):
		p.next()
		p.push(globToken{op: opPrefix})
		return
	case len(*top) == 0, !begins:
		p.push(globToken{op: opStar})
		return
	}
	t := globToken{op: opSuffix}
	switch {
	case next == "":
		p.next()
	case inBraces && (next == "," || next == "}"):
	case next == "/":
		p.next()
		t.op = opMiddle
	default:
		p.push(globToken{op: opStar})
		return
	}
	last := len(*top) - 1
	before := (*top)[last].op
	*top = (*top)[:last] // drop the slash before the stars
	if before == opPrefix || before == opSuffix {
		t.op = before
	}
	p.push(t)
}

// class parses a set, after its [.
func (p *globParser) class() error {
	negated := false
	if next := p.peek(); next == "!" || next == "^" {
		p.next()
		negated = true
	}
	var ranges [][2]string
	inRange := false
	for first := true; ; first = false {
		c, ok := p.next()
		if !ok {
			return errClass
		}
		if c == "]" && !first {
			break
		}
		switch {
		case inRange:
			last := &ranges[len(ranges)-1]
			last[1], inRange = c, false
			if last[1] < last[0] {
				return errRange
			}
		case c == "-" && !first:
			inRange = true
		default:
			ranges = append(ranges, [2]string{c, c})
		}
	}
	if inRange {
		ranges = append(ranges, [2]string{"-", "-"})
	}
	p.push(globToken{op: opSet, set: setOf(ranges, negated)})
	return nil
}

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

// A globToken is a part of a glob.
type globToken struct {
	op           tokenOp
	text         string        // of opText
	set          *byteSet      // of opSet
	alternatives [][]globToken // of opEither
}

// A tokenOp determines the text that a globToken matches.
type tokenOp byte

const (
	opText         tokenOp = iota // the text itself
	opOne                         // ?: any byte except a slash
	opStar                        // *: any bytes except slashes
	opSet                         // [...]: a byte of the set
	opPrefix                      // **/ at the start: nothing, or any text that ends with a slash
	opMiddle                      // /**/: a slash, or any text between two slashes
	opSuffix                      // /** at the end: a slash and any text
	opAlternatives                // {...}: one of the alternatives
)

// A byteSet is a set of bytes.
type byteSet [4]uint64

// setOf returns the bytes of ranges. For characters outside ASCII it does the same as
// ripgrep: it adds the bytes of both characters, and the range between the last byte of
// one and the first byte of the other.
func setOf(ranges [][2]string, negated bool) *byteSet {
	var s byteSet
	for _, r := range ranges {
		from, to := r[0], r[1]
		if from == to {
			to = ""
		}
		for i := range len(from) {
			s.add(from[i], from[i])
		}
		for i := range len(to) {
			s.add(to[i], to[i])
		}
		if to != "" {
			s.add(from[len(from)-1], to[0])
		}
	}
	if negated {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	return &s
}

func (s *byteSet) add(from, to byte) {
	for b := int(from); b <= int(to); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
