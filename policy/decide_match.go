package policy

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// matching returns the first deny rule and the first ask rule that match the call or any
// of its targets.
func (e *evaluation) matching() (deny, ask *Rule) {
	set := e.perms.set
	if set == nil {
		return nil, nil
	}
	first := [...]int{Deny: -1, Ask: -1}
	about := [...]*Target{Deny: nil, Ask: nil}
	matchAs := func(i int32, t *Target, twin string) {
		r := &set.rules[i]
		if r.Behavior == Ask && r.isBare() && e.inSandbox() {
			e.record(r, nil, Undecided, "is about it in plan mode only, since it runs in a sandbox")
			if e.askSandbox == nil {
				e.askSandbox = r
			}
			return
		}
		e.record(r, t, r.Behavior, "is about it")
		if at := &first[r.Behavior]; *at < 0 || int(i) < *at {
			*at, about[r.Behavior], e.twins[r.Behavior] = int(i), t, twin
		}
	}
	match := func(i int32, t *Target) { matchAs(i, t, "") }
	for _, i := range set.callRules {
		switch r := &set.rules[i]; {
		case r.Behavior == Allow:
		case e.matchesCall(r):
			match(i, nil)
		case e.explanation != nil:
			e.record(r, nil, Undecided, "is about something else")
		}
	}
	e.candidates.targets = 0
	for k := range e.Targets {
		t := &e.Targets[k]
		for _, i := range e.candidates.store(k, e.candidateRules(t, t.Names(), e.candidates.free())) {
			switch r := &set.rules[i]; {
			case r.Behavior == Allow || r.Pattern == "" || r.param != nil && e.hasParameter(r.param.Name):
			case r.touches(&e.Tool, t):
				if e.concerns(r, t) {
					match(i, t)
				}
			case e.explanation != nil:
				e.record(r, t, Undecided, "is about something else")
			}
		}
		e.matchLinks(t, matchAs)
	}
	if e.explanation != nil { // so far, every step is a rule
		slices.SortStableFunc(e.explanation.Steps, func(a, b Step) int { return int(b.Rule.Behavior - a.Rule.Behavior) })
	}
	e.denied, e.asked = about[Deny], about[Ask]
	if first[Deny] >= 0 {
		deny = &set.rules[first[Deny]]
	}
	if first[Ask] >= 0 {
		ask = &set.rules[first[Ask]]
	}
	return deny, ask
}

// misunderstood returns the first deny or ask rule on the tool whose pattern has no meaning for
// any target of the call, or nil. Such a rule may be meant for the call. If a target is opaque,
// any deny or ask pattern on the tool may be meant for it.
func (e *evaluation) misunderstood() *Rule {
	set := e.perms.set
	if set == nil {
		return nil
	}
	if r := e.ruleOnHidden(); r != nil {
		return r
	}
	for _, i := range set.ownRules {
		r := &set.rules[i]
		if !r.Names(&e.Tool) || r.param != nil && e.hasParameter(r.param.Name) {
			continue
		}
		understands := func(t Target) bool { return r.understands(&e.Tool, &t) }
		opaque := !e.all(func(t *Target) bool { return t.Kind != Opaque })
		if opaque || !slices.ContainsFunc(e.Targets, understands) && (e.Running == nil || !slices.ContainsFunc(e.Running.Targets, understands)) {
			return r
		}
	}
	return nil
}

// ruleOnHidden returns the first deny or ask rule on a property that the host sets, or nil.
func (e *evaluation) ruleOnHidden() *Rule {
	if e.Schema == nil || len(e.Schema.Hidden()) == 0 {
		return nil
	}
	for _, i := range e.perms.set.callRules {
		r := &e.perms.set.rules[i]
		if r.param != nil && slices.Contains(e.Schema.Hidden(), r.param.Name) && r.Names(&e.Tool) {
			return r
		}
	}
	return nil
}

// matchesCall reports whether r names the tool, or matches a parameter of the input as the model
// wrote it or as it is observed.
func (e *evaluation) matchesCall(r *Rule) bool {
	switch {
	case !r.Names(&e.Tool):
		return false
	case r.Pattern == "", e.declares(r.param.Name) && r.param.Matches(e.parameters()):
		return true
	case e.Observed == nil:
		return false
	}
	fields, err := e.observed()
	return err != nil || r.param.Matches(fields)
}

