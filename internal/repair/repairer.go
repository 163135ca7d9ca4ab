package repair

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A repairState is shared by the repairers of one input.
type repairState struct {
	rules   *rules
	allow   Kinds
	repairs []Repair
	failed  bool // no more repairs are made, and those made are discarded
}

func (s *repairState) record(kind Kind, at *strictjson.Trail, note string) {
	if len(s.repairs) == maxRepairs {
		s.failed = true
		return
	}
	s.repairs = append(s.repairs, Repair{Kind: kind, Path: at.Path(), Note: note})
}

// A repairer writes the repaired form of one text: of the input, or of a text that a string
// in it holds.
type repairer struct {
	*repairState
	scan         jsonscan.Scanner
	out          []byte
	copied       int // number of bytes of the text that are in out, repaired or not
	depth        int // levels left
	stringLevels int // number of strings that the text is in
}

// copyUntil writes the bytes up to end that are not written yet.
func (r *repairer) copyUntil(end int) {
	r.out = append(r.out, r.scan.Text[r.copied:end]...)
	r.copied = end
}

// replace writes other bytes in place of those from start to the scanner's position.
func (r *repairer) replace(start int, with []byte) {
	r.copyUntil(start)
	r.out = append(r.out, with...)
	r.copied = r.scan.Pos
}

// repairText repairs the whole text.
func (r *repairer) repairText(n *node, at *strictjson.Trail) {
	r.scan.Next()
	r.repairValue(n, at)
	r.copyUntil(len(r.scan.Text))
}

// repairValue repairs the next value, whose schema is n.
func (r *repairer) repairValue(n *node, at *strictjson.Trail) {
	t := r.rules.typesOf(n)
	switch c := r.scan.Text[r.scan.Pos]; {
	case n == nil || r.failed:
		r.scan.Value()
	case c == '"' && t&text == 0 && t != 0:
		r.decodeString(n, at)
	case (c == '-' || '0' <= c && c <= '9') && t&number == integer:
		r.spellInteger(at)
	case c == '[' && t&^null == text:
		r.joinStrings(at)
	case c == '[':
		r.repairList(n, at)
	case c == '{':
		r.repairObject(n, at)
	default:
		r.scan.Value()
	}
}

func (r *repairer) repairList(n *node, at *strictjson.Trail) {
	r.open()
	for i := 0; r.scan.More(); i++ {
		if in := r.rules.element(n, i); in != nil {
			r.repairValue(in, at.Index(i))
		} else {
			r.scan.Value()
		}
	}
	r.close()
}

func (r *repairer) repairObject(n *node, at *strictjson.Trail) {
	r.open()
	kept := false // whether an earlier member is kept
	for end := r.scan.Pos; r.scan.More(); end = r.scan.Pos {
		start := r.scan.Pos
		key := jsonscan.Unquote(r.scan.Value())
		r.scan.Next()
		switch in := r.rules.property(n, key); {
		case in == nil:
			r.scan.Value()
			kept = true
		case r.isDroppable(n, in, key):
			r.record(DropNulls, at.Key(key),
				"Null for the optional property "+strictjson.Quote(key)+" was dropped.")
			r.scan.Value()
			r.dropMember(end, start, kept)
		default:
			r.repairValue(in, at.Key(key))
			kept = true
		}
	}
	r.close()
}

func (r *repairer) open() {
	r.scan.Pos++
	r.depth--
}

func (r *repairer) close() {
	r.scan.Pos++
	r.depth++
}

// isDroppable reports whether the next value is a null that its schema, in, forbids, of a
// property that n does not require.
func (r *repairer) isDroppable(n, in *node, key string) bool {
	if r.failed || r.scan.Text[r.scan.Pos] != 'n' || !r.allow.Has(DropNulls) {
		return false
	}
	t := r.rules.typesOf(in)
	return t != 0 && t&null == 0 && r.rules.optional(n, key)
}

// dropMember leaves out the member from start to the scanner's position, with the comma
// before it, which follows end, or with the comma after it if no earlier member is kept.
func (r *repairer) dropMember(end, start int, kept bool) {
	if kept {
		r.replace(end, nil)
		return
	}
	r.replace(start, nil)
	if r.scan.More() {
		r.copied = r.scan.Pos
	}
}

// decodeString replaces a string with the value that it holds.
func (r *repairer) decodeString(n *node, at *strictjson.Trail) {
	start := r.scan.Pos
	quoted := r.scan.Value()
	inner := bytes.Trim([]byte(jsonscan.Unquote(quoted)), " \t\r\n")
	if len(inner) == 0 {
		return
	}
	if value := scalarIn(inner, r.rules.typesOf(n)); value != nil && r.allow.Has(Scalars) {
		r.record(Scalars, at, "A string that holds a number, true or false became that value.")
		r.replace(start, value)
		return
	}
	if !r.allow.Has(JSONInString) || r.depth == 0 || containerType(inner[0])&r.rules.typesOf(n) == 0 {
		return
	}
	if _, err := strictjson.Decode(inner, strictjson.Limits{Depth: r.depth}); err != nil {
		return
	}
	if r.stringLevels == maxStringLevels {
		r.failed = true
		return
	}
	r.record(JSONInString, at, "A string that holds JSON was decoded.")
	inside := repairer{repairState: r.repairState, scan: jsonscan.Scanner{Text: inner}, depth: r.depth, stringLevels: r.stringLevels + 1}
	inside.repairText(n, at)
	r.replace(start, inside.out)
}

// containerType returns the type of a value that starts with c, or 0 if c is not a bracket.
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

// spellInteger writes a whole number without fraction and exponent.
func (r *repairer) spellInteger(at *strictjson.Trail) {
	start := r.scan.Pos
	value := r.scan.Value()
	if whole := wholeNumber(value); whole != nil && !bytes.Equal(whole, value) && r.allow.Has(Scalars) {
		r.record(Scalars, at, "A whole number was spelled without its fraction.")
		r.replace(start, whole)
	}
}

// joinStrings replaces a list of strings with one string.
func (r *repairer) joinStrings(at *strictjson.Trail) {
	start := r.scan.Pos
	elements := jsonscan.Scanner{Text: r.scan.Value(), Pos: 1}
	if !r.allow.Has(JoinStrings) {
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
		return // an empty list is not an empty string
	}
	joined = joined[:len(joined)-len(`\n`)]
	r.record(JoinStrings, at, fmt.Sprintf("A list of %d strings was joined to one.", count))
	r.replace(start, slices.Concat([]byte{'"'}, joined, []byte{'"'}))
}
