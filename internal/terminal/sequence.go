package terminal

// maxSequence limits the bytes of an escape sequence. No terminal would know a longer one;
// links are the longest.
const maxSequence = 4 << 10

// A sequence reads one escape sequence. The zero sequence has not begun.
type sequence struct {
	state     sequenceState
	size      int
	final     byte // of a control sequence; 0 for all others
	parameter int  // the first of a control sequence
	more      bool // parameter is complete
}

type sequenceState int

const (
	outside     sequenceState = iota
	begun                     // after the escape character
	designating               // after a byte that needs another one, such as the ( of ESC ( B
	control                   // after ESC [
	text                      // after ESC ] and its like, which end with a bell or ESC \
	textEscape                // after an escape character within text
)

func (s *sequence) begun() bool { return s.state != outside }

func (s *sequence) begin() { *s = sequence{state: begun} }

// end resets the sequence. It returns the last byte and the first parameter of a control
// sequence, and 0 for the others.
func (s *sequence) end() (final byte, parameter int) {
	final, parameter = s.final, s.parameter
	*s = sequence{}
	return final, parameter
}

// write reads the bytes of p that belong to the sequence, and reports whether it has ended.
// It ends with its line at the latest.
func (s *sequence) write(p []byte) (n int, done bool) {
	for i, b := range p {
		printable := b >= 0x20 && b <= 0x7e
		if b == '\n' || s.size == maxSequence || !printable && s.state != text && s.state != textEscape {
			return i, true
		}
		s.size++
		if s.next(b) {
			return i + 1, true
		}
	}
	return len(p), false
}

// next reads a byte and reports whether it is the last.
func (s *sequence) next(b byte) (last bool) {
	switch s.state {
	case begun:
		switch {
		case b == '[':
			s.state = control
		case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
			s.state = text
		case b >= 0x20 && b <= 0x2f:
			s.state = designating
		default:
			return true
		}
	case designating:
		return b < 0x20 || b > 0x2f
	case control:
		s.readParameter(b)
		if b >= 0x40 && b <= 0x7e {
			s.final = b
			return true
		}
	case text:
		if b == escape {
			s.state = textEscape
		}
		return b == bell
	case textEscape:
		s.state = text
		return b == '\\'
	}
	return false
}

// readParameter reads a byte of a control sequence.
func (s *sequence) readParameter(b byte) {
	if b < '0' || b > '9' {
		s.more = true
	} else if !s.more && s.parameter < 1000 {
		s.parameter = s.parameter*10 + int(b-'0')
	}
}
