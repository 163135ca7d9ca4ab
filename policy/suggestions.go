package policy

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// maxRemembered limits the rules that one answer adds, to the number that Claude Code documents.
const maxRemembered = 5

// A suggester finds the permission updates that would allow a call.
type suggester struct {
	about *evaluation                          // of the call
	after func(...Update) (Permissions, error) // returns the permissions that would be in force
}

func (p *Permissions) suggester(r *Request, after func(...Update) (Permissions, error)) suggester {
	p = p.prepare(r)
	if after == nil {
		after = p.Apply
	}
	return suggester{about: &evaluation{perms: p, Request: r, findings: new(findings)}, after: after}
}

// alternatives implements [Permissions.Suggest].
func (s *suggester) alternatives(to Source) (all [][]Update) {
	if s.behaviorAfter() == Allow {
		return nil
	}
	offer := func(updates ...Update) {
		same := func(a []Update) bool { return reflect.DeepEqual(a, updates) }
		if !slices.ContainsFunc(all, same) && s.behaviorAfter(updates...) == Allow {
			all = append(all, updates)
		}
	}
	e := s.about
	if !slices.ContainsFunc(e.Targets, s.allowsMore) {
		for _, spell := range []func(string, *Target, string) string{exactCommand, s.familiarCommand} {
			if rules := s.rules(to, maxRemembered, spell); len(rules) > 0 {
				offer(allowRules(rules, to))
			}
		}
	}
	if e.writes() && s.about.perms.Mode() == ModeDefault {
		offer(Update{Type: SetMode, Mode: ModeAcceptEdits, Destination: SourceSession})
	}
	named := func(t Target) bool {
		return t.Kind == Command || t.Kind == Path || t.Kind == Host
	}
	if !slices.ContainsFunc(e.Targets, named) && !e.Tool.allowsAnything("") {
		offer(allowRules([]UpdateRule{{Tool: e.Tool.Name}}, to))
	}
	return all
}

func allowRules(rules []UpdateRule, to Source) Update {
	return Update{Type: AddRules, Rules: rules, Behavior: Allow, Destination: to}
}

// behaviorAfter returns how the call would be decided after updates. In ModeAsk it returns Allow
// if the rules alone allow the call.
func (s *suggester) behaviorAfter(updates ...Update) Behavior {
	after, err := s.after(updates...)
	if err != nil {
		return Undecided
	}
	if after.Mode() == ModeAsk {
		after.mode = ModeDeny
	}
	after.outer = slices.Clone(after.outer)
	for i, m := range after.outer {
		if m == ModeAsk {
			after.outer[i] = ModeDeny
		}
	}
	return after.Decide(context.Background(), *s.about.Request).Behavior
}

// The functions below return the pattern of a rule for a command of a tool, or "" if no rule
// should allow it.

// exactCommand returns the pattern of exactly this command if that is safe to remember.
func exactCommand(tool string, t *Target, command string) (spec string) {
	for _, spec = range commandPatterns(tool, t, command) {
	}
	return spec
}

// familiarCommand returns the broadest safe prefix, such as "git add *". For a command that reads
// outside the working directories it returns the exact command: a rule also allows such reads, and
// a prefix would allow any others.
func (s *suggester) familiarCommand(tool string, t *Target, command string) string {
	readsOutside := func(o Target) bool {
		return o.Kind == Path && o.Shell.FromCommand == t.Value && !o.Shell.Guess && !s.about.isInside(&o)
	}
	if slices.ContainsFunc(s.about.Targets, readsOutside) {
		return exactCommand(tool, t, command)
	}
	for _, spec := range append(startedPatterns(tool, t), commandPatterns(tool, t, command)...) {
		return spec
	}
	return ""
}

// startedPatterns returns the broadest safe prefix of the commands that a command starts with
// files that it finds, if all of them have the same prefix.
func startedPatterns(tool string, t *Target) (common []string) {
	for i, text := range t.Shell.Starts {
		specs := suggest.CommandWithInput(tool, text)
		if len(specs) == 0 || i > 0 && specs[0] != common[0] {
			return nil
		}
		common = specs[:1]
	}
	return common
}

func commandPatterns(tool string, t *Target, command string) []string {
	if t.Shell.ReadsInput {
		return suggest.CommandWithInput(tool, command)
	}
	return suggest.Command(tool, command)
}

