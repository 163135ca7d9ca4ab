package repair

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
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
	scan   jsonscan.Scanner
	out    []byte
	copied int // bytes of data that out has, mended or not
	depth  int // levels left
	inner  int // strings around this text
}

// keep writes what is not yet written up to end.
func (m *mender) keep(end int) {
	m.out = append(m.out, m.scan.Text[m.copied:end]...)
	m.copied = end
}

// replace writes something else for what lies between start and pos.
func (m *mender) replace(start int, with []byte) {
	m.keep(start)
	m.out = append(m.out, with...)
	m.copied = m.scan.Pos
}

// text mends the whole text.
func (m *mender) text(n *node, at *strictjson.Trail) {
	m.scan.Next()
	m.value(n, at)
	m.keep(len(m.scan.Text))
}

// value mends the value at pos, which n describes.
func (m *mender) value(n *node, at *strictjson.Trail) {
	t := m.rules.typesOf(n)
	switch c := m.scan.Text[m.scan.Pos]; {
	case n == nil || m.failed:
		m.scan.Value()
	case c == '"' && t&text == 0 && t&(object|list) != 0:
		m.decode(n, at)
	case c == '[' && t&^null == text:
		m.join(at)
	case c == '[':
		m.list(n, at)
	case c == '{':
		m.object(n, at)
	default:
		m.scan.Value()
	}
}

func (m *mender) list(n *node, at *strictjson.Trail) {
	m.open()
	for i := 0; m.scan.More(); i++ {
		if in := m.rules.element(n, i); in != nil {
			m.value(in, at.Index(i))
		} else {
			m.scan.Value()
		}
	}
	m.close()
}

func (m *mender) object(n *node, at *strictjson.Trail) {
	m.open()
	kept := false // whether a member before this one is
	for end := m.scan.Pos; m.scan.More(); end = m.scan.Pos {
		start := m.scan.Pos
		key := jsonscan.Unquote(m.scan.Value())
		m.scan.Next()
		switch in := m.rules.property(n, key); {
		case in == nil:
			m.scan.Value()
			kept = true
		case m.droppable(n, in, key):
			m.record(DropNulls, at.Key(key),
				"Null for the optional property "+strictjson.Quote(key)+" was dropped.")
			m.scan.Value()
			m.drop(end, start, kept)
		default:
			m.value(in, at.Key(key))
			kept = true
		}
	}
	m.close()
}

func (m *mender) open() {
	m.scan.Pos++
	m.depth--
}

func (m *mender) close() {
	m.scan.Pos++
	m.depth++
}

// droppable reports whether the value at pos is a null that in forbids, for a
// property that objects of n may lack.
func (m *mender) droppable(n, in *node, key string) bool {
	if m.failed || m.scan.Text[m.scan.Pos] != 'n' || !m.allow.Has(DropNulls) {
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
	if m.scan.More() {
		m.copied = m.scan.Pos
	}
}

// decode puts the object or list that a string holds in its place.
func (m *mender) decode(n *node, at *strictjson.Trail) {
	start := m.scan.Pos
	quoted := m.scan.Value()
	if !m.allow.Has(JSONInString) || m.depth == 0 {
		return
	}
	inner := bytes.Trim([]byte(jsonscan.Unquote(quoted)), " \t\r\n")
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
	in := mender{work: m.work, scan: jsonscan.Scanner{Text: inner}, depth: m.depth, inner: m.inner + 1}
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
	start := m.scan.Pos
	elements := jsonscan.Scanner{Text: m.scan.Value(), Pos: 1}
	if !m.allow.Has(JoinStrings) {
		return
	}
	var joined []byte
	count := 0
	for ; elements.More(); count++ {
		element := elements.Value()
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
