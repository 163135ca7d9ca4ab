package edit

import "strings"

// An indents value translates the indentation that the model uses to the indentation of
// the file.
type indents struct {
	pairs     []indentPair
	modelStep int // number of spaces for one tab, where one side indents with spaces and the other with tabs
}

// An indentPair is the white space at the start of a line, as given by the model and in
// the file.
type indentPair struct {
	line        int // index of the line in the old text
	model, file string
}

const defaultStep = 4

// inferStep returns the number of spaces that stand for one tab: from a pair of which
// one side uses tabs, else the smallest indentation in any of the texts, else
// defaultStep.
func (in indents) inferStep(m *merger) int {
	for _, p := range in.pairs {
		spaces, tabs := len(p.model), len(p.file)
		if isTabs(p.model) {
			spaces, tabs = tabs, spaces
		}
		if isTabs(p.model) == isTabs(p.file) || tabs == 0 || spaces%tabs != 0 {
			continue
		}
		if n := spaces / tabs; n >= 2 && n <= 8 {
			return n
		}
	}
	smallest := 0
	for _, lines := range [][]string{m.old, m.wanted, m.file} {
		for _, line := range lines {
			n := len(indentOf(line))
			if n > 1 && isSpaces(indentOf(line)) && strings.TrimSpace(line) != "" && (smallest == 0 || n < smallest) {
				smallest = n
			}
		}
	}
	if smallest == 0 || smallest > 8 {
		return defaultStep
	}
	return smallest
}

// translate returns the indentation of the file for a line that the model indents with
// space. near is the index of the adjacent old line; of equally good examples the
// nearest line is used.
func (in indents) translate(space string, near int) string {
	best, found := indentPair{}, false
	for _, p := range in.pairs {
		if !strings.HasPrefix(space, p.model) {
			continue
		}
		closer := abs(p.line-near) < abs(best.line-near)
		if !found || len(p.model) > len(best.model) || len(p.model) == len(best.model) && closer {
			best, found = p, true
		}
	}
	if found {
		return best.file + in.convert(space[len(best.model):], best)
	}
	// The line is indented less than every example.
	for _, p := range in.pairs {
		if strings.HasPrefix(p.model, space) && (!found || len(p.model) < len(best.model)) {
			best, found = p, true
		}
	}
	if !found {
		return space
	}
	less := len(in.convert(best.model[len(space):], best))
	return best.file[:max(len(best.file)-less, 0)]
}

// convert returns the part of an indentation that exceeds the example, in the style of
// the file.
func (in indents) convert(extra string, example indentPair) string {
	file := example.file
	if file == "" {
		for _, p := range in.pairs {
			if p.file != "" {
				file = p.file
				break
			}
		}
	}
	switch {
	case isSpaces(extra) && isTabs(file):
		return strings.Repeat("\t", len(extra)/in.modelStep) + strings.Repeat(" ", len(extra)%in.modelStep)
	case isTabs(extra) && isSpaces(file):
		return strings.Repeat(" ", len(extra)*in.modelStep)
	case isSpaces(extra) && isSpaces(file):
		return strings.Repeat(" ", in.scaleSpaces(len(extra)))
	}
	return extra
}

// scaleSpaces scales a number of spaces by the ratio of the indentation steps, if two
// examples show both steps.
func (in indents) scaleSpaces(spaces int) int {
	for _, p := range in.pairs {
		for _, q := range in.pairs {
			model, file := len(q.model)-len(p.model), len(q.file)-len(p.file)
			if model > 0 && file > 0 && spaces*file%model == 0 {
				return spaces * file / model
			}
		}
	}
	return spaces
}

func isSpaces(space string) bool { return space != "" && strings.Trim(space, " ") == "" }

func isTabs(space string) bool { return space != "" && strings.Trim(space, "\t") == "" }

func abs(n int) int { return max(n, -n) }
