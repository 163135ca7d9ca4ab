package pattern

import "strings"

// A nameRule is a specifier of names: of agents, of skills, of other things.
type nameRule struct {
	covers  wordGlob
	touches wordGlob // folded, since tools may ignore letter case and blanks around a name
}

func (r *nameRule) touchesName(name string) bool {
	return r.covers.matches(name) || r.touches.matches(foldMarks.fold(strings.TrimSpace(name)))
}
