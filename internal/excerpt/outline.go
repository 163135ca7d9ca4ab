package excerpt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// MaxJSON is the maximum number of bytes of a document for [Outline]. A document made to
// cost most, such as a list of digits, needs 70 times as much memory for a moment.
const MaxJSON = 4 << 20

const (
	minJSON    = 64  // characters of a cut document, which fit its notes
	minValue   = 40  // characters that any value can be cut to
	maxNesting = 200 // levels of cut values; complete values may nest deeper
	// The cutter reads at most maxReads times the document and extraReads bytes more. The
	// second number keeps it from omitting values of small documents.
	maxReads   = 16
	extraReads = 4 << 20
)

// Outline cuts a JSON document to at most that many characters, or 64 if that is more.
// The text is a JSON document too. It is the source itself if that is not longer.
//
// An array keeps its first elements, an object its first members, a string its beginning.
// The kept parts keep their bytes. A note in the place of the rest counts it:
//
//	[1,2,{"…":"98 more items"}]
//	{"a":1,"…":"3 more members"}
//	"the beginning…[640 more characters]"
//
// Every part gets a share of the characters before one part gets more, so that the
// outline shows the whole document rather than all of its first part. Space between values
// is dropped first; if that is enough, nothing else is, and there is no note. A value that
// nests deeper than 200 levels is omitted as a whole if it has to be cut.
//
// The source must be complete. ok is false for a text that is not JSON or has more than
// [MaxJSON] bytes; the caller can cut it with [Beginning]. The time is linear in the size
// of the document, whatever its content, and the memory in the number of values of its
// largest array or object.
func Outline(s Source, characters int) (x Excerpt, ok bool) {
	if s.Omitted > 0 {
		return Excerpt{}, false
	}
	text, lost, ok := outline(slices.Concat(s.Head, s.Tail), characters)
	if !ok || !lost {
		return Excerpt{Text: text}, ok
	}
	note := fmt.Sprintf("[%s too long to show: %s. %s. Below is a shorter JSON document; each \"…\" in it says what was left out there.]",
		s.name(), s.size(), s.location())
	return Excerpt{Note: note, Text: text}, true
}

