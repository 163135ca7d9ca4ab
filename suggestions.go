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

// maxRemembered is how many rules one answer adds: the documented number of the
// best-known harness.
const maxRemembered = 5

// Suggestions returns what an answer could remember, so that the same and its like
// need not be asked about again: alternatives, the one that most people want first,
// each of them proven to allow this very call, none so broad that anything runs. The
// rules are spelled for the destination to, a mode is for the session in any case.
// There may be none: a rule or a mode may insist on asking, and what nobody could
// look into cannot be told from the next.
//
// In ModeAsk, which asks whatever the rules say, they are what would do without it.
func (q *Question) Suggestions(to RuleSource) (alternatives [][]PermissionUpdate) {
	if q.about == nil {
		return nil
	}
	about, s := *q.about, q.Call.Session()
	x := &about
	if x.decided(s) == Allow {
		return nil
	}
	offer := func(updates ...PermissionUpdate) {
		same := func(a []PermissionUpdate) bool { return reflect.DeepEqual(a, updates) }
		if !slices.ContainsFunc(alternatives, same) && x.decided(s, updates...) == Allow {
			alternatives = append(alternatives, updates)
		}
	}
	for _, spell := range []func(string, *Target, string) string{familiar, exact} {
		if x.lists() {
			break // a rule would speak of all that is in the directory
		}
		if rules := x.rules(s, to, maxRemembered, spell); len(rules) > 0 {
			offer(allowing(rules, to))
		}
	}
	if dirs := x.outside(s); len(dirs) > 0 && !x.lists() && !s.Permissions().Mode().edits() { // which lets them be written, too
		offer(PermissionUpdate{Type: UpdateAddDirectories, Directories: dirs, Destination: to})
	}
	if x.writes() && s.Permissions().Mode() == ModeDefault {
		offer(PermissionUpdate{Type: UpdateSetMode, Mode: ModeAcceptEdits, Destination: SourceSession})
	}
	named := func(t Target) bool { return t.Kind == TargetCommand || t.Kind == TargetPath || t.Kind == TargetHost }
	if !slices.ContainsFunc(x.targets, named) && !x.info.broad("") {
		offer(allowing([]PermissionUpdateRule{{Tool: x.info.Name}}, to))
	}
	return alternatives
}

func allowing(rules []PermissionUpdateRule, to RuleSource) PermissionUpdate {
	return PermissionUpdate{Type: UpdateAddRules, Rules: rules, Behavior: Allow, Destination: to}
}

// decided is how x would be decided in s after updates. What ModeAsk would ask
// about is allowed if rules alone do.
func (x *subject) decided(s *Session, updates ...PermissionUpdate) Behavior {
	p, err := s.permissionsAfter(updates)
	if err != nil {
		return Undecided
	}
	q, y := *p, *x
	y.dirs = q.work
	if q.Mode() == ModeAsk {
		q.mode = ModeDeny
	}
	q.outer = slices.Clone(q.outer)
	for i, m := range q.outer {
		if m == ModeAsk {
			q.outer[i] = ModeDeny
		}
	}
	return q.decide(&y).Behavior
}

// literal spells a command for a rule as it stands, exact does so where a rule
// should be kept, and familiar as one would recognise the next of its like. They
// return nothing if no rule should say it.
func literal(_ string, t *Target, line string) string {
	if strings.Contains(line, "*") { // which a rule would read as a wildcard
		return ""
	}
	return line
}

func exact(tool string, t *Target, line string) (spec string) {
	for _, spec = range proposals(tool, t, line) {
	}
	return spec
}

func familiar(tool string, t *Target, line string) string {
	for _, spec := range proposals(tool, t, line) {
		return spec
	}
	return ""
}

func proposals(tool string, t *Target, line string) []string {
	if t.Shell.ReadsInput {
		return suggest.CommandWithInput(tool, line)
	}
	return suggest.Command(tool, line)
}

