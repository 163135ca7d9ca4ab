package repair

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// repairState is what the menders of one input share.
type repairState struct {
	rules   *rules
	allow   Kinds
	repairs []Repair
	failed  bool // no more is mended, and nothing of what was
}

func (w *repairState) record(kind Kind, at *strictjson.Trail, note string) {
	if len(w.repairs) == maxRepairs {
		w.failed = true
		return
	}
	w.repairs = append(w.repairs, Repair{Kind: kind, Path: at.Path(), Note: note})
}

// A repairer writes one text anew: the input or one that a string in it holds.
type repairer struct {
	*repairState
	scan         jsonscan.Scanner
	out          []byte
	copied       int // bytes of data that out has, mended or not
	depth        int // levels left
	stringLevels int // strings around this text
}

// copyUntil writes what is not yet written up to end.
func (m *repairer) copyUntil(end int) {
	m.out = append(m.out, m.scan.Text[m.copied:end]...)
	m.copied = end
}

// replace writes something else for what lies between start and pos.
func (m *repairer) replace(start int, with []byte) {
	m.copyUntil(start)
	m.out = append(m.out, with...)
	m.copied = m.scan.Pos
}

// repairText mends the whole text.
func (m *repairer) repairText(n *node, at *strictjson.Trail) {
	m.scan.Next()
	m.repairValue(n, at)
	m.copyUntil(len(m.scan.Text))
}

// repairValue mends the value at pos, which n describes.
func (m *repairer) repairValue(n *node, at *strictjson.Trail) {
	t := m.rules.typesOf(n)
	switch c := m.scan.Text[m.scan.Pos]; {
	case n == nil || m.failed:
		m.scan.Value()
	case c == '"' && t&text == 0 && t&(object|list) != 0:
		m.decodeString(n, at)
	case c == '[' && t&^null == text:
		m.joinStrings(at)
	case c == '[':
		m.repairList(n, at)
	case c == '{':
		m.repairObject(n, at)
	default:
		m.scan.Value()
	}
}

func (m *repairer) repairList(n *node, at *strictjson.Trail) {
	m.open()
	for i := 0; m.scan.More(); i++ {
		if in := m.rules.element(n, i); in != nil {
			m.repairValue(in, at.Index(i))
		} else {
			m.scan.Value()
		}
	}
	m.close()
}

func (m *repairer) repairObject(n *node, at *strictjson.Trail) {
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
		case m.isDroppable(n, in, key):
			m.record(DropNulls, at.Key(key),
				"Null for the optional property "+strictjson.Quote(key)+" was dropped.")
			m.scan.Value()
			m.dropMember(end, start, kept)
		default:
			m.repairValue(in, at.Key(key))
			kept = true
		}
	}
	m.close()
}

func (m *repairer) open() {
	m.scan.Pos++
	m.depth--
}

func (m *repairer) close() {
	m.scan.Pos++
	m.depth++
}

// isDroppable reports whether the value at pos is a null that in forbids, for a
// property that objects of n may lack.
func (m *repairer) isDroppable(n, in *node, key string) bool {
	if m.failed || m.scan.Text[m.scan.Pos] != 'n' || !m.allow.Has(DropNulls) {
		return false
	}
	t := m.rules.typesOf(in)
	return t != 0 && t&null == 0 && m.rules.optional(n, key)
}

// dropMember leaves out the member from start to pos: with the comma before it, which
// follows end, or with the one behind it if none before is kept.
func (m *repairer) dropMember(end, start int, kept bool) {
	if kept {
		m.replace(end, nil)
		return
	}
	m.replace(start, nil)
	if m.scan.More() {
		m.copied = m.scan.Pos
	}
}

// decodeString puts the object or list that a string holds in its place.
func (m *repairer) decodeString(n *node, at *strictjson.Trail) {
	start := m.scan.Pos
	quoted := m.scan.Value()
	if !m.allow.Has(JSONInString) || m.depth == 0 {
		return
	}
	inner := bytes.Trim([]byte(jsonscan.Unquote(quoted)), " \t\r\n")
	if len(inner) == 0 || containerType(inner[0])&m.rules.typesOf(n) == 0 {
		return
	}
	if _, err := strictjson.Decode(inner, strictjson.Limits{Depth: m.depth}); err != nil {
		return
	}
	if m.stringLevels == maxStringLevels {
		m.failed = true
		return
	}
	m.record(JSONInString, at, "A string that holds JSON was decoded.")
	in := repairer{repairState: m.repairState, scan: jsonscan.Scanner{Text: inner}, depth: m.depth, stringLevels: m.stringLevels + 1}
	in.repairText(n, at)
	m.replace(start, in.out)
}

// containerType returns the type of a value that starts with c, 0 if that is not a
// bracket.
func containerType(c byte) types {
	switch c {
	case '{':
		return object
	case '[':
		return list
	default:
		return 0
	}
}

// joinStrings puts one string in the place of a list of strings.
func (m *repairer) joinStrings(at *strictjson.Trail) {
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