// rules returns at most limit rules that together cover all targets under each of their names. It
// returns nil if there is an opaque target, or if more rules are needed.
func (s *suggester) rules(to Source, limit int, spell func(tool string, t *Target, command string) string) (rules []UpdateRule) {
	e, mode := s.about, s.about.perms.Mode()
	strict := mode == ModeAsk || mode == ModeDeny
	for i := range e.Targets {
		t := &e.Targets[i]
		if t.Shell.Guess || !strict && (t.Kind == Command || t.Kind == Path && !e.Facts.OpenWorld) && e.isHarmless(t) || s.comesWithCommand(t, strict) {
			continue // allowed together with the other targets
		}
		for _, name := range t.Names() {
			rule := UpdateRule{Tool: e.Tool.Name, Pattern: name}
			switch t.Kind {
			case Opaque:
				return nil
			case Command:
				rule.Pattern = spell(e.Tool.Name, t, name)
				if rule.Pattern == "" || t.Shell.VerifyReadOnly != nil && t.Shell.VerifyNames == nil { // it is harmless only where its tool has looked
					return nil
				}
			case Path:
				rule = UpdateRule{Tool: "Edit", Pattern: s.pathPattern(name, to)}
				if t.Access == Read {
					rule.Tool = "Read"
				}
			case Host:
				rule = UpdateRule{Tool: "WebFetch", Pattern: "domain:" + name}
			default:
				if e.Tool.External() { // rules on tools of servers have no pattern
					rule.Pattern = ""
				}
			}
			if t.Kind != Path && t.Kind != Command && strings.ContainsAny(name, "*?") { // a rule would read them as wildcards
				return nil
			}
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) > limit {
		return nil
	}
	return rules
}

// comesWithCommand reports whether t is a path that is allowed together with the command that it
// was given to. A command that only reads needs no rule itself, so a path that it reads elsewhere
// does not come with it.
func (s *suggester) comesWithCommand(t *Target, strict bool) bool {
	e := s.about
	if t.Shell.FromCommand == "" || t.Access != Read || e.isInside(t) {
		return t.Shell.FromCommand != "" && e.isInside(t)
	}
	needsRule := func(c Target) bool {
		return c.Kind == Command && c.Value == t.Shell.FromCommand && (strict || !e.isHarmless(&c))
	}
	return slices.ContainsFunc(e.Targets, needsRule)
}

// allowsMore reports whether a rule for t, a path outside the working directories, would allow
// more than the call does. It would for a directory of which only the names are read. It would
// also for a tree that holds a working directory, the home directory, or a directory of settings
// and keys such as ~/.ssh: files may appear there that no question was about.
func (s *suggester) allowsMore(t Target) bool {
	switch {
	case t.Kind != Path || t.Shell.Guess || s.about.isInside(&t):
		return false
	case !t.Tree:
		return slices.ContainsFunc(t.Names(), isDir)
	}
	return slices.ContainsFunc(t.Names(), s.isVital)
}

// isVital reports whether a directory holds a working directory or the home directory, or whether
// it is hidden or lies below a hidden one.
func (s *suggester) isVital(dir string) bool {
	home := s.about.Place.home
	for _, d := range append([]workDir{{home, realpath.Resolve(home)}}, s.about.perms.work...) {
		if realpath.Contains(dir, d.spelled) || realpath.Contains(dir, d.real) {
			return true
		}
	}
	return strings.Contains(filepath.ToSlash(dir), "/.")
}

// pathPattern returns a path as a rule of a source spells it: relative to the working directory if
// every reader of the rule has the same one, otherwise from the home directory or the root.
func (s *suggester) pathPattern(path string, to Source) string {
	below := func(dir string) (string, bool) {
		rel, err := filepath.Rel(dir, path)
		return pattern.EscapePath(filepath.ToSlash(rel)), dir != "" && err == nil && rel != "." && filepath.IsLocal(rel)
	}
	main := s.about.Main.own[0]
	for _, dir := range []string{main.spelled, main.real} {
		if rel, ok := below(dir); ok && to != SourceUser && to != SourceLocal && main == s.about.Main.made { // a saved rule will be read there
			return "/" + rel
		}
	}
	if rel, ok := below(s.about.Place.home); ok && to == SourceUser {
		return "~/" + rel
	}
	return "/" + pattern.EscapePath(path)
}

// remedy returns the first rules that are offered as an answer to a question about the call, or ""
// if there are none.
func (s *suggester) remedy() string {
	for _, updates := range s.alternatives(SourceSession) {
		var texts []string
		for _, u := range updates {
			for _, r := range u.Rules {
				texts = append(texts, r.String())
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, ", ")
		}
	}
	return ""
}
