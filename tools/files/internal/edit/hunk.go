package edit

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Patch returns the hunks that turn one text into the other, with context lines around
// each change. Equal texts have no hunks. Texts that differ in a thousand lines or more
// may give one hunk that replaces everything.
func Patch(from, to string, context int) []pegboard.Hunk {
	context = max(context, 0)
	a, b := splitLines(from), splitLines(to)
	var hunks []pegboard.Hunk
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

func newHunk(a, b []string, group []region, context int) pegboard.Hunk {
	first, last := group[0], group[len(group)-1]
	before, after := min(context, first.a), min(context, len(a)-last.aEnd)
	h := pegboard.Hunk{
		OldStart: first.a - before + 1, OldLines: last.aEnd + after - first.a + before,
		NewStart: first.b - before + 1, NewLines: last.bEnd + after - first.b + before,
	}
	at := first.a - before
	for _, r := range group {
		addLines(&h, " ", a[at:r.a])
		addLines(&h, "-", a[r.a:r.aEnd])
		addLines(&h, "+", b[r.b:r.bEnd])
		at = r.aEnd
	}
	addLines(&h, " ", a[at:at+after])
	return h
}

// addLines appends lines to h, each after sign.
func addLines(h *pegboard.Hunk, sign string, lines []string) {
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		h.Lines = append(h.Lines, sign+text)
		if !ended {
			h.Lines = append(h.Lines, noLineEnd)
		}
	}
}

const noLineEnd = `\ No newline at end of file`
