package edit

import (
	"strings"
)

// indents tells how the file indents what the model indents otherwise.
type indents struct {
	pairs     []indentPair
	modelStep int // columns of one step where the model uses spaces and the file tabs, or the reverse
}

// An indentPair is the white space of one line, by the model and in the file.
type indentPair struct {
	line        int // of the old text
	model, file string
}

const defaultStep = 4

// inferStep finds how many spaces stand for one tab.
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
	least := 0
	for _, lines := range [][]string{m.old, m.wanted, m.file} {
		for _, line := range lines {
			n := len(indentOf(line))
			if n > 1 && isSpaces(indentOf(line)) && strings.TrimSpace(line) != "" && (least == 0 || n < least) {
				least = n
			}
		}
	}
	if least == 0 || least > 8 {
		return defaultStep
	}
	return least
}

// translate returns the file's indentation for a line that the model indents with
// space. near is the old line next to it: the nearest line is the best example.
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
	// The line stands further out than all that are known.
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

// convert writes white space that goes beyond an example as the file does.
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

// scaleSpaces accounts for steps of different width, if two lines show them.
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