// observed returns the properties of the input as it is observed.
func (e *evaluation) observed() (fields map[string]json.RawMessage, err error) {
	input, err := e.Observed()
	_ = json.Unmarshal(input, &fields) // as in parameters
	return fields, err
}

// parameters returns the properties of the input as the model wrote them, and the defaults
// of those that it left out.
func (e *evaluation) parameters() (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(e.Input, &fields) // the input was decoded before; a call without input has no parameters
	for name, value := range e.Schema.Defaults() {
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		if _, given := fields[name]; !given {
			fields[name] = value
		}
	}
	return fields
}

// hasParameter reports whether the input of the tool has a property of that name, as declared or
// as observed.
func (e *evaluation) hasParameter(name string) bool {
	if e.declares(name) || e.Observed == nil {
		return e.declares(name)
	}
	fields, _ := e.observed()
	return fields[name] != nil
}

func (e *evaluation) declares(name string) bool { return e.Schema != nil && e.Schema.Declares(name) }

// coversTarget returns the allow rule that covers target k, or nil. Several rules may each cover
// some names of the target; it returns the last one. A rule that covers a command also covers
// paths of the command, see [ShellFacts].FromCommand.
func (e *evaluation) coversTarget(mode Mode, k int) *Rule {
	t := &e.Targets[k]
	r := e.covers(mode, t, t.Names(), e.candidates.of(k))
	if r == nil {
		r = e.coversStarted(mode, t)
	}
	if r == nil && t.Shell.FromCommand != "" && (t.Access == Read || e.isInside(t)) {
		for i := range e.Targets {
			if c := &e.Targets[i]; c.Kind == Command && c.Value == t.Shell.FromCommand {
				return e.coversTarget(mode, i)
			}
		}
	}
	return r
}

// coversStarted returns the last of the allow rules that together cover the commands in Starts, or
// nil. Apart from starting them, the command only reads.
func (e *evaluation) coversStarted(mode Mode, t *Target) (last *Rule) {
	for _, text := range t.Shell.Starts {
		started := *t
		started.Value, started.Shell.Starts, started.Shell.NoWildcards = text, nil, false
		if last = e.covers(mode, &started, []string{text}, nil); last == nil {
			return nil
		}
	}
	return last
}

// covers returns the last of the allow rules that together cover t under all of names, or nil. If
// candidates is nil, it looks up the rules that may match t.
func (e *evaluation) covers(mode Mode, t *Target, names []string, candidates []int32) (last *Rule) {
	set := e.perms.set
	if set == nil {
		return nil
	}
	var buf [16]int32
	if candidates == nil {
		candidates = e.candidateRules(t, names, buf[:0])
	}
	callRules := set.callRules
	if e.explanation != nil { // the candidates are all rules
		callRules = nil
	}
	for k := range names {
		name := names[k : k+1]
		first := -1
		for _, list := range [...][]int32{callRules, candidates} {
			for _, i := range list {
				r := &set.rules[i]
				switch {
				case r.Behavior != Allow || first >= 0 && int(i) >= first:
				case e.allows(mode, r, t, name):
					first = int(i)
				case e.explanation != nil:
					e.record(r, t, Undecided, "does not cover it")
				}
			}
		}
		if first < 0 {
			return nil
		}
		last = &set.rules[first]
	}
	return last
}

// allows reports whether an allow rule covers one name of a target. A rule for a whole tool does
// not cover a file that a command writes outside the working directories. Nor does it cover a
// target that cannot be seen into while a deny or ask pattern could match there, see unseenRule.
func (e *evaluation) allows(mode Mode, r *Rule, t *Target, name []string) bool {
	switch {
	case !r.covers(&e.Tool, t, name), mode == ModeAuto && e.Tool.allowsAnything(r.Pattern):
		return false
	case r.Pattern != "" && t.Kind == Command && t.Shell.ReadsUnseen && e.unseenRule(t) != nil:
		return false
	case r.Pattern != "":
		return (mode != ModeAuto || t.Kind != Command || !pattern.Broad("Bash", r.Pattern)) && e.meansProgram(r, t, name)
	}
	unseen, ok := e.allowsWhole(t)
	if unseen != nil {
		e.doubt = r.Describe() + " does not count while " + unseen.Describe() + " could be about what cannot be seen"
	}
	return ok
}

