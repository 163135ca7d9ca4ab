package session

import (
	"regexp"
	"strings"
	"unicode"
)

// A planStep is a step of a plan.
type planStep struct {
	name   string // its line in the plan, without its mark
	number string // as the plan numbers it, or ""
}

var (
	fence    = regexp.MustCompile("^\\s*(```|~~~)")
	numbered = regexp.MustCompile(`^(\s*)(?:#+\s*)?(?:[Ss]tep\s+)?(\d+(?:\.\d+)*)[.):]\s+(\S.*)$`)
	bullet   = regexp.MustCompile(`^(\s*)[-*+•]\s+(?:\[[ xX]\]\s+)?(\S.*)$`)
	heading  = regexp.MustCompile(`^()#+\s+(\S.*)$`)
)

// stepsOf returns the steps of a plan: its numbered lines; without any, its bullets; without any,
// its headings; and else its lines. Of lines that are nested only the outermost count. What
// stands in a block of code does not.
func stepsOf(plan string) []planStep {
	lines := proseOf(plan)
	for _, mark := range []*regexp.Regexp{numbered, bullet, heading} {
		if steps := outermost(lines, mark); len(steps) > 0 {
			return steps
		}
	}
	var steps []planStep
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			steps = append(steps, planStep{name: line})
		}
	}
	return steps
}

// proseOf returns the lines that stand in no block of code.
func proseOf(text string) (lines []string) {
	code := false
	for line := range strings.Lines(text) {
		if fence.MatchString(line) {
			code = !code
		} else if !code {
			lines = append(lines, strings.TrimRight(line, "\r\n \t"))
		}
	}
	return lines
}

// outermost returns the lines with that mark that are indented least.
func outermost(lines []string, mark *regexp.Regexp) (steps []planStep) {
	least := -1
	for _, line := range lines {
		m := mark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent := len(strings.ReplaceAll(m[1], "\t", "    "))
		if least < 0 || indent < least {
			least, steps = indent, nil
		}
		if indent == least {
			step := planStep{name: m[len(m)-1]}
			if len(m) > 3 {
				step.number = m[2]
			}
			steps = append(steps, step)
		}
	}
	return steps
}

// claimed returns how well a claim names the step, from 0, not at all, to 1, or by its number.
func (s planStep) claimed(claim string) float64 {
	number, text := numberOf(claim)
	a, b := words(s.name), words(text)
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	switch {
	case number != "" && number == s.number && (common > 0 || len(b) == 0):
		return 2
	case len(a) == 0 || len(b) == 0:
		return 0
	}
	return float64(common) / float64(min(len(a), len(b)))
}

// numberOf splits a claim such as "2. Write tests", "Step 2" or "2" into number and text.
func numberOf(claim string) (number, text string) {
	claim = strings.TrimSpace(claim)
	for _, with := range []string{claim, claim + " ?", claim + ": ?"} {
		if m := numbered.FindStringSubmatch(with); m != nil {
			return m[2], m[3]
		}
	}
	return "", claim
}

// words returns the words of a text, in lower case.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !fillers[w] {
			set[w] = true
		}
	}
	return set
}

// fillers are words that name no step.
var fillers = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "from": true, "in": true, "is": true, "it": true,
	"of": true, "on": true, "or": true, "so": true, "step": true, "that": true, "the": true, "to": true, "with": true,
}
