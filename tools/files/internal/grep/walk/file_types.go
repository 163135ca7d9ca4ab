package walk

import (
	"maps"
	"slices"
)

// TypeNames returns the names for Options.Types in order, except "all".
func TypeNames() []string { return slices.Sorted(maps.Keys(fileTypes)) }

// typeRules returns rules that match the file names of the types, or nil if there are
// no types.
func typeRules(types []string) (*rules, error) {
	if len(types) == 0 {
		return nil, nil
	}
	var s rules
	for _, name := range types {
		names := []string{name}
		if name == "all" {
			names = TypeNames()
		} else if fileTypes[name] == nil {
			return nil, newTypeError(name)
		}
		for _, name := range names {
			for _, glob := range fileTypes[name] {
				r, ok, err := parseRule(glob)
				if err != nil || !ok {
					return nil, &GlobError{Glob: glob, Err: err}
				}
				s.add(r)
			}
		}
	}
	return &s, nil
}
