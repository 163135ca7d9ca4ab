package chat

import "github.com/seed49eaa51d/pegboard/internal/jsonobject"

// A progress follows arguments while they arrive, to find the end of their object. It
// reads each byte once, however small the pieces are.
type progress struct {
	depth            int
	inText, escaped  bool
	ended, overrun   bool // the object ended; more than space follows it
	checked, correct bool // the whole object was parsed once; it is valid
}

// add takes the next piece of the arguments.
func (p *progress) add(piece []byte) {
	for _, c := range piece {
		switch {
		case p.ended:
			p.overrun = p.overrun || c != ' ' && c != '\t' && c != '\n' && c != '\r'
		case p.escaped:
			p.escaped = false
		case p.inText:
			p.escaped, p.inText = c == '\\', c != '"'
		case c == '"':
			p.inText = true
		case c == '{', c == '[':
			p.depth++
		case c == '}', c == ']':
			p.depth--
			p.ended = p.depth <= 0
		}
	}
}

// whole reports whether the arguments so far are an object. Once they are, only further
// bytes after the object can change that.
func (p *progress) whole(input func() []byte) bool {
	if !p.ended || p.overrun {
		return false
	}
	if !p.checked {
		p.checked, p.correct = true, jsonobject.Is(input())
	}
	return p.correct
}
