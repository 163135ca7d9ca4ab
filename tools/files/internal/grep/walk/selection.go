package walk

import (
	"path/filepath"
)

// A selection is what Options say, made ready.
type selection struct {
	// above is the path from the uppermost directory whose rules count to the
	// one of the walk, with a slash at the end or empty. Full paths begin with
	// it, so that every frame finds its own part of them by cutting.
	above string
	outer *frame // rules of the directories above

	globs    *rules // nil: none
	chosen   bool   // a glob is there that does not begin with "!"
	types    *rules // nil: none
	user     *rules // nil: none
	noIgnore bool
	hidden   bool
}

func (o Options) selection(dir string) (*selection, error) {
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
		s.chosen = s.chosen || !r.negated
	}
	var err error
	if s.types, err = typeRules(o.Types); err != nil {
		return nil, err
	}
	if !o.NoIgnore {
		s.outer, s.above = outer(filepath.Clean(dir))
		if o.User != "" {
			s.user = parseRules(textAt(o.User, nil))
		}
	}
	return s, nil
}

// frame returns the rules of the directory f at path full, where marks were met.
func (s *selection) frame(up *frame, f *folder, full string, m marks) *frame {
	return newFrame(up, len(full), m, func(names ...string) string { return f.text(names) })
}

// chooses reports whether a file or directory is to be found. f holds the rules
// of the directory it is in.
func (s *selection) chooses(f *frame, full, name string, dir bool) bool {
	rel := full[len(s.above):]
	if s.globs != nil {
		switch v := s.globs.judge(rel, name, dir); {
		case v == ignored: // a glob chooses what a line of an ignore file ignores
			return true
		case v == wanted, s.chosen && !dir:
			return false
		}
	}
	v := silent
	if f != nil {
		v = f.judge(full, name, dir)
	}
	if v == silent && s.user != nil && f != nil && f.inRepository {
		v = s.user.judge(rel, name, dir)
	}
	if v == ignored {
		return false
	}
	if s.types != nil && !dir {
		return s.types.last(name, name, false) >= 0
	}
	return v == wanted || s.hidden || name[0] != '.'
}
