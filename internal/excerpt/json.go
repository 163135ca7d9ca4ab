package excerpt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// MaxJSON is how many bytes a document may have for [JSON] and [Outline]. One that is
// made for it, such as a list of so many digits, takes 70 times as much memory for a
// moment.
const MaxJSON = 4 << 20

const (
	minJSON    = 64  // characters of a cut document, for its notes alone
	minValue   = 40  // characters that any value can be cut down to
	maxNesting = 200 // of values that are cut; what is whole may go deeper
	// A document is read through so many times at most, and so many bytes more, so
	// that a small one is never left out for that.
	maxReads   = 16
	extraReads = 4 << 20
)

// JSON cuts a JSON document to at most so many characters, or 64 if that is more,
// and returns a JSON document. One that is not longer is returned as it is.
//
// An array keeps its first elements, an object its first members, a string its
// beginning; what is kept of them keeps its bytes. A note says how much was left out:
//
//	[1,2,{"…":"98 more items"}]
//	{"a":1,"…":"3 more members"}
//	"the beginning…[640 more characters]"
//
// Every part gets a share before one of them gets more, so that the outline of all
// is seen rather than the whole of the first. Space between values goes first, and
// if that is enough nothing else does. What is nested more than 200 deep is left out
// as a whole if it has to be cut.
//
// The document has to be in memory. ok is false for what is no JSON and for more than
// [MaxJSON] bytes; cut that as any text, with [Beginning]. The time it takes grows
// with the size of the document, whatever is in it, and the memory with the number
// of values in its largest array or object.
func JSON(document []byte, characters int) (cut string, ok bool) {
	cut, _, ok = cutJSON(document, characters)
	return cut, ok
}

// Outline is [JSON] for a source that is all there, with a note as the other cuts
// have it. There is none if nothing but space was left out.
func Outline(s Source, characters int) (x Excerpt, ok bool) {
	if s.Omitted > 0 {
		return Excerpt{}, false
	}
	text, lost, ok := cutJSON(slices.Concat(s.Head, s.Tail), characters)
	if !ok || !lost {
		return Excerpt{Text: text}, ok
	}
	note := fmt.Sprintf("[%s too long to show: %s. %s. Below is a shorter JSON document; each \"…\" in it says what was left out there.]",
		s.name(), s.size(), s.rest("All of it is"))
	return Excerpt{Note: note, Text: text}, true
}

// cutJSON is JSON. It reports whether anything but space was lost.
func cutJSON(document []byte, characters int) (cut string, lost, ok bool) {
	if len(document) > MaxJSON {
		return "", false, false
	}
	document = bytes.ToValidUTF8(document, []byte(string(utf8.RuneError)))
	var compact bytes.Buffer
	compact.Grow(len(document))
	if json.Compact(&compact, document) != nil {
		return "", false, false
	}
	if utf8.RuneCount(document) <= characters {
		return string(document), false, true
	}
	parsed, err := jsonedit.Parse(compact.Bytes())
	if err != nil {
		return "", false, false
	}
	characters = max(characters, minJSON)
	c := cutter{document: parsed, readBudget: maxReads*compact.Len() + extraReads}
	lost = c.length(parsed.Root(), characters) > characters
	c.value(parsed.Root(), characters, 0)
	return string(c.out), lost, true
}

// A cutter writes a shorter form of a document that has no space between its
// values. Lengths are in characters.
type cutter struct {
	document   *jsonedit.Document
	readBudget int // bytes of arrays and objects that may still be read through
	out        []byte
}

// value writes v in at most room, which is enough for all of v or for minValue.
func (c *cutter) value(v jsonedit.Span, room, depth int) {
	text := c.document.Bytes(v)
	switch nests := text[0] == '{' || text[0] == '['; {
	case c.length(v, room) <= room:
		c.out = append(c.out, text...)
	case text[0] == '"':
		c.text(text, room)
	case nests && depth < maxNesting && len(text) <= c.readBudget:
		c.readBudget -= len(text)
		c.container(c.containerAt(v, room), room, depth)
	default:
		c.omit(text)
	}
}

// length returns the characters of v, or limit+1 if they are more.
func (c *cutter) length(v jsonedit.Span, limit int) int {
	text := c.document.Bytes(v)
	if len(text)/utf8.UTFMax > limit {
		return limit + 1
	}
	return min(utf8.RuneCount(text), limit+1)
}

// container writes the first items of an array or object.
func (c *cutter) container(o container, room, depth int) {
	shown := c.share(o, room-len("[]"))
	c.out = append(c.out, o.brackets[0])
	for i, it := range o.items[:shown] {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, it.key...)
		c.value(it.value, it.share, depth+1)
	}
	if left := o.total - shown; left > 0 {
		if shown > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, o.note(left)...)
	}
	c.out = append(c.out, o.brackets[1])
}

// text writes the beginning of a string that is longer than room. Its escapes are
// left as they are, so none may be cut.
func (c *cutter) text(literal []byte, room int) {
	inside := literal[1 : len(literal)-1]
	total := 0
	for at := 0; at < len(inside); total++ {
		size, _ := character(inside[at:])
		at += size
	}
	room -= utf8.RuneCountInString(moreText(total)) + len(`""`)
	end, kept := 0, 0
	for end < len(inside) {
		size, width := character(inside[end:])
		if room -= width; room < 0 {
			break
		}
		end += size
		kept++
	}
	c.out = append(append(c.out, '"'), inside[:end]...)
	c.out = append(append(c.out, moreText(total-kept)...), '"')
}

func moreText(characters int) string { return "…[" + counted(characters, "more character") + "]" }

// omit writes what stands for a value that is not read: it is too deep, or a
// number too long.
func (c *cutter) omit(text []byte) {
	switch note := fmt.Sprintf(`"…":"%d bytes left out"`, len(text)); text[0] {
	case '[':
		c.out = append(c.out, "[{"+note+"}]"...)
	default:
		c.out = append(c.out, "{"+note+"}"...)
	}
}

// character returns how many bytes the first character in a string has, and how many
// characters they are in the document, where it may be escaped.
func character(inside []byte) (size, width int) {
	_, size = jsonscan.Char(inside)
	if inside[0] == '\\' {
		return size, size
	}
	return size, 1
}
