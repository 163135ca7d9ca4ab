package repair

import (
	"bytes"
	"encoding/json"
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
	case (c == '-' || '0' <= c && c <= '9') && t&^null == text:
		r.quoteInteger(at)
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

// quoteInteger replaces a whole number with the string that spells it. Other numbers have several
// spellings.
func (r *repairer) quoteInteger(at *strictjson.Trail) {
	start := r.scan.Pos
	value := r.scan.Value()
	if len(value) <= maxNumber && !bytes.ContainsAny(value, ".eE") && string(value) != "-0" && r.allow.Has(Scalars) {
		r.record(Scalars, at, "A whole number became the string that spells it.")
		r.replace(start, slices.Concat([]byte{'"'}, value, []byte{'"'}))
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

// A Kind is one kind of repair.
type Kind uint8

// The kinds. Those of [Text] come before those of [Values].
const (
	ControlCharacters Kind = iota + 1 // raw control characters in strings, such as line breaks, become escapes
	CodeFence                         // a Markdown code fence around the value is removed
	TrailingText                      // text after the value is removed; not for tools that write, since the value may be incomplete too
	JSONInString                      // a string that holds an object or list is replaced with it
	JoinStrings                       // a list of strings in place of a string is joined with line breaks
	DropNulls                         // an optional property that is null is removed
	Scalars                           // a string that holds a number or a boolean becomes that; 3.0 becomes 3 for an integer, and 3 "3" for a string
)

// Kinds is a set of kinds. The zero value is empty.
type Kinds uint16

// KindsOf returns the set of the given kinds.
func KindsOf(kinds ...Kind) Kinds {
	var set Kinds
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether k is in the set.
func (s Kinds) Has(k Kind) bool { return s&(1<<k) != 0 }

const (
	// maxRepairs is the maximum number of repairs of one input. With more, the input is not
	// a small mistake, and their list would be long.
	maxRepairs = 100
	// maxStringLevels is the maximum number of nested strings that hold JSON.
	maxStringLevels = 4
)

// Values repairs the values of an input that schema does not accept, with the allowed kinds
// of repairs:
//
//   - A string that holds the text of an object or list is replaced with it where the
//     schema accepts objects or lists and no strings.
//   - A list of strings is joined with line breaks where the schema accepts only strings, or
//     strings and null.
//   - A property that is null is removed where the schema declares it, never requires it
//     and does not accept null.
//   - A string that holds a number, or true or false in any letter case, is replaced with it
//     where the schema accepts such values and no strings.
//   - A whole number that is spelled with a fraction or an exponent, such as 3.0, is spelled
//     without where the schema accepts only integers. The schema accepts it as it is, but a
//     Go type may not.
//
// But for the last, a value is repaired only if the schema certainly forbids its type, whatever the rest of
// the input is; so Values never changes the meaning of valid input. It follows references inside the
// schema, allOf, anyOf and oneOf. A repaired input may still be invalid: the caller must
// validate the result.
//
// Keys keep their order, and values that are not repaired keep their bytes. If there is
// nothing to repair, Values returns data itself and ok is false. It does the same if
// strictjson does not decode data, if the input needs more than 100 repairs or has about
// 100,000 different keys, if more than four strings that hold JSON are nested, and if the
// schema is over 1 MiB, very intricate, of an unknown dialect, or contains schemas with
// their own $id or $schema. It never changes data.
func Values(data []byte, schema json.RawMessage, allow Kinds) (repaired []byte, repairs []Repair, ok bool) {
	if allow&KindsOf(JSONInString, JoinStrings, DropNulls, Scalars) == 0 || !isReadable(data) {
		return data, nil, false
	}
	root, d, ok := readSchema(schema)
	if !ok {
		return data, nil, false
	}
	state := repairState{rules: newRules(root, d), allow: allow}
	r := repairer{repairState: &state, scan: jsonscan.Scanner{Text: data}, depth: strictjson.DefaultDepth}
	r.repairText(root, nil)
	if len(state.repairs) == 0 || state.failed || state.rules.steps < 0 {
		return data, nil, false
	}
	return r.out, state.repairs, true
}
