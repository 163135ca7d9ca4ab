package repair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// work is what the menders of one input share.
type work struct {
	rules   *rules
	allow   Kinds
	repairs []Repair
	failed  bool // no more is mended, and nothing of what was
}

func (w *work) record(kind Kind, at *strictjson.Trail, note string) {
	if len(w.repairs) == maxRepairs {
		w.failed = true
		return
	}
	w.repairs = append(w.repairs, Repair{Kind: kind, Path: at.Path(), Note: note})
}

// A mender writes one text anew: the input or one that a string in it holds.
type mender struct {
	*work
	scanner
	out    []byte
	copied int // bytes of data that out has, mended or not
	depth  int // levels left
	inner  int // strings around this text
}

// keep writes what is not yet written up to end.
func (m *mender) keep(end int) {
	m.out = append(m.out, m.data[m.copied:end]...)
	m.copied = end
}

// replace writes something else for what lies between start and pos.
func (m *mender) replace(start int, with []byte) {
	m.keep(start)
	m.out = append(m.out, with...)
	m.copied = m.pos
}

// text mends the whole text.
func (m *mender) text(n *node, at *strictjson.Trail) {
	m.space()
	m.value(n, at)
	m.keep(len(m.data))
}

// value mends the value at pos, which n describes.
func (m *mender) value(n *node, at *strictjson.Trail) {
	t := m.rules.typesOf(n)
	switch c := m.data[m.pos]; {
	case n == nil || m.failed:
		m.skip()
	case c == '"' && t&text == 0 && t&(object|list) != 0:
		m.decode(n, at)
	case c == '[' && t&^null == text:
		m.join(at)
	case c == '[':
		m.list(n, at)
	case c == '{':
		m.object(n, at)
	default:
		m.skip()
	}
}

func (m *mender) list(n *node, at *strictjson.Trail) {
	m.open()
	for i := 0; m.more(); i++ {
		if in := m.rules.element(n, i); in != nil {
			m.value(in, at.Index(i))
		} else {
			m.skip()
		}
	}
	m.close()
}

func (m *mender) object(n *node, at *strictjson.Trail) {
	m.open()
	kept := false // whether a member before this one is
	for end := m.pos; m.more(); end = m.pos {
		start := m.pos
		key := unquote(m.skip())
		m.space()
		switch in := m.rules.property(n, key); {
		case in == nil:
			m.skip()
			kept = true
		case m.droppable(n, in, key):
			m.record(DropNulls, at.Key(key),
				"Null for the optional property "+strictjson.Quote(key)+" was dropped.")
			m.skip()
			m.drop(end, start, kept)
		default:
			m.value(in, at.Key(key))
			kept = true
		}
	}
	m.close()
}

func (m *mender) open() {
	m.pos++
	m.depth--
}

func (m *mender) close() {
	m.pos++
	m.depth++
}

// droppable reports whether the value at pos is a null that in forbids, for a
// property that objects of n may lack.
func (m *mender) droppable(n, in *node, key string) bool {
	if m.failed || m.data[m.pos] != 'n' || !m.allow.Has(DropNulls) {
		return false
	}
	t := m.rules.typesOf(in)
	return t != 0 && t&null == 0 && m.rules.optional(n, key)
}

// drop leaves out the member from start to pos: with the comma before it, which
// follows end, or with the one behind it if none before is kept.
func (m *mender) drop(end, start int, kept bool) {
	if kept {
		m.replace(end, nil)
		return
	}
	m.replace(start, nil)
	if m.more() {
		m.copied = m.pos
	}
}

// decode puts the object or list that a string holds in its place.
func (m *mender) decode(n *node, at *strictjson.Trail) {
	start := m.pos
	quoted := m.skip()
	if !m.allow.Has(JSONInString) || m.depth == 0 {
		return
	}
	inner := bytes.Trim([]byte(unquote(quoted)), " \t\r\n")
	if len(inner) == 0 || bracketed(inner[0])&m.rules.typesOf(n) == 0 {
		return
	}
	if _, err := strictjson.Decode(inner, strictjson.Limits{Depth: m.depth}); err != nil {
		return
	}
	if m.inner == maxInner {
		m.failed = true
		return
	}
	m.record(JSONInString, at, "A string that holds JSON was decoded.")
	in := mender{work: m.work, scanner: scanner{data: inner}, depth: m.depth, inner: m.inner + 1}
	in.text(n, at)
	m.replace(start, in.out)
}

// bracketed returns the type of a value that starts with c, 0 if that is not a
// bracket.
func bracketed(c byte) types {
	switch c {
	case '{':
		return object
	case '[':
		return list
	default:
		return 0
	}
}

// join puts one string in the place of a list of strings.
func (m *mender) join(at *strictjson.Trail) {
	start := m.pos
	elements := scanner{data: m.skip(), pos: 1}
	if !m.allow.Has(JoinStrings) {
		return
	}
	var joined []byte
	count := 0
	for ; elements.more(); count++ {
		element := elements.skip()
		if element[0] != '"' {
			return
		}
		joined = append(joined, element[1:len(element)-1]...)
		joined = append(joined, `\n`...)
	}
	if count == 0 {
		return // no text is not the same as an empty one
	}
	joined = joined[:len(joined)-len(`\n`)]
	m.record(JoinStrings, at, fmt.Sprintf("A list of %d strings was joined to one.", count))
	m.replace(start, slices.Concat([]byte{'"'}, joined, []byte{'"'}))
}

// unquote returns the string that a quoted one stands for.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return "" // cannot happen: strictjson read it
	}
	return s
}
