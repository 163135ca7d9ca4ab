package walk

import (
	"errors"
	"unicode/utf8"
)

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