// rules are those that together cover what the call acts on, under each of its
// names. There is none for what is opaque, nor if it took more than most.
func (x *subject) rules(s *Session, to RuleSource, most int, spell func(tool string, t *Target, line string) string) (rules []PermissionUpdateRule) {
	strict := s.Permissions().Mode() == ModeAsk
	for i := range x.targets {
		t := &x.targets[i]
		if t.Shell.Guess || !strict && t.Kind == TargetCommand && x.harmless(t) || t.Shell.FromCommand != "" && (t.Access == AccessRead || x.inside(t)) {
			continue // what lets the rest run lets it pass
		}
		for _, name := range t.names() {
			rule := PermissionUpdateRule{Tool: x.info.Name, Pattern: name}
			switch t.Kind {
			case TargetOpaque:
				return nil
			case TargetCommand:
				rule.Pattern = spell(x.info.Name, t, name)
				if rule.Pattern == "" || t.Shell.VerifyReadOnly != nil { // harmless where its tool has looked, and only there
					return nil
				}
			case TargetPath:
				rule = PermissionUpdateRule{Tool: "Edit", Pattern: s.spelled(name, to)}
				if t.Access == AccessRead {
					rule.Tool = "Read"
				}
			case TargetHost:
				rule = PermissionUpdateRule{Tool: "WebFetch", Pattern: "domain:" + name}
			}
			if t.Kind != TargetPath && t.Kind != TargetCommand && strings.ContainsAny(name, "*?") { // which a rule would read as a wildcard
				return nil
			}
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) > most {
		return nil
	}
	return rules
}

// lists reports whether x looks at a directory outside the working directories
// itself, and not at what is below.
func (x *subject) lists() bool {
	return !x.all(func(t *Target) bool {
		return t.Kind != TargetPath || t.Tree || t.Shell.Guess || x.inside(t) || !isDir(t.Value)
	})
}

// outside returns the directories, none of them above a working directory or the
// home, of the files that the call touches outside the working directories.
func (x *subject) outside(s *Session) (dirs []string) {
	for i := range x.targets {
		t := &x.targets[i]
		if t.Kind != TargetPath || t.Shell.Guess || x.inside(t) {
			continue
		}
		dir := t.Value
		if !t.Tree {
			dir = filepath.Dir(dir)
		}
		vital := append([]workDir{{s.home, realpath.Resolve(s.home)}}, x.dirs...)
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

// remedy names the narrowest rules that would have allowed a call, or nothing if
// no rule would. Nobody adds more than three.
func (s *Session) remedy(x *subject) string {
	if x.decided(s) == Allow { // it was asked about for another reason than rules
		return ""
	}
	for _, rules := range [][]PermissionUpdateRule{x.rules(s, SourceSession, 3, literal), {{Tool: x.info.Name}}} {
		if len(rules) > 0 && x.decided(s, allowing(rules, SourceSession)) == Allow {
			var texts []string
			for _, r := range rules {
				texts = append(texts, r.String())
			}
			return strings.Join(texts, ", ")
		}
	}
	return ""
}

// unanswered words why a call is denied that had to be asked about.
func (c *Call) unanswered(d Decision, ts []Target, err error) string {
	reason := fmt.Sprintf("%s, and %v", d.Reason, err)
	if !errors.Is(err, ErrNoApprover) || !d.unruled {
		return reason
	}
	return c.withRemedy(reason, ts)
}

// withRemedy adds to the reason of a denial the rule that would have prevented it.
func (c *Call) withRemedy(reason string, ts []Target) string {
	var x subject
	c.put(&x, ts)
	if rule := c.state.session.remedy(&x); rule != "" {
		reason += fmt.Sprintf("; the allow rule %s would permit it", rule)
	}
	return reason
}

// spelled is a path as a rule of a source spells it: from the working directory
// where that is the same for who reads the rule, else from the home or the root.
func (s *Session) spelled(path string, to RuleSource) string {
	below := func(dir string) (string, bool) {
		rel, err := filepath.Rel(dir, path)
		return pattern.EscapePath(filepath.ToSlash(rel)), dir != "" && err == nil && rel != "." && filepath.IsLocal(rel)
	}
	for _, dir := range []string{s.main().work[0].spelled, s.main().work[0].real} {
		if rel, ok := below(dir); ok && to != SourceUser && to != SourceLocal {
			return "/" + rel
		}
	}
	if rel, ok := below(s.home); ok && to == SourceUser {
		return "~/" + rel
	}
	return "/" + pattern.EscapePath(path)
}
