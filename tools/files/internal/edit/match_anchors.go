package edit

import (
	"slices"
	"strings"
)

const (
	// minAnchoredLines is the minimum number of lines of the old text at the level
	// Anchors.
	minAnchoredLines = 3
	// minMiddleSimilarity is the minimum similarity of the lines between the anchors,
	// in percent.
	minMiddleSimilarity = 70
	// maxAnchoredWork bounds the work of one search, in comparisons of two characters.
	maxAnchoredWork = 40_000_000
)

// findAnchored returns the intervals whose first and last lines equal those of old,
// apart from white space around them. The lines between must be similar to
// minMiddleSimilarity, and their number may differ by a fifth of the lines of old, or
// by one. Of overlapping intervals only the closest is returned. If the budget is used
// up, it returns nil.
func findAnchored(lines, old []string) []interval {
	if len(old) < minAnchoredLines {
		return nil
	}
	first, last := strings.TrimSpace(old[0]), strings.TrimSpace(old[len(old)-1])
	if first == "" || last == "" {
		return nil
	}
	middle := []rune(middleLines(old))
	own := weightOfRunes(middle)
	slack := max(1, len(old)/5)
	lev := levenshtein{budget: maxAnchoredWork}
	var near []candidate
	for i, line := range lines {
		if strings.TrimSpace(line) != first {
			continue
		}
		shortest := i + max(len(old)-slack, 2)
		for end := shortest; end <= min(i+len(old)+slack, len(lines)); end++ {
			if strings.TrimSpace(lines[end-1]) != last {
				continue
			}
			other := middleLines(lines[i:end])
			has := weightOfText(other)
			limit := max(own, has) * (100 - minMiddleSimilarity) / 100
			lev.budget -= len(other) // converting it to runes is work as well
			d, ok := 0, abs(has-own) <= limit
			if ok {
				d, ok = lev.distance(middle, []rune(other), limit)
			}
			if lev.budget < 0 {
				return nil
			}
			if ok {
				near = append(near, candidate{interval{i, end}, d})
			}
		}
	}
	return closest(near)
}

// middleLines joins the lines between the first and the last, without white space
// around them.
func middleLines(lines []string) string {
	return strings.Join(lineKeys(lines[1:len(lines)-1], strings.TrimSpace), "\n")
}

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

// apply returns the new text in the spelling of the file. Parts that the old text also has keep
// the spelling that they have in the file. New parts get the spelling that the file uses for the
// same characters. It reports false if that is not known.
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

// findFolded returns the parts of text that fold to want, which is folded already.
// Matches may overlap. Invisible characters around a match do not belong to it.
func findFolded(text, want string) []interval {
	if want == "" {
		return nil
	}
	folded := fold(text)
	var starts []int
	for from := 0; ; {
		at := strings.Index(folded[from:], want)
		if at < 0 {
			break
		}
		starts = append(starts, from+at)
		from += at + 1
	}
	return unfoldOffsets(text, starts, len(want))
}

// unfoldOffsets converts matches of size bytes in the folded text to intervals of text.
// It drops a match that starts or ends within a piece.
func unfoldOffsets(text string, starts []int, size int) []interval {
	var matches []interval
	type open struct{ at, end int } // in the text, in the folded text
	var opened []open
	at, folded := 0, 0
	for at < len(text) && (len(starts) > 0 || len(opened) > 0) {
		p := nextPiece(text[at:])
		if p.folded != "" {
			for len(starts) > 0 && starts[0] <= folded {
				if starts[0] == folded {
					opened = append(opened, open{at, folded + size})
				}
				starts = starts[1:]
			}
		}
		at += p.size
		folded += len(p.folded)
		for len(opened) > 0 && opened[0].end <= folded {
			if opened[0].end == folded && p.folded != "" {
				matches = append(matches, interval{opened[0].at, at})
			}
			opened = opened[1:]
		}
	}
	return matches
}

const (
	// maxDifference is the maximum difference of similar text, in percent of the weight
	// of the old text.
	maxDifference = 10
	// minFuzzyLength is the minimum number of characters of the old text at the level
	// Fuzzy.
	minFuzzyLength = 10
	// maxFuzzyWork bounds the work of one search, in comparisons of two characters.
	// Only comparisons that can matter are made and counted, about a fifth.
	maxFuzzyWork = 80_000_000
)

// findSimilar returns the intervals of lines that differ from the old lines by at most
// maxDifference. Of overlapping intervals only the closest is returned. If the budget
// is used up, it returns nil, since an interval that was not compared may be closer.
func findSimilar(lines, old []string) []interval {
	text := []rune(strings.Join(old, "\n"))
	if len(text) < minFuzzyLength {
		return nil
	}
	limit := weightOfRunes(text) * maxDifference / 100
	lev := levenshtein{budget: maxFuzzyWork}
	var near []candidate
	for _, w := range candidates(lines, old) {
		if w.distance > limit {
			continue
		}
		other := []rune(strings.Join(lines[w.start:w.end], "\n"))
		lev.budget -= len(other) // converting it to runes is work as well
		d, ok := lev.distance(text, other, limit)
		if lev.budget < 0 {
			return nil
		}
		if ok {
			near = append(near, candidate{w.interval, d})
		}
	}
	return closest(near)
}

// A MatchLevel says how closely the file matches the old text. At a level above Exact
// the file differs from the text that the model gave, so the result should say so.
type MatchLevel int

// The levels in the order in which they are tried.
const (
	Exact         MatchLevel = iota // all characters are equal
	TrailingSpace                   // whole lines; white space at line ends is ignored
	Indentation                     // whole lines; white space at both ends of a line is ignored
	Punctuation                     // the kind of dashes, quotes and spaces, and the composition of accents, are ignored
	Escapes                         // what backslashes and entities stand for, such as \" and " or &lt; and <, is the same
	Anchors                         // the first and last lines are equal, and the lines between them similar
	Fuzzy                           // whole lines that differ by a tenth or less
)

// String names the differences that the level ignores, as a clause for the model.
func (r MatchLevel) String() string {
	switch r {
	case Exact:
		return "exact match"
	case TrailingSpace:
		return "match without regard to white space at line ends"
	case Indentation:
		return "match without regard to indentation"
	case Punctuation:
		return "match without regard to the kind of dashes, quotes, spaces and accents"
	case Escapes:
		return "match without regard to backslashes or entities"
	case Anchors:
		return "match of the first and last line, with differences between them"
	case Fuzzy:
		return "similar text, not the same"
	}
	return "unknown match"
}

// maxLevelForAll is the highest level at which Replacement.All replaces more than one
// place.
const maxLevelForAll = Escapes
