package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// A PartialCall is a call that the model is still writing. It is for user interfaces
// alone: nothing may be run or decided because of it, since the reply may be cut, or the
// rest of the input may change its meaning. The call follows in an [Event] of its own once
// it is complete, or it is one of [Message].Incomplete.
type PartialCall struct {
	ID   string // empty until it is known; some services send none
	Name string // in the pool; some services send it in pieces
	Text string // the input so far, which may end anywhere; its members have the provider's names
}

// Input returns Text as a JSON object: the members that have arrived, and of a string that
// is cut its beginning. A number, a name or a word that is cut is left out, and so is all
// that follows a mistake. It is nil if no object has begun, or if values nest
// 10,000 levels deep.
//
// The time is linear in the length of Text: for a long input a host calls Input some times
// a second and not for each event.
func (p *PartialCall) Input() json.RawMessage {
	var s partialScan
	text := strings.TrimLeft(p.Text, " \t\r\n")
	if !strings.HasPrefix(text, "{") {
		return nil
	}
	s.read(text)
	if s.deepest >= maxPartialDepth {
		return nil
	}
	closers := s.closers()
	for cut := len(text); s.inText && cut > s.textStart && cut >= len(text)-maxEscape; cut-- {
		if o := closed(text[:cut], `"`+closers); o != nil {
			return o
		}
	}
	return closed(text[:s.safe], closers)
}

// maxPartialDepth limits how deep values nest, whatever the release of Go accepts.
const maxPartialDepth = 10_000

// maxEscape is the length of the longest escape in a JSON string, in bytes.
const maxEscape = len(`\u0000`)

// closed returns text and its end, or nil if this is not JSON.
func closed(text, end string) json.RawMessage {
	o := json.RawMessage(text + end)
	if !json.Valid(o) {
		return nil
	}
	return o
}

// A partialScan reads JSON that may end anywhere.
type partialScan struct {
	open      []json.Delim // the arrays and objects that have not ended
	deepest   int          // the largest length of open
	atName    bool         // the next token of an object is a name
	safe      int          // the text before it ends after a whole value, or after a bracket
	inText    bool         // the text ends within a string that is a value
	textStart int          // of that string
}

func (s *partialScan) read(text string) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		at := int(d.InputOffset())
		if err != nil {
			s.findText(text, at)
			return
		}
		if s.take(token, at, len(text)); len(s.open) == 0 {
			return
		}
	}
}

// take takes a token that ends at a position of a text.
func (s *partialScan) take(token json.Token, at, size int) {
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			s.open = append(s.open, t)
			s.deepest = max(s.deepest, len(s.open))
		} else {
			s.open = s.open[:len(s.open)-1]
		}
		s.safe = at
		s.atName = s.inObject()
		return
	case json.Number:
		if at == size { // more digits may follow
			return
		}
	}
	if s.inObject() && s.atName {
		s.atName = false
		return
	}
	s.safe, s.atName = at, s.inObject()
}

func (s *partialScan) inObject() bool { return len(s.open) > 0 && s.open[len(s.open)-1] == '{' }

// findText looks for a string that is cut, in the text from the end of the last token on.
func (s *partialScan) findText(text string, at int) {
	rest := strings.TrimLeft(text[at:], " \t\r\n,:")
	if strings.HasPrefix(rest, `"`) && !s.atName {
		s.inText, s.textStart = true, len(text)-len(rest)
	}
}

// closers returns the brackets that end all that is open.
func (s *partialScan) closers() string {
	var end strings.Builder
	for _, bracket := range slices.Backward(s.open) {
		if bracket == '{' {
			end.WriteByte('}')
		} else {
			end.WriteByte(']')
		}
	}
	return end.String()
}
