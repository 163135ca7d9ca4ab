package pegboard

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// namesTool reports whether r names the tool.
func (r *Rule) namesTool(i *Info) bool {
	if r.Behavior == Allow && i.contested != uncontested {
		return r.namesContested(i)
	}
	if !strings.Contains(r.Tool, "*") {
		return i.answersTo(r.Tool) || i.server != "" && (r.Tool == i.server || r.Tool == i.spelled)
	}
	matches := func(name string) bool { return pattern.NameMatches(r.Tool, name, i.server, r.Behavior == Allow) }
	return matches(i.Name) || slices.ContainsFunc(i.Aliases, matches)
}

// namesContested is namesTool for an allow rule on a tool whose name could be that of another
// source.
func (r *Rule) namesContested(i *Info) bool {
	switch i.contested {
	case contestedName, contestedDefinition:
		return r.Tool == i.server || r.Tool == i.server+"__*"
	case contestedFolded:
		return r.Tool == i.spelled && !strings.Contains(r.Tool, "*")
	}
	return false
}

// isBare reports whether r names one tool and nothing else.
func (r *Rule) isBare() bool { return r.Pattern == "" && !strings.Contains(r.Tool, "*") }

// covers is the test of an allow rule: r covers t under all of names.
func (r *Rule) covers(i *Info, t *Target, names []string) bool {
	if t.doubt() != "" {
		return false
	}
	if r.Pattern == "" {
		return r.namesTool(i)
	}
	if t.Kind == TargetPath && t.Access != AccessRead && t.Access != AccessWrite {
		return false // patterns are about reading and writing files, not about running them
	}
	return r.appliesTo(i, t) && r.spec.Covers(patternSubject(i, t, names), r.bases...)
}

// touches is the test of a deny or ask rule: r matches some part of t.
func (r *Rule) touches(i *Info, t *Target) bool {
	return r.appliesTo(i, t) && r.spec.Touches(patternSubject(i, t, t.names()), r.bases...)
}

// appliesTo reports whether a pattern rule is about targets of this kind of this tool.
func (r *Rule) appliesTo(i *Info, t *Target) bool {
	switch {
	case t.Kind == TargetOpaque:
		return false
	case pattern.IsTargetFamily(r.Tool) || r.namesTool(i):
		return true
	}
	// A command that is denied to Bash is denied to every tool. A command that is
	// allowed to Bash is allowed to Monitor, too. The pattern matches nothing but commands.
	return r.Tool == "Bash" && (r.Behavior != Allow || i.answersTo("Monitor"))
}

// mayMatchUnseen reports whether a pattern rule could match something that a call of the
// tool does without declaring it.
func (r *Rule) mayMatchUnseen(i *Info) bool {
	return r.Pattern != "" && (pattern.IsTargetFamily(r.Tool) || r.namesTool(i) || r.appliesTo(i, &Target{Kind: TargetCommand}))
}

// understands reports whether a pattern rule on a tool has a meaning for t: it then matches
// t or is about something else.
func (r *Rule) understands(i *Info, t *Target) bool {
	return t.Kind != TargetOpaque && r.spec.Understands(patternSubject(i, t, t.names()))
}

// patternSubject returns t in the form in which patterns match it.
func patternSubject(i *Info, t *Target, names []string) pattern.Subject {
	tree := t.Tree && (!t.Filtered || i.Origin.External())
	unparsed := t.Kind == TargetCommand && !t.Shell.parsed()
	return pattern.Subject{Unparsed: unparsed, Doubtful: t.doubt() != "", Kind: t.Kind.pattern(), Write: t.Access != AccessRead, Tree: tree, NoWildcards: t.Shell.NoWildcards, Names: names, Nested: t.Shell.Nested}
}
