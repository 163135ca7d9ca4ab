package repair

// A propertySearch looks for a property in a schema and in the schemas that it may apply to
// the same value.
type propertySearch struct {
	rules    *rules
	key      string
	declared bool
	required bool
	seen     map[*node]bool
}

func (s *propertySearch) visit(n *node) {
	if n == nil || s.seen[n] || s.rules.countStep() {
		return
	}
	s.seen[n] = true
	for _, inner := range s.rules.conjuncts(n) {
		s.visit(inner)
	}
	if s.rules.ownKeywords(n) == nil {
		return
	}
	s.declared = s.declared || n.get("properties").get(s.key) != nil
	s.required = s.required || s.requiredBy(n)
	for _, group := range s.rules.alternatives(n) {
		for _, inner := range group {
			s.visit(inner)
		}
	}
	for _, keyword := range []string{"if", "then", "else", "not"} {
		s.visit(n.get(keyword))
	}
	for _, keyword := range []string{"dependentSchemas", "dependencies"} {
		if dependent := n.get(keyword); dependent != nil {
			for _, inner := range dependent.object {
				s.visit(inner)
			}
		}
	}
}

// requiredBy reports whether n itself requires the property, always or in some cases.
func (s *propertySearch) requiredBy(n *node) bool {
	lists := [][]*node{n.elements("required")}
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		if dependent := n.get(keyword); dependent != nil {
			for _, names := range dependent.object {
				lists = append(lists, names.list)
			}
		}
	}
	for _, names := range lists {
		for _, name := range names {
			if name.value == s.key {
				return true
			}
		}
	}
	return false
}
