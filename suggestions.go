package pegboard

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// maxRemembered is how many rules one answer adds: the number that Claude Code documents.
const maxRemembered = 5

// A suggester finds the permission updates that would allow a call.
type suggester struct {
	session *Session
	about   *evaluation // of the call
}

// alternatives implements [Question.Suggestions].
func (s *suggester) alternatives(to RuleSource) (all [][]PermissionUpdate) {
	if s.behaviorAfter() == Allow {
		return nil
	}
	offer := func(updates ...PermissionUpdate) {
		same := func(a []PermissionUpdate) bool { return reflect.DeepEqual(a, updates) }
		if !slices.ContainsFunc(all, same) && s.behaviorAfter(updates...) == Allow {
			all = append(all, updates)
		}
	}
	e := s.about
	for _, spell := range []func(string, *Target, string) string{familiarCommand, exactCommand} {
		if s.readsDirectoryItself() {
			break // a rule would also allow everything in the directory
		}
		if rules := s.rules(to, maxRemembered, spell); len(rules) > 0 {
			offer(allowRules(rules, to))
		}
	}
	if dirs := s.directoriesOutside(); len(dirs) > 0 && !s.readsDirectoryItself() && !s.session.Permissions().Mode().edits() { // in those modes the directory could be written, too
		offer(PermissionUpdate{Type: UpdateAddDirectories, Directories: dirs, Destination: to})
	}
	if e.writes() && s.session.Permissions().Mode() == ModeDefault {
		offer(PermissionUpdate{Type: UpdateSetMode, Mode: ModeAcceptEdits, Destination: SourceSession})
	}
	named := func(t Target) bool {
		return t.Kind == TargetCommand || t.Kind == TargetPath || t.Kind == TargetHost
	}
	if !slices.ContainsFunc(e.targets, named) && !e.info.allowsAnything("") {
		offer(allowRules([]PermissionUpdateRule{{Tool: e.info.Name}}, to))
	}
	return all
}

func allowRules(rules []PermissionUpdateRule, to RuleSource) PermissionUpdate {
	return PermissionUpdate{Type: UpdateAddRules, Rules: rules, Behavior: Allow, Destination: to}
}

// behaviorAfter returns how the call would be decided after updates. In ModeAsk it
// returns Allow if the rules alone allow the call.
func (s *suggester) behaviorAfter(updates ...PermissionUpdate) Behavior {
	p, err := s.session.grants.after(updates)
	if err != nil {
		return Undecided
	}
	after, e := *p, *s.about
	if after.Mode() == ModeAsk {
		after.mode = ModeDeny
	}
	after.outer = slices.Clone(after.outer)
	for i, m := range after.outer {
		if m == ModeAsk {
			after.outer[i] = ModeDeny
		}
	}
	e.perms, e.dirs = &after, after.work
	return e.decide().Behavior
}

// The functions below spell the pattern of a rule for a command of a tool, or return ""
// if no rule should allow it.

// literalCommand spells exactly this command.
func literalCommand(_ string, _ *Target, command string) string {
	if strings.Contains(command, "*") { // a rule would read it as a wildcard
		return ""
	}
	return command
}

// exactCommand spells this command if it is safe to remember.
func exactCommand(tool string, t *Target, command string) (spec string) {
	for _, spec = range commandPatterns(tool, t, command) {
	}
	return spec
}

// familiarCommand spells the broadest safe prefix, such as "git add *".
func familiarCommand(tool string, t *Target, command string) string {
	for _, spec := range commandPatterns(tool, t, command) {
		return spec
	}
	return ""
}

func commandPatterns(tool string, t *Target, command string) []string {
	if t.Shell.ReadsInput {
		return suggest.CommandWithInput(tool, command)
	}
	return suggest.Command(tool, command)
}

