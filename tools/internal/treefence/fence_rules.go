package treefence

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Rules returns those of rules that deny and ask once more, for a session that is anchored in the
// worktree. If a rule names a place in the checkout by an absolute path, or from the home
// directory, the result names that place in the worktree. Spelled are further names of Main. Rules
// of the turn are left out.
func (f *Fence) Rules(rules []policy.Rule, home string, spelled ...string) []policy.RuleSet {
	var sets []policy.RuleSet
	for _, r := range rules {
		if r.Behavior == policy.Allow || r.Pattern == "" || r.Source == policy.SourceTurn {
			continue
		}
		r.Pattern, _ = f.moved(r.Pattern, home, spelled)
		sets = append(sets, setOf(r))
	}
	return sets
}

// Missing is Rules for a session that has the rules itself: it returns only those that name
// another place in the worktree than in the checkout, and that are not among rules yet. Rules of
// the turn count, and end with the turn. Anchor is the directory in the worktree on which rules
// count as anchored that name no absolute path; empty if they hold there anyway.
func (f *Fence) Missing(rules []policy.Rule, anchor, home string, spelled ...string) []policy.RuleSet {
	var sets []policy.RuleSet
	for _, r := range rules {
		if r.Behavior == policy.Allow || r.Pattern == "" {
			continue
		}
		text, ok := f.moved(r.Pattern, home, spelled)
		if !ok && anchor != "" {
			text, ok = anchored(&r, anchor)
		}
		if r.Pattern = text; ok && !slices.ContainsFunc(rules, func(o policy.Rule) bool { return SameText(o, r) }) {
			sets = append(sets, setOf(r))
		}
	}
	return sets
}

// SameText reports whether two rules are written alike.
func SameText(a, b policy.Rule) bool {
	return a.Behavior == b.Behavior && a.Tool == b.Tool && a.Pattern == b.Pattern && a.Source == b.Source
}

func setOf(r policy.Rule) policy.RuleSet {
	if r.Behavior == policy.Deny {
		return policy.RuleSet{Source: r.Source, Deny: []string{r.String()}}
	}
	return policy.RuleSet{Source: r.Source, Ask: []string{r.String()}}
}

// moved returns a pattern that names a place in the checkout by an absolute path, or from the
// home directory, for the same place in the worktree. Others stay as they are, and so does one
// about the worktree itself, which may be below the checkout.
func (f *Fence) moved(text, home string, spelled []string) (string, bool) {
	path, ok := strings.CutPrefix(text, "/")
	if rest, fromHome := strings.CutPrefix(text, "~"); fromHome && home != "" {
		path, ok = pattern.EscapePath(filepath.ToSlash(home))+rest, true
	}
	if !ok || !strings.HasPrefix(path, "/") {
		return text, false
	}
	tree := pattern.EscapePath(filepath.ToSlash(f.Path))
	if rest, ok := strings.CutPrefix(path, tree); ok && (rest == "" || rest[0] == '/') {
		return text, false
	}
	for _, main := range slices.Concat([]string{f.Main}, f.More, spelled) {
		rest, ok := strings.CutPrefix(path, pattern.EscapePath(filepath.ToSlash(main)))
		if ok && main != "" && (rest == "" || rest[0] == '/') {
			return "/" + tree + rest, true
		}
	}
	return text, false
}

// anchored returns the pattern of a rule on files as it is written for an anchor, if it has one. A
// bare name has none.
func anchored(r *policy.Rule, anchor string) (string, bool) {
	text := strings.TrimPrefix(r.Pattern, "./")
	isPath := (r.Tool == "Read" || r.Tool == "Edit") && strings.Contains(strings.TrimSuffix(text, "/"), "/")
	if !isPath || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "~") || strings.Contains(text, "..") {
		return r.Pattern, false
	}
	at := "/" + pattern.EscapePath(filepath.ToSlash(anchor)) + "/"
	if name, below := strings.CutSuffix(r.Pattern, "/**"); below && !strings.Contains(name, "/") {
		at += "**/" // such a name counts at any depth
	}
	return at + strings.TrimPrefix(text, "/"), true
}

// SpelledMain returns the checkout as a directory in it spells it, or "".
func (f *Fence) SpelledMain(dir string) string {
	rel, err := filepath.Rel(f.Main, realpath.Resolve(dir))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	main, ok := strings.CutSuffix(dir, string(filepath.Separator)+rel)
	if rel == "." || !ok {
		main = dir
	}
	if realpath.Resolve(main) != f.Main {
		return ""
	}
	return main
}