// meansProgram reports whether an allow rule that covers one name of a command is about the
// program that would run. A rule with a wildcard is about a well-known program and the files it is
// given, so both are verified; a program that projects bring is not. A rule that spells out the
// command needs no check: it was written, or remembered, for the program that the command runs
// here.
func (e *evaluation) meansProgram(r *Rule, t *Target, name []string) bool {
	shell := &t.Shell
	if (shell.BringsProgram || e.verify(shell.VerifyProgram)) && e.verify(shell.VerifyNames) {
		return true
	}
	exact := *t
	exact.Shell.NoWildcards = true
	return r.covers(&e.Tool, &exact, name)
}

// ruleOnOtherDefinition returns an allow rule on the tool that counts no longer, since the source
// has changed the definition of the tool, or nil.
func (e *evaluation) ruleOnOtherDefinition() *Rule {
	if e.Tool.Ambiguity != ChangedTool || e.perms.set == nil {
		return nil
	}
	before := e.Tool
	before.Ambiguity = Unambiguous
	for i := range e.perms.set.rules {
		if r := &e.perms.set.rules[i]; r.Behavior == Allow && r.Pattern == "" && r.Names(&before) {
			return r
		}
	}
	return nil
}

// allowsWhole reports whether an allow rule for whole calls covers t. If a deny or ask pattern
// prevents that, it returns that rule.
func (e *evaluation) allowsWhole(t *Target) (unseen *Rule, ok bool) {
	if unseen = e.unseenRule(t); unseen != nil {
		return unseen, false
	}
	return nil, !e.isWrittenByCommand(t) || e.isInside(t)
}

// isWrittenByCommand reports whether t is a file that a command line writes.
func (e *evaluation) isWrittenByCommand(t *Target) bool {
	return t.Kind == Path && t.Access == Write && slices.ContainsFunc(e.Targets, func(c Target) bool { return c.Kind == Command })
}

// restrictsUnseen reports whether a deny or ask pattern could match something that t does without
// declaring it.
func (e *evaluation) restrictsUnseen(t *Target) bool { return e.unseenRule(t) != nil }

// unseenRule returns the first deny or ask rule with a pattern that could match something that t
// does without declaring it, or nil. If t is opaque, any rule that could be about the tool may
// match. If t is a command that is not Simple, rules on files and hosts may; if it RunsUnseen,
// rules on commands; if it ReadsUnseen, rules on reading files.
func (e *evaluation) unseenRule(t *Target) *Rule {
	if e.perms.set == nil || t.Kind != Opaque && (t.Kind != Command || t.Shell.Simple && !t.saysUnseen()) {
		return nil
	}
	for i := range e.perms.set.rules {
		r := &e.perms.set.rules[i]
		switch {
		case r.Behavior == Allow:
			return nil // allow rules come last
		case !r.mayMatchUnseen(&e.Tool) || r.param != nil && e.hasParameter(r.param.Name):
		case t.Kind == Opaque && e.couldBeAbout(r), t.Kind != Opaque && couldBeIn(t, r):
			return r
		}
	}
	return nil
}

// couldBeIn reports whether a deny or ask rule may be about something that a command does without
// declaring it.
func couldBeIn(t *Target, r *Rule) bool {
	switch {
	case r.Tool == "Read" && t.Shell.ReadsUnseen:
		return true
	case pattern.IsTargetFamily(r.Tool):
		return !t.Shell.Simple
	}
	return t.Shell.RunsUnseen
}

// couldBeAbout reports whether a rule that may match something unseen could be about this kind of
// tool. A built-in tool may do anything that it does not declare. An external tool works
// elsewhere: a rule that does not name it counts only if the call has a target of the rule's kind.
func (e *evaluation) couldBeAbout(r *Rule) bool {
	if !e.Tool.External() || r.Names(&e.Tool) {
		return true
	}
	kind := Command
	switch r.Tool {
	case "Edit", "Read":
		kind = Path
	case "WebFetch":
		kind = Host
	}
	return !e.all(func(t *Target) bool { return t.Kind != kind })
}

// candidateRules appends to dst the indices of the rules whose patterns may match t. If the
// decision is explained, it appends all rules.
func (e *evaluation) candidateRules(t *Target, names []string, dst []int32) []int32 {
	set := e.perms.set
	switch {
	case set == nil:
	case e.explanation != nil:
		for i := range set.rules {
			dst = append(dst, int32(i))
		}
	default:
		dst = set.index.Candidates(patternSubject(&e.Tool, t, names), dst)
	}
	return dst
}

