package skills

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A catalog holds the skills of a session, sorted by name. It does not change.
type catalog struct {
	skills []Skill
}

// newCatalog returns a catalog of the skills that can be used. Of several with one name the
// first counts.
func newCatalog(all []Skill) *catalog {
	seen := map[string]bool{}
	c := &catalog{}
	for _, s := range all {
		if isName(s.Name) && s.Body != "" && !seen[s.Name] {
			seen[s.Name] = true
			c.skills = append(c.skills, s)
		}
	}
	slices.SortFunc(c.skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// isName reports whether calls and rules can have a name: it has letters, digits and - _ . : and
// does not begin with one of - . : since a blank would separate it from arguments.
func isName(name string) bool {
	if name == "" || strings.ContainsRune("-.:", rune(name[0])) {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.:", c)
	})
}

// find returns the skill with a name, or nil.
func (c *catalog) find(name string) *Skill {
	name = bareName(name)
	i, ok := slices.BinarySearchFunc(c.skills, name, func(s Skill, name string) int { return cmp.Compare(s.Name, name) })
	if !ok {
		return nil
	}
	return &c.skills[i]
}
