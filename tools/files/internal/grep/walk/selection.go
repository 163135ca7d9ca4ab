package walk

import "path/filepath"

// A selection is the compiled form of Options.
type selection struct {
	// prefix is the path from the topmost directory with an ignoreScope to the
	// directory of the walk, with a slash at the end, or empty. Full paths begin with
	// it, so that each scope finds the path relative to its own directory by slicing.
	prefix     string
	outerScope *ignoreScope // scope of the directories above the walk

	globs        *rules // nil if there are no globs
	requiresGlob bool   // there is a glob that does not begin with "!"
	types        *rules // nil if all types are selected
	userRules    *rules // rules of Options.User; nil if there are no rules
	noIgnore     bool
	hidden       bool
}

func newSelection(o Options, dir string) (*selection, error) {
	s := &selection{noIgnore: o.NoIgnore, hidden: o.Hidden}
	for _, glob := range o.Globs {
		r, ok, err := parseRule(glob)
		if err != nil {
			return nil, &GlobError{Glob: glob, Err: err}
		}
		if !ok {
			continue
		}
		if s.globs == nil {
			s.globs = &rules{}
		}
		s.globs.add(r)
		s.requiresGlob = s.requiresGlob || !r.negated
	}
	var err error
	if s.types, err = typeRules(o.Types); err != nil {
		return nil, err
	}
	if !o.NoIgnore {
		s.outerScope, s.prefix = outerScopes(filepath.Clean(dir))
		if o.User != "" {
			s.userRules = parseRules(readTextAt(o.User, nil))
		}
	}
	return s, nil
}

// scopeOf returns the scope of the directory d at path full, which contains the names
// m.
func (s *selection) scopeOf(parent *ignoreScope, d *sharedDir, full string, m ignoreMarks) *ignoreScope {
	return newIgnoreScope(parent, len(full), m, func(names ...string) string { return d.readText(names) })
}

// selects reports whether the walk includes a file or directory. scope is the scope of
// the directory that contains it.
func (s *selection) selects(scope *ignoreScope, full, name string, dir bool) bool {
	rel := full[len(s.prefix):]
	if s.globs != nil {
		switch v := s.globs.match(rel, name, dir); {
		case v == ignored: // a glob selects the files that the same line of an ignore file would ignore
			return true
		case v == included, s.requiresGlob && !dir:
			return false
		}
	}
	v := unmatched
	if scope != nil {
		v = scope.match(full, name, dir)
	}
	if v == unmatched && s.userRules != nil && scope != nil && scope.inRepository {
		v = s.userRules.match(rel, name, dir)
	}
	if v == ignored {
		return false
	}
	if s.types != nil && !dir {
		return s.types.lastMatch(name, name, false) >= 0
	}
	return v == included || s.hidden || name[0] != '.'
}