// A reach says whether a call on a tree reads or writes something that a rule is about.
type reach int

const (
	reachesNothing reach = iota // nothing of the kind is there, or it is left out
	mayReach                    // nothing of the kind is there yet
	reaches
)

// concerns reports whether a deny or ask rule that touches a target is about something that the
// call does there. If that is not certain, it sets unsure.
func (e *evaluation) concerns(r *Rule, t *Target) bool {
	found, reach := e.reachBelow(r, t)
	switch reach {
	case reaches:
		if e.found[r.Behavior] == "" {
			e.found[r.Behavior] = found
		}
	case mayReach:
		e.record(r, t, Ask, "may be about something below it, which could be there when it is read")
		if e.unsure == nil {
			e.unsure = r
		}
	case reachesNothing:
		e.record(r, t, Undecided, "is about nothing that it would read below")
	}
	return reach == reaches
}

// reachBelow reports whether a command line reads or writes something that r is about. The rule
// touches target t. If it does so only because such a file could lie below t, reachBelow looks at
// the files below t now, while the call is decided. Found is such a file. Another command of the
// line that runs or writes something could make the file first.
//
// If t is written, a rule on reading is about it only if such a file is there: a file that the
// call makes has not been read.
func (e *evaluation) reachBelow(r *Rule, t *Target) (found string, _ reach) {
	if !t.Tree || t.Kind != Path || t.Shell.FromCommand == "" || e.Tool.External() {
		return "", reaches
	}
	if t.Access == Write && !r.spec.IsOnReading() && !t.Shell.InPlace && t.Shell.Holds == nil {
		return "", reaches
	}
	alone := *t
	alone.Tree = false
	if r.touches(&e.Tool, &alone) {
		return "", reaches
	}
	below := e.searchBelow(t)
	switch found := below.found[r]; {
	case found != "":
		return found, reaches
	case t.Shell.Reads != nil && !e.mayFollowLinks(t) && isPlainFileName(r.Pattern) && !t.Shell.Reads(r.Pattern):
		return "", reachesNothing
	case !below.all:
		return "", reaches
	case e.mayBeMade(r, t):
		return "", mayReach
	}
	return "", reachesNothing
}

// mayBeMade reports whether a command of the line may make a file that r is about, other than the
// command that tree was given to. If tree is a Guess that is read and not InPlace, that command
// counts, too: it may make the file before it reads it.
func (e *evaluation) mayBeMade(r *Rule, tree *Target) bool {
	own := tree.Shell.FromCommand
	if tree.Shell.Guess && tree.Access == Read && !tree.Shell.InPlace {
		own = ""
	}
	return !e.all(func(t *Target) bool {
		if own != "" && (t.Shell.FromCommand == own || t.Kind == Command && t.Value == own) {
			return true
		}
		switch t.Kind {
		case Command:
			return t.Shell.ReadOnly || t.Shell.EditsOnly
		case Path:
			return t.Access == Read || t.Shell.Guess || !t.Shell.MovesNames && !r.touches(&e.Tool, t) && !e.isPutBy(t, tree)
		}
		return t.Kind != Opaque
	})
}

// isPutBy reports whether the written file is in, or above, a path that the command of tree copies
// or moves into tree. Such a file gets another name there.
func (e *evaluation) isPutBy(written, tree *Target) bool {
	if tree.Access != Write || tree.Shell.Holds == nil {
		return false
	}
	return !e.all(func(from *Target) bool {
		if from.Kind != Path || from.Shell.FromCommand != tree.Shell.FromCommand || from.Access == Write && !from.Shell.InPlace {
			return true
		}
		return !slices.ContainsFunc(from.Names(), func(name string) bool {
			return slices.ContainsFunc(written.Names(), func(other string) bool {
				return realpath.Contains(name, other) || realpath.Contains(other, name)
			})
		})
	})
}

// A treeSearch is the result of a search below a tree.
type treeSearch struct {
	tree  *Target
	found map[*Rule]string // the first file that each rule is about
	all   bool             // the search has looked at every file
}

