package edit

import (
	"slices"
	"strings"
)

// minEscapedLength is the minimum length of the old text at the level Escapes, in bytes.
const minEscapedLength = 4

// findEscaped returns the edits for parts of the text that equal the old text but for
// escapes. It reports false if there are such parts, and the change cannot be written with
// the escapes of one of them.
func (m *matcher) findEscaped() (edits []byteEdit, ok bool) {
	ways := knownEscapes()
	for i := range ways {
		e := &ways[i]
		found := m.partsLike(e)
		if m.replacement.All {
			found = dropOverlapping(found)
		}
		if len(found) > 1 && !m.replacement.All {
			for _, s := range found {
				edits = append(edits, byteEdit{start: s.start}) // the AmbiguousError needs the start only
			}
			return edits, true
		}
		for _, s := range found {
			text, ok := newEscapeMerge(e, m.replacement.Old, m.index.text[s.start:s.end]).apply(m.replacement.New)
			if !ok {
				return nil, false
			}
			edits = append(edits, byteEdit{start: s.start, end: s.end, text: text})
		}
		if len(edits) > 0 {
			return edits, true
		}
	}
	return nil, true
}

// partsLike returns the parts of the text that equal the old text but for escapes.
func (m *matcher) partsLike(e *escapes) []interval {
	old := m.replacement.Old
	if len(old) < minEscapedLength {
		return nil
	}
	decoded := e.decode(old)
	var found []interval
	for from := 0; decoded != old && len(decoded) >= minEscapedLength; from++ {
		i := strings.Index(m.index.text[from:], decoded)
		if i < 0 {
			break
		}
		from += i
		found = append(found, interval{from, from + len(decoded)})
	}
	if len(found) > 0 {
		return found
	}
	return e.findEncoded(m.index.text, old)
}

// An escapeMerge writes a new text with the escapes of the file, where the old text had
// too many or too few.
type escapeMerge struct {
	*escapes
	tooMany   bool // in the old text
	old, file []string
	// spellings are the units of the file by the unit of the old text for which they stand.
	spellings map[string][]string
}

// newEscapeMerge returns the escapeMerge for a part of the file that equals old but for
// escapes.
func newEscapeMerge(e *escapes, old, file string) *escapeMerge {
	m := &escapeMerge{escapes: e, tooMany: old != file && e.decode(old) == file, spellings: map[string][]string{}}
	if m.tooMany {
		m.old, m.file = e.split(old)
	} else {
		m.file, m.old = e.split(file)
	}
	for i, unit := range m.old {
		if !slices.Contains(m.spellings[unit], m.file[i]) {
			m.spellings[unit] = append(m.spellings[unit], m.file[i])
		}
	}
	return m
}

// apply returns the new text as the file writes it: what the old text has, too, as it
// stands there, and what is new as the file writes the same characters. It reports false
// if that is not known.
func (m *escapeMerge) apply(text string) (string, bool) {
	wanted, _ := m.split(text)
	if !m.tooMany {
		wanted = strings.Split(text, "")
	}
	var out strings.Builder
	for _, r := range regions(m.old, wanted) {
		if r.same {
			out.WriteString(strings.Join(m.file[r.a:r.aEnd], ""))
			continue
		}
		for _, unit := range wanted[r.b:r.bEnd] {
			spelled, ok := m.spell(unit)
			if !ok {
				return "", false
			}
			out.WriteString(spelled)
		}
	}
	return out.String(), true
}

// spell returns how the file writes a unit of the new text.
func (m *escapeMerge) spell(unit string) (string, bool) {
	known := m.spellings[unit]
	switch {
	case len(known) > 0:
		return known[0], len(known) == 1
	case m.tooMany:
		_, isSequence := m.sequences[unit]
		return unit, !isSequence
	}
	return unit, !m.isSpecial(unit) || strings.Contains("\"'`", unit) && m.escapesAQuote()
}

// escapesAQuote reports whether the file escapes a quote in this part: then it is a string
// in such quotes, in which other quotes stand for themselves.
func (m *escapeMerge) escapesAQuote() bool {
	return m.lead == '\\' && slices.ContainsFunc(m.file, func(unit string) bool { return len(unit) == 2 && strings.Contains("\"'`", unit[1:]) })
}
