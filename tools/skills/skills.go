package skills

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// Skills are the skills of a host. [New] makes them. One value serves all conversations.
//
// # Concurrency
//
// All methods may be called concurrently.
type Skills struct {
	o     Options
	state *pegboard.Key[*state]
}

// New returns the skills that the options describe. The error says which option is missing.
func New(o Options) (*Skills, error) {
	if o.List == nil {
		return nil, errors.New("skills: Options.List is nil, so that there is no skill")
	}
	if o.MaxListed <= 0 {
		o.MaxListed = DefaultMaxListed
	}
	return &Skills{o: o, state: pegboard.NewClonedKey("skills", func(*state) *state { return newState() })}, nil
}

// of returns the state of a session.
func (k *Skills) of(s *pegboard.Session) *state { return k.state.GetOrInit(s, newState) }

// List returns the skills of a session, sorted by name, as they were read last: for a user
// interface that completes their names.
func (k *Skills) List(s *pegboard.Session) []Skill {
	return slices.Clone(k.catalog(s).skills)
}

// catalog returns the skills that were read last. If none were, it reads them.
func (k *Skills) catalog(s *pegboard.Session) *catalog {
	if c := k.of(s).loaded(); c != nil {
		return c
	}
	return k.reload(s)
}

// reload reads the skills of a session.
func (k *Skills) reload(s *pegboard.Session) *catalog {
	st := k.of(s)
	c := newCatalog(k.o.List(s, st.touchedFiles()))
	st.setCatalog(c)
	return c
}

// find returns the skill with a name, which may have a slash before it.
func (k *Skills) find(s *pegboard.Session, name string) (*Skill, error) {
	c := k.catalog(s)
	if found := c.find(name); found != nil {
		return found, nil
	}
	return nil, unknown(c, name)
}

// unknown returns the error for a name that no skill has.
func unknown(c *catalog, name string) error {
	const most = 20
	var names []string
	for i := range c.skills {
		if c.skills[i].refusal() == "" {
			names = append(names, c.skills[i].Name)
		}
	}
	name = bareName(name)
	switch near := nearest.Names(name, names, 3); {
	case len(names) == 0:
		return &wordedError{"no skill has the name " + name + "; there are no skills: go on without", ErrUnknown}
	case len(near) > 0:
		return &wordedError{"no skill has the name " + name + "; did you mean " + strings.Join(near, " or ") + "?", ErrUnknown}
	}
	if len(names) > most {
		names = append(names[:most:most], "and others")
	}
	return &wordedError{"no skill has the name " + name + "; there are: " + strings.Join(names, ", "), ErrUnknown}
}

// bareName returns the name of a skill without the slash that people type before it.
func bareName(name string) string { return strings.TrimPrefix(strings.TrimSpace(name), "/") }

// variables returns the values of the variables in the text of a skill.
func (k *Skills) variables(s *pegboard.Session, skill *Skill) map[string]string {
	all := map[string]string{"CLAUDE_PROJECT_DIR": k.projectDir(s)}
	if id := s.ID(); id != "" {
		all["CLAUDE_SESSION_ID"] = id
	}
	if k.o.Effort != nil {
		all["CLAUDE_EFFORT"] = k.o.Effort(s)
	}
	if skill.Dir != "" {
		all["CLAUDE_SKILL_DIR"] = skill.Dir
	}
	for name, value := range skill.Variables {
		all[name] = value
	}
	return all
}

func (k *Skills) projectDir(s *pegboard.Session) string {
	if k.o.ProjectDir != nil {
		return k.o.ProjectDir(s)
	}
	return s.Dir()
}

// newLaunch returns a launch for a call or a person.
func (k *Skills) newLaunch(p *pegboard.Pool, s *Skill, args string, run func(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome) *launch {
	l := &launch{skills: k, session: p.Session(), pool: p, skill: s, args: args, run: run}
	if k.o.NoCommands {
		l.noCommands = "[the host runs no commands of skills]"
	}
	return l
}

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