// outline returns the text of an outline and reports whether it lost more than space.
func outline(document []byte, characters int) (text string, lost, ok bool) {
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

// A cutter writes the outline of a document that has no space between its values. Lengths
// are in characters.
type cutter struct {
	document   *jsonedit.Document
	readBudget int // bytes of arrays and objects that may still be read through
	out        []byte
}

// value writes v in at most room characters. The room is enough for v or for minValue.
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

// text writes the beginning of a string that is longer than room. It does not divide an
// escape.
func (c *cutter) text(literal []byte, room int) {
	content := literal[1 : len(literal)-1]
	total := 0
	for at := 0; at < len(content); total++ {
		size, _ := character(content[at:])
		at += size
	}
	room -= utf8.RuneCountInString(moreText(total)) + len(`""`)
	end, kept := 0, 0
	for end < len(content) {
		size, width := character(content[end:])
		if room -= width; room < 0 {
			break
		}
		end += size
		kept++
	}
	c.out = append(append(c.out, '"'), content[:end]...)
	c.out = append(append(c.out, moreText(total-kept)...), '"')
}

func moreText(characters int) string { return "…[" + counted(characters, "more character") + "]" }

// omit writes a note in the place of a value: one that nests too deep or would cost too
// much to read, or a number that is too long.
func (c *cutter) omit(text []byte) {
	switch note := fmt.Sprintf(`"…":"%d bytes left out"`, len(text)); text[0] {
	case '[':
		c.out = append(c.out, "[{"+note+"}]"...)
	default:
		c.out = append(c.out, "{"+note+"}"...)
	}
}

// character returns the size of the first character of a string's content in bytes, and
// its width in characters of the document: an escape has several.
func character(content []byte) (size, width int) {
	_, size = jsonscan.Char(content)
	if content[0] == '\\' {
		return size, size
	}
	return size, 1
}

// A container is an array or object that has to be cut.
type container struct {
	brackets string
	noteKey  string // the key of the note
	total    int    // number of its items
	items    []item // the first items, at most as many as there may be room for
}

// An item is an element of an array or a member of an object.
type item struct {
	key    []byte // with its quotes and the colon; nil in an array
	value  jsonedit.Span
	length int // of the value in characters; if it does not fit, a number above the room
	share  int // characters that the value may have
}

// containerAt returns the array or object at v with the items that may fit room.
func (c *cutter) containerAt(v jsonedit.Span, room int) container {
	if c.document.Opens(v, '[') {
		elements := c.document.Elements(v)
		o := container{brackets: "[]", noteKey: "…", total: len(elements)}
		o.items = make([]item, min(o.total, room))
		for i, e := range elements[:len(o.items)] {
			o.items[i].value = e
		}
		return o
	}
	members := c.document.Top()
	if v != c.document.Root() {
		members = c.document.Members(v)
	}
	o := container{brackets: "{}", noteKey: noteKey(members), total: len(members)}
	o.items = make([]item, min(o.total, room))
	for i, m := range members[:len(o.items)] {
		o.items[i].key = c.document.Bytes(jsonedit.Span{Start: m.Start, End: m.Value.Start})
		o.items[i].value = m.Value
	}
	return o
}

// noteKey returns a key for the note that the object does not have yet: a document that
// was cut before has a note, and some readers refuse repeated keys. It tries three keys,
// since the note must stay short.
func noteKey(members []jsonedit.Member) string {
	key := "…"
	for range 2 {
		if jsonedit.IndexOf(members, key) < 0 {
			break
		}
		key += "…"
	}
	return key
}

// note returns the note that counts the omitted items.
func (o container) note(left int) string {
	if o.brackets == "[]" {
		return fmt.Sprintf(`{"%s":"%s"}`, o.noteKey, counted(left, "more item"))
	}
	return fmt.Sprintf(`"%s":"%s"`, o.noteKey, counted(left, "more member"))
}

// share returns the number of items to show in room, and sets their shares. An object
// shows as many members as possible, cut if necessary. The elements of an array are mostly
// alike, so an array shows fewer of them with longer shares.
func (c *cutter) share(o container, room int) (shown int) {
	minShare := minValue
	if o.brackets == "[]" {
		minShare = max(minShare, room/8)
	}
	note := utf8.RuneCountInString(o.note(max(o.total, 2))) + len(",")
	used, spare := 0, 0
	for i := range o.items {
		it := &o.items[i]
		it.length = c.length(it.value, room)
		it.share = min(it.length, minShare)
		used += utf8.RuneCount(it.key) + it.share
		if i > 0 {
			used += len(",")
		}
		if used > room {
			break
		}
		switch {
		case i == o.total-1:
			shown, spare = i+1, room-used
		case used+note <= room:
			shown, spare = i+1, room-used-note
		}
	}
	distribute(o.items[:shown], spare)
	return shown
}

// distribute adds spare characters to the shares, in equal parts to the items that can
// use them.
func distribute(items []item, spare int) {
	order := make([]*item, len(items))
	for i := range items {
		order[i] = &items[i]
	}
	slices.SortStableFunc(order, func(a, b *item) int { return cmp.Compare(a.length-a.share, b.length-b.share) })
	for i, it := range order {
		more := min(it.length-it.share, spare/(len(order)-i))
		it.share += more
		spare -= more
	}
}

// Last returns the end of b as valid UTF-8 of at most limit bytes, and the offset in b at
// which it starts. It starts at a line, or at a character if there is only one line.
// fromStart says that b starts where the text does; otherwise b may start within a line or
// a character.
func Last(b []byte, limit int, fromStart bool) (text string, start int) {
	start = lastFitting(b, limit)
	atLine := fromStart
	if start > 0 {
		atLine = b[start-1] == '\n'
	}
	if !atLine {
		if line := bytes.IndexByte(b[start:], '\n') + 1; line > 0 && start+line < len(b) {
			start += line
		}
		for range utf8.UTFMax - 1 {
			if start < len(b) && !utf8.RuneStart(b[start]) {
				start++
			}
		}
	}
	return strings.ToValidUTF8(string(b[start:]), string(utf8.RuneError)), start
}

// lastFitting returns the offset of the longest end of b that has at most limit bytes as
// valid UTF-8. U+FFFD, which replaces invalid bytes, is longer than one of them.
func lastFitting(b []byte, limit int) int {
	at, broken := len(b), false
	for at > 0 {
		r, width := utf8.DecodeLastRune(b[:at])
		cost, was := width, broken
		if broken = r == utf8.RuneError && width == 1; broken {
			cost = utf8.RuneLen(utf8.RuneError)
			if was { // one U+FFFD replaces the whole run
				cost = 0
			}
		}
		if limit -= cost; limit < 0 {
			break
		}
		at -= width
	}
	return at
}
