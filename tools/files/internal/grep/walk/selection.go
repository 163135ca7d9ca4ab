package walk

import "path/filepath"

// A selection is what Options say, made ready.
type selection struct {
	// prefix is the path from the uppermost directory whose rules count to the
	// one of the walk, with a slash at the end or empty. Full paths begin with
	// it, so that every frame finds its own part of them by cutting.
	prefix     string
	outerScope *ignoreScope // rules of the directories above

	globs        *rules // nil: none
	requiresGlob bool   // a glob is there that does not begin with "!"
	types        *rules // nil: none
	userRules    *rules // nil: none
	noIgnore     bool
	hidden       bool
}

func (o Options) newSelection(dir string) (*selection, error) {
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

// scopeOf returns the rules of the directory f at path full, where marks were met.
func (s *selection) scopeOf(up *ignoreScope, f *sharedDir, full string, m ignoreMarks) *ignoreScope {
	return newIgnoreScope(up, len(full), m, func(names ...string) string { return f.readText(names) })
}

// selects reports whether a file or directory is to be found. f holds the rules
// of the directory it is in.
func (s *selection) selects(f *ignoreScope, full, name string, dir bool) bool {
	rel := full[len(s.prefix):]
	if s.globs != nil {
		switch v := s.globs.match(rel, name, dir); {
		case v == ignored: // a glob chooses what a line of an ignore file ignores
			return true
		case v == included, s.requiresGlob && !dir:
			return false
		}
	}
	v := unmatched
	if f != nil {
		v = f.match(full, name, dir)
	}
	if v == unmatched && s.userRules != nil && f != nil && f.inRepository {
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
