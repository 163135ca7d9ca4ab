package edit

import "strings"

// A page is text by lines.
type page struct {
	text   string
	lines  []string // without their ends
	starts []int    // where each line begins; one more for the end of the text
}

func newPage(text string) *page {
	p := &page{text: text}
	at := 0
	for _, line := range splitLines(text) {
		p.starts = append(p.starts, at)
		p.lines = append(p.lines, strings.TrimSuffix(line, "\n"))
		at += len(line)
	}
	p.starts = append(p.starts, at)
	return p
}

// keys returns what is compared of each line.
func keys(lines []string, key func(string) string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = key(line)
	}
	return all
}

// A stretch is the lines from first up to and without end, counted from 0.
type stretch struct {
	first, end int
}

// find returns where the keys of a page are those that are wanted, one at least
// (Knuth, Morris, Pratt: files of equal lines take no longer than others).
func find(have, want []string) []stretch {
	var found []stretch
	again := borders(want)
	n := 0
	for i, key := range have {
		for n > 0 && (n == len(want) || key != want[n]) {
			n = again[n-1]
		}
		if key == want[n] {
			n++
		}
		if n == len(want) {
			found = append(found, stretch{i + 1 - n, i + 1})
		}
	}
	return found
}

// borders returns for each beginning of want how much of it, and less than all,
// is both its beginning and its end.
func borders(want []string) []int {
	all := make([]int, len(want))
	n := 0
	for i := 1; i < len(want); i++ {
		for n > 0 && want[i] != want[n] {
			n = all[n-1]
		}
		if want[i] == want[n] {
			n++
		}
		all[i] = n
	}
	return all
}

// apart leaves out stretches that overlap the one before.
func apart(all []stretch) []stretch {
	var kept []stretch
	for _, s := range all {
		if len(kept) == 0 || kept[len(kept)-1].end <= s.first {
			kept = append(kept, s)
		}
	}
	return kept
}

// A wish is a replacement of whole lines.
type wish struct {
	old, new           []string // lines without ends
	oldEnded, newEnded bool     // the last line has its end
}

// newWish divides a replacement into lines. Blank lines with which both texts
// begin say little and are left out.
func newWish(r Replacement) wish {
	for strings.HasPrefix(r.Old, "\n") && strings.HasPrefix(r.New, "\n") {
		r.Old, r.New = r.Old[1:], r.New[1:]
	}
	var w wish
	w.old, w.oldEnded = bareLines(r.Old)
	w.new, w.newEnded = bareLines(r.New)
	if r.New == "" && !w.oldEnded {
		w.new = []string{""} // the end of the last line stays
	}
	return w
}

func bareLines(text string) (lines []string, ended bool) {
	if text == "" {
		return nil, false
	}
	text, ended = strings.CutSuffix(text, "\n")
	return strings.Split(text, "\n"), ended
}

// cut makes the cut for lines of the page that match the old lines.
func (w wish) cut(p *page, s stretch) (cut, bool) {
	lines, ok := merge(w.old, p.lines[s.first:s.end], w.new)
	if !ok {
		return cut{}, false
	}
	c := cut{start: p.starts[s.first], end: p.starts[s.end-1] + len(p.lines[s.end-1])}
	c.text = strings.Join(lines, "\n")
	// The last line of a file may have no end, then the old text's end counts as
	// that of the file and the new text goes without.
	missing := c.end == len(p.text)
	if w.oldEnded && !missing {
		c.end++
	}
	if w.newEnded && (!w.oldEnded || !missing) {
		c.text += "\n"
	}
	return c, true
}