// rules returns at most limit rules that together cover all targets under each of their
// names. It returns nil if there is an opaque target, or if more rules were needed.
func (s *suggester) rules(to RuleSource, limit int, spell func(tool string, t *Target, command string) string) (rules []PermissionUpdateRule) {
	e, strict := s.about, s.session.Permissions().Mode() == ModeAsk
	for i := range e.targets {
		t := &e.targets[i]
		if t.Shell.Guess || !strict && t.Kind == TargetCommand && e.isHarmless(t) || t.Shell.FromCommand != "" && (t.Access == AccessRead || e.isInside(t)) {
			continue // allowed together with the other targets
		}
		for _, name := range t.names() {
			rule := PermissionUpdateRule{Tool: e.info.Name, Pattern: name}
			switch t.Kind {
			case TargetOpaque:
				return nil
			case TargetCommand:
				rule.Pattern = spell(e.info.Name, t, name)
				if rule.Pattern == "" || t.Shell.VerifyReadOnly != nil { // it is harmless only where its tool has looked
					return nil
				}
			case TargetPath:
				rule = PermissionUpdateRule{Tool: "Edit", Pattern: s.pathPattern(name, to)}
				if t.Access == AccessRead {
					rule.Tool = "Read"
				}
			case TargetHost:
				rule = PermissionUpdateRule{Tool: "WebFetch", Pattern: "domain:" + name}
			}
			if t.Kind != TargetPath && t.Kind != TargetCommand && strings.ContainsAny(name, "*?") { // a rule would read them as wildcards
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

// readsDirectoryItself reports whether a target is a directory outside the working
// directories, but not the tree below it.
func (s *suggester) readsDirectoryItself() bool {
	return !s.about.all(func(t *Target) bool {
		return t.Kind != TargetPath || t.Tree || t.Shell.Guess || s.about.isInside(t) || !isDir(t.Value)
	})
}

// directoriesOutside returns the directories of the targets outside the working
// directories. It returns nil if one of them contains a working directory or the home.
func (s *suggester) directoriesOutside() (dirs []string) {
	e, home := s.about, s.session.dirs.home
	for i := range e.targets {
		t := &e.targets[i]
		if t.Kind != TargetPath || t.Shell.Guess || e.isInside(t) {
			continue
		}
		dir := t.Value
		if !t.Tree {
			dir = filepath.Dir(dir)
		}
		vital := append([]workDir{{home, realpath.Resolve(home)}}, e.dirs...)
		for _, name := range []string{dir, realpath.Resolve(dir)} {
			if slices.ContainsFunc(vital, func(d workDir) bool { return realpath.Contains(name, d.spelled) || realpath.Contains(name, d.real) }) {
				return nil
			}
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// pathPattern spells a path for a rule of a source: relative to the working directory if
// every reader of the rule has the same one, otherwise from the home or the root.
func (s *suggester) pathPattern(path string, to RuleSource) string {
	below := func(dir string) (string, bool) {
		rel, err := filepath.Rel(dir, path)
		return pattern.EscapePath(filepath.ToSlash(rel)), dir != "" && err == nil && rel != "." && filepath.IsLocal(rel)
	}
	main := s.session.main().dirs.own[0]
	for _, dir := range []string{main.spelled, main.real} {
		if rel, ok := below(dir); ok && to != SourceUser && to != SourceLocal {
			return "/" + rel
		}
	}
	if rel, ok := below(s.session.dirs.home); ok && to == SourceUser {
		return "~/" + rel
	}
	return "/" + pattern.EscapePath(path)
}

// remedy returns the narrowest rules, at most three, that would have allowed the call,
// or "" if no rule would.
func (s *suggester) remedy() string {
	if s.behaviorAfter() == Allow { // it was asked about for another reason than rules
		return ""
	}
	for _, rules := range [][]PermissionUpdateRule{s.rules(SourceSession, 3, literalCommand), {{Tool: s.about.info.Name}}} {
		if len(rules) > 0 && s.behaviorAfter(allowRules(rules, SourceSession)) == Allow {
			var texts []string
			for _, r := range rules {
				texts = append(texts, r.String())
			}
			return strings.Join(texts, ", ")
		}
	}
	return ""
}

// unansweredReason words the denial of a call whose question got no answer.
func unansweredReason(c *Call, d Decision, ts []Target, err error) string {
	reason := fmt.Sprintf("%s, and %v", d.Reason, err)
	if !errors.Is(err, ErrNoApprover) || !d.unruled {
		return reason
	}
	return withRemedy(c, reason, ts)
}

// withRemedy adds to the reason of a denial the rule that would have allowed the call.
func withRemedy(c *Call, reason string, ts []Target) string {
	var e evaluation
	c.prepare(&e, ts)
	s := suggester{session: c.state.session, about: &e}
	if rule := s.remedy(); rule != "" {
		reason += fmt.Sprintf("; the allow rule %s would permit it", rule)
	}
	return reason
}
