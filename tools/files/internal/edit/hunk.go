package edit

import (
	"fmt"
	"strings"
)

// A Hunk is one part of a patch. Line numbers are counted from 1. Each line begins with
// " " (in both texts), "-" (deleted) or "+" (added), and has no line end. A line that
// begins with "\" says that the line before it is the last of its text and has no line
// end; OldLines and NewLines do not count it.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []string
}

// Patch returns the hunks that turn one text into the other, with context lines around
// each change. Equal texts have no hunks. Texts that differ in a thousand lines or more
// may give one hunk that replaces everything.
func Patch(from, to string, context int) []Hunk {
	context = max(context, 0)
	a, b := splitLines(from), splitLines(to)
	var hunks []Hunk
	var group []region
	for _, r := range regions(a, b) {
		if r.same {
			continue
		}
		if len(group) > 0 && r.a-group[len(group)-1].aEnd > 2*context {
			hunks = append(hunks, newHunk(a, b, group, context))
			group = nil
		}
		group = append(group, r)
	}
	if len(group) > 0 {
		hunks = append(hunks, newHunk(a, b, group, context))
	}
	return hunks
}

func newHunk(a, b []string, group []region, context int) Hunk {
	first, last := group[0], group[len(group)-1]
	before, after := min(context, first.a), min(context, len(a)-last.aEnd)
	h := Hunk{
		OldStart: first.a - before + 1, OldLines: last.aEnd + after - first.a + before,
		NewStart: first.b - before + 1, NewLines: last.bEnd + after - first.b + before,
	}
	at := first.a - before
	for _, r := range group {
		h.addLines(" ", a[at:r.a])
		h.addLines("-", a[r.a:r.aEnd])
		h.addLines("+", b[r.b:r.bEnd])
		at = r.aEnd
	}
	h.addLines(" ", a[at:at+after])
	return h
}

func (h *Hunk) addLines(sign string, lines []string) {
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		h.Lines = append(h.Lines, sign+text)
		if !ended {
			h.Lines = append(h.Lines, noLineEnd)
		}
	}
}

const noLineEnd = `\ No newline at end of file`

// Unified formats hunks as a unified diff without the lines that name the files.
func Unified(hunks []Hunk) string {
	var out strings.Builder
	for _, h := range hunks {
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", unifiedRange(h.OldStart, h.OldLines), unifiedRange(h.NewStart, h.NewLines))
		for _, line := range h.Lines {
			out.WriteString(line)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// unifiedRange formats a range as in a unified diff. An empty range names the line
// before it.
func unifiedRange(start, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}
