package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A planStep is a step of a plan.
type planStep struct {
	name   string // its line in the plan, without its mark
	number string // as the plan numbers it, or ""
	words  map[string]bool
}

// stepsOf returns the steps of a plan: its numbered lines; without any, its bullets; without any,
// its headings; and else its lines. Of lines that are nested only the outermost count. What
// stands in a block of code does not.
func stepsOf(plan string) []planStep {
	lines := proseOf(plan)
	for _, parse := range []func(string) (planStep, bool){numbered, bullet, heading} {
		if steps := outermost(lines, parse); len(steps) > 0 {
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
		start := strings.TrimLeft(line, spaces)
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			code = !code
		} else if !code {
			lines = append(lines, strings.TrimRight(line, "\r\n \t"))
		}
	}
	return lines
}

// outermost returns the steps of the lines that parse accepts and that are indented least.
func outermost(lines []string, parse func(string) (planStep, bool)) (steps []planStep) {
	least := -1
	for _, line := range lines {
		step, ok := parse(line)
		if !ok {
			continue
		}
		before := line[:len(line)-len(strings.TrimLeft(line, spaces))]
		indent := len(before) + 3*strings.Count(before, "\t") // a tab is as wide as four spaces
		if least < 0 || indent < least {
			least, steps = indent, nil
		}
		if indent == least {
			steps = append(steps, step)
		}
	}
	return steps
}

// spaces are the characters that separate the parts of a line. Marks are parsed without regular
// expressions, which took a second for the lines of a plan of 3 MB.
const spaces = " \t\n\f\r"

// numbered parses "2.1. Text", with any of ".):" behind the number. The number may follow "#" and
// "Step".
func numbered(line string) (planStep, bool) {
	line = strings.TrimLeft(line, spaces)
	if rest := strings.TrimLeft(line, "#"); rest != line {
		line = strings.TrimLeft(rest, spaces)
	}
	if strings.HasPrefix(line, "Step") || strings.HasPrefix(line, "step") {
		rest, ok := afterSpace(line[len("Step"):])
		if !ok {
			return planStep{}, false
		}
		line = rest
	}
	n := digits(line)
	for n > 0 && n < len(line) && line[n] == '.' && digits(line[n+1:]) > 0 {
		n += 1 + digits(line[n+1:])
	}
	if n == 0 || n == len(line) || !strings.Contains(".):", line[n:n+1]) {
		return planStep{}, false
	}
	name, ok := afterSpace(line[n+1:])
	return planStep{name: name, number: line[:n]}, ok
}

// bullet parses "- Text" and "- [x] Text".
func bullet(line string) (planStep, bool) {
	line = strings.TrimLeft(line, spaces)
	mark, size := utf8.DecodeRuneInString(line)
	if !strings.ContainsRune("-*+•", mark) {
		return planStep{}, false
	}
	name, ok := afterSpace(line[size:])
	if len(name) > 3 && name[0] == '[' && strings.Contains(" xX", name[1:2]) && name[2] == ']' {
		if text, ok := afterSpace(name[3:]); ok {
			name = text
		}
	}
	return planStep{name: name}, ok
}

// heading parses "## Text".
func heading(line string) (planStep, bool) {
	rest := strings.TrimLeft(line, "#")
	if rest == line {
		return planStep{}, false
	}
	name, ok := afterSpace(rest)
	return planStep{name: name}, ok
}

// afterSpace returns the text behind the space at the beginning of s, if there are both.
func afterSpace(s string) (string, bool) {
	text := strings.TrimLeft(s, spaces)
	return text, text != "" && text != s
}

// digits returns how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// claimed returns how well a claim with that number and those words names the step, from 0, not
// at all, to 1, or 2 by its number.
func (s *planStep) claimed(number string, claim map[string]bool) float64 {
	common := 0
	for w := range claim {
		if s.words[w] {
			common++
		}
	}
	switch {
	case number != "" && number == s.number && (common > 0 || len(claim) == 0):
		return 2
	case len(s.words) == 0 || len(claim) == 0:
		return 0
	}
	return float64(common) / float64(min(len(s.words), len(claim)))
}

// numberOf splits a claim such as "2. Write tests", "Step 2" or "2" into number and text.
func numberOf(claim string) (number, text string) {
	claim = strings.TrimSpace(claim)
	for _, with := range []string{claim, claim + " ?", claim + ": ?"} {
		if step, ok := numbered(with); ok {
			return step.number, step.name
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