// searchBelow looks for files below t that the call reads or writes and that deny or ask rules are
// about. It searches once for all rules, since a tree may be large.
func (e *evaluation) searchBelow(t *Target) *treeSearch {
	if e.below != nil && e.below.tree == t {
		return e.below
	}
	s := &treeSearch{tree: t, found: map[*Rule]string{}}
	e.below = s
	set, left := e.perms.set, 0
	for _, i := range set.fileRules {
		if e.touchesFile(&set.rules[i], t) {
			left++
		}
	}
	var candidates []int32
	follows := e.mayFollowLinks(t)
	perms, request := *e.perms, *e.Request
	own := evaluation{perms: &perms, Request: &request, findings: new(findings)} // a copy, since a tool may keep the function and everything that it refers to
	s.all = walkBelow(t, follows, func(path, shown string) bool {
		one := Target{Kind: Path, Access: t.Access, at: &location{names: namesBelow(t, path)}}
		candidates = set.index.Candidates(patternSubject(&own.Tool, &one, one.Names()), candidates[:0])
		for _, i := range candidates {
			r := &set.rules[i]
			if r.Behavior != Allow && s.found[r] == "" && own.touchesFile(r, &one) {
				s.found[r] = shown
				left--
			}
		}
		return left > 0
	})
	return s
}

// mayFollowLinks reports whether the command that reads or writes a tree may follow the links in
// it. An unknown command may.
func (e *evaluation) mayFollowLinks(t *Target) bool {
	if t.Shell.FollowsLinks || t.Shell.InPlace || t.Access == Write && t.Shell.Holds != nil {
		return t.Shell.FollowsLinks
	}
	return !e.all(func(c *Target) bool {
		return c.Kind != Command || c.Value != t.Shell.FromCommand || c.Shell.ReadOnly || c.Shell.EditsOnly
	})
}

// namesBelow returns the names of a file below t; path is one of them.
func namesBelow(t *Target, path string) []string {
	below := []string{path}
	rel, err := filepath.Rel(t.Real(), path)
	if names := t.Names(); err == nil && filepath.IsLocal(rel) && len(names) > 1 {
		for _, name := range names {
			below = append(below, filepath.Join(name, rel))
		}
	}
	return below
}

// walkBelow calls visit with the path of each file below t that the call reads or writes, until
// visit returns false. If t is written, it also visits directories. It returns false if there may
// be more. Shown is the path, or the link below t that leads to it. The target of a link is read
// whatever its name is, so Reads does not exclude it.
func walkBelow(t *Target, follows bool, visit func(path, shown string) bool) (all bool) {
	visitOne := func(path string) bool {
		return t.Shell.Reads != nil && !t.Shell.Reads(filepath.Base(path)) || visit(path, path)
	}
	if t.Shell.Holds != nil {
		err := goroutine.Try(func() error { all = t.Shell.Holds(visitOne); return nil })
		return all && err == nil
	}
	names, roots := t.Names(), []string(nil)
	if follows && !t.Shell.FollowsLinks { // otherwise the names include these places
		real := make([]string, len(names)) // a target need not have a Real
		for i, name := range names {
			real[i] = realpath.Resolve(name)
		}
		places, ok := realpath.LinkTargets(real, maxSearched)
		if all = ok; !all {
			return false
		}
		names = append(slices.Clip(names), places...)
	}
	for _, name := range names {
		root := realpath.Resolve(name)
		if slices.Contains(roots, root) {
			continue
		}
		roots = append(roots, root)
		all = realpath.Walk(root, maxSearched, func(path string, mode fs.FileMode) bool {
			if mode&fs.ModeSymlink != 0 && follows && !visit(realpath.Resolve(path), path) {
				return false
			}
			return mode.IsDir() && t.Access == Read || visitOne(path)
		})
		if !all {
			return false
		}
	}
	return true
}

// aboutFound says which file a rule is about, and how to leave it out.
func (e *evaluation) aboutFound(b Behavior, t *Target) string {
	found := e.found[b]
	if found == "" || t == nil {
		return ""
	}
	text := fmt.Sprintf(": %s is there", plain.Visible(found))
	if name := filepath.Base(found); t.Shell.LeaveOut != "" && isPlainFileName(name) {
		text += fmt.Sprintf("; to leave it out, add %s to the command", strings.ReplaceAll(t.Shell.LeaveOut, "NAME", name))
	}
	return text
}

// isPlainFileName reports whether a name means itself in every shell and pattern.
func isPlainFileName(name string) bool {
	return name != "" && name != "." && name != ".." && strings.IndexFunc(name, func(r rune) bool {
		return !strings.ContainsRune("._-", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) < 0
}
