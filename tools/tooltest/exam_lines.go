package tooltest

import (
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
)

// checkTitle examines the title of the tool.
func (x *exam) checkTitle() {
	if x.info.Title != "" && !isLine(x.info.Title) {
		x.addViolation(ruleLines, "", "Info.Title is %q, not one line of visible text", shorten(x.info.Title))
	}
}

// checkLines examines what a user interface shows of an accepted call.
func (x *exam) checkLines(c *pegboard.Call, input string, tr pegboard.Traits) {
	if tr.Kind > pegboard.KindThink || tr.Folding > pegboard.FoldNever {
		x.addViolation(ruleLines, input, "Traits have the kind %v and the folding %v", tr.Kind, tr.Folding)
	}
	var got []pegboard.Lines
	if !x.runStage("Lines", input, func() {
		got = repeat(repeats, func() pegboard.Lines { return x.tool.Lines(c) })
	}) {
		return
	}
	for _, l := range got {
		if l != got[0] {
			x.addViolation(ruleLines, input, "they were %+v; asked again, %+v", got[0], l)
			return
		}
	}
	for _, line := range []struct{ field, text string }{{"Title", got[0].Title}, {"Before", got[0].Before}, {"While", got[0].While}} {
		if line.text != "" && !isLine(line.text) {
			x.addViolation(ruleLines, input, "Lines.%s is %q, not one line of visible text", line.field, shorten(line.text))
		}
	}
}

// isLine reports whether a person sees all of text on one line.
func isLine(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}
