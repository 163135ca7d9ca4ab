package policy

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// An evaluation decides whether a call may act on targets. It lives on the stack of its caller.
// Its steps are methods, in the order in which decide takes them. A step returns the zero Decision
// if it does not decide.
type evaluation struct {
	perms       *Permissions // as they hold at the place of the call
	*Request                 // with resolved targets; the evaluation may write to it
	*findings                // a separate value, so that evaluation, Request and findings stay on the stack
	explanation *Explanation // nil unless the steps are recorded
}

// findings are the results of an evaluation so far.
type findings struct {
	deny, ask  *Rule            // the first rule of each behavior that matches
	askSandbox *Rule            // the first rule that asks about the whole tool, which in a sandbox counts only in plan mode
	denied     *Target          // the first target that deny matches; nil if it matches the call
	asked      *Target          // the same for ask
	found      [Deny + 1]string // by behavior, the file below a tree that the rule is about; see reachBelow
	twins      [Deny + 1]string // by behavior, the other hard link of denied or asked that the rule is about
	below      *treeSearch      // of the last tree that was searched
	unsure     *Rule            // the first deny or ask rule that may be about a file below a tree
	uncovered  int              // index of the first target that nothing allows, or -1
	candidates candidateCache   // the rules that may match the targets
	linked     *linkedFiles     // of a call that does not run yet; nil until they are looked for
	doubt      string           // why a target may differ from the claims of its tool
}

// record adds a step to the explanation, if there is one.
func (e *evaluation) record(r *Rule, t *Target, b Behavior, reason string) {
	if e.explanation == nil {
		return
	}
	s := Step{Behavior: b, Reason: reason}
	if r != nil {
		copied := *r
		s.Rule, s.Reason = &copied, r.Describe()+" "+reason
	}
	if t != nil {
		s.Target = t.String()
	}
	e.explanation.Steps = append(e.explanation.Steps, s)
}

// decide returns Allow, Ask or Deny. It decides a session with parents in the mode of each, and
// returns the strictest decision.
func (e *evaluation) decide() Decision {
	e.match()
	d := e.decideIn(e.perms.Mode())
	for _, m := range e.perms.outer {
		d = Stricter(d, e.decideIn(m))
	}
	if e.Said.answers(d) {
		d = Decision{Behavior: Allow, By: ByCaller, Reason: "the caller: " + e.Said.Caller.Reason}
		e.record(nil, nil, Allow, d.Reason)
	}
	return d
}

// denyForGood returns the denial that no answer to a question could change, or the zero Decision.
func (e *evaluation) denyForGood() Decision {
	e.match()
	d := e.denyStep(e.perms.Mode())
	for _, m := range e.perms.outer {
		d = Stricter(d, e.denyStep(m))
	}
	return d
}

// match finds the rules that deny or ask.
func (e *evaluation) match() {
	if len(e.Targets) == 0 && (!e.Facts.ReadOnly || e.Tool.External() || e.restrictsUnseen(&Target{})) {
		e.Targets = []Target{{}}
	}
	if e.Tool.External() {
		e.Targets = withoutTrustedFacts(e.Targets)
	}
	e.deny, e.ask = e.matching()
}

// withoutTrustedFacts returns targets without the claims that only a built-in tool is
// trusted with.
func withoutTrustedFacts(ts []Target) []Target {
	ts = slices.Clone(ts)
	for i := range ts {
		t, shell := &ts[i], &ts[i].Shell
		t.Filtered = false
		shell.ReadOnly, shell.VerifyReadOnly, shell.EditsOnly, shell.Simple, shell.FromCommand, shell.Guess = false, nil, false, false, "", false
		shell.VerifyProgram, shell.BringsProgram, shell.Starts = nil, false, nil
	}
	return ts
}

// decideIn takes the steps in one mode. The first step that decides wins.
func (e *evaluation) decideIn(mode Mode) Decision {
	d := e.denyStep(mode)
	if d.Behavior == Undecided {
		d = e.askStep(mode)
	}
	if d.Behavior == Undecided {
		d = e.modeStep(mode)
	}
	if d.Behavior == Undecided {
		d = e.allowStep(mode)
	}
	if d.Behavior == Undecided {
		d = e.grantStep(mode)
	}
	if d.Behavior == Undecided {
		d = Decision{Behavior: Ask, Reason: e.whyNotAllowed(mode), unruled: true}
		e.record(nil, nil, Ask, d.Reason)
	}
	if d.Behavior == Allow && e.Said.Loop != "" { // only a real call has a Loop, and it is not explained
		d = Decision{Behavior: Ask, Reason: e.Said.Loop}
	}
	return e.denyIfUnattended(mode, d)
}

// denyStep returns the denials that are final: by a deny rule, a missing Guard, an opinion that is
// Deny, and in plan mode by every write of a file. Plan mode comes before ask rules, so that the
// ask rule of a fork is not laxer than the mode of its parent.
func (e *evaluation) denyStep(mode Mode) Decision {
	if e.deny != nil {
		return decisionOf(*e.deny, e.about(e.denied)+e.aboutFound(Deny, e.denied)+e.aboutTwin(Deny))
	}
	if e.Tool.Unguarded {
		reason := e.Tool.Name + " runs only where the program checks each call (SessionConfig.Guard), and this session has no such check"
		e.record(nil, nil, Deny, reason)
		return Decision{Behavior: Deny, By: ByTool, Reason: reason}
	}
	if opinion := e.Said.strictest(); opinion.Behavior == Deny {
		e.record(nil, nil, Deny, opinion.By.source()+": "+opinion.Reason)
		return Decision{Behavior: Deny, By: opinion.By, Reason: cmp.Or(opinion.Reason, opinion.By.source()+" refuses it")}
	}
	if mode == ModePlan && e.writes() {
		reason := "in plan mode nothing is written; describe the change in the plan instead"
		e.record(nil, nil, Deny, reason)
		return Decision{Behavior: Deny, By: ByMode, Reason: reason}
	}
	return Decision{}
}

// askStep asks the user whatever else would allow the call: because of an ask rule, a tool that
// requires the user, a target with an AskReason, a protected file, or an opinion that is Ask.
func (e *evaluation) askStep(mode Mode) Decision {
	below, ask := e.isBelowApproved(), e.ask
	if ask == nil && mode == ModePlan {
		ask = e.askSandbox
	}
	if ask != nil {
		before := ask
		if below { // the user may have answered for the same rule before the call
			before = e.askRuleBefore()
		}
		if !below || before == nil {
			return decisionOf(*ask, e.about(e.asked)+e.aboutFound(Ask, e.asked)+e.aboutTwin(Ask))
		}
	}
	if below {
		return Decision{}
	}
	if e.unsure != nil {
		rule := *e.unsure
		reason := rule.Describe() + " may be about a file below what it names, which another part of the line could make first"
		e.record(e.unsure, nil, Ask, "may be about a file that another part of the line could make first")
		return Decision{Behavior: Ask, By: ByRule, Rule: &rule, Reason: reason}
	}
	if r := e.misunderstood(); r != nil {
		rule := *r
		reason := r.Describe() + " cannot be compared with what the call does, and may be meant for it"
		e.record(r, nil, Ask, "cannot be compared with what the call does, and may be meant for it")
		return Decision{Behavior: Ask, By: ByRule, Rule: &rule, Reason: reason}
	}
	reason, cautious := e.askReason(), true
	opinion, by := e.Said.strictest(), ByDefault
	switch {
	case e.Tool.RequiresUser && !e.isAnswered(mode):
		reason = "only a person may allow " + e.Tool.Name
	case reason != "":
	case opinion.Behavior == Ask:
		reason, cautious, by = cmp.Or(opinion.Reason, opinion.By.source()+" wants it asked about"), false, opinion.By
	default:
		return Decision{}
	}
	e.record(nil, nil, Ask, reason)
	return Decision{Behavior: Ask, By: by, Reason: reason, cautious: cautious}
}

// isAnswered reports whether the hooks before the call have answered it in the user's place. They
// cannot answer for an external tool, or in a mode that never asks.
func (e *evaluation) isAnswered(mode Mode) bool {
	return e.Said.Answered && !e.Tool.External() && !mode.asksNobody()
}

// modeStep applies the part of a mode that comes before allow rules.
func (e *evaluation) modeStep(mode Mode) Decision {
	var d Decision
	switch {
	case e.isBelowApproved():
		return d
	case mode == ModeBypass && !e.all(func(t *Target) bool { return !t.saysUnseen() || !e.restrictsUnseen(t) }):
		d = Decision{Behavior: Ask, Reason: "nobody can see whether a deny or ask rule is about it: " + Describe(e.Targets)}
	case mode == ModeBypass:
		d = Decision{Behavior: Allow, By: ByMode, Reason: "mode bypassPermissions"}
	case mode == ModeAsk:
		d = Decision{Behavior: Ask, By: ByMode, Reason: "mode ask asks about every call"}
	case mode == ModePlan && !e.Facts.ReadOnly && !e.isOwn():
		d = Decision{Behavior: Ask, By: ByMode, Reason: "in plan mode only reading runs unasked"}
	default:
		return d
	}
	e.record(nil, nil, d.Behavior, d.Reason)
	return d
}

// allowStep allows a call if each target is covered by an allow rule, is harmless, or is an edit
// that the mode permits. It leaves a call that is only harmless to grantStep.
func (e *evaluation) allowStep(mode Mode) Decision {
	last, edits := (*Rule)(nil), false
	e.uncovered = -1
	if len(e.Targets) == 0 { // a read-only call without targets
		last = e.covers(mode, &Target{}, []string{""}, nil)
	}
	for i := range e.Targets {
		t := &e.Targets[i]
		if t.Shell.Guess && !e.mayWriteOutside(mode, t) {
			continue
		}
		switch r := e.coversTarget(mode, i); {
		case r != nil:
			e.record(r, t, Allow, "covers it")
			last, e.doubt = r, ""
		case mode != ModeDeny && !t.Shell.Guess && e.isHarmless(t):
			e.record(nil, t, Allow, harmlessReason(t.Kind))
		case mode.edits() && e.isEdit(t):
			e.record(nil, t, Allow, "mode "+string(mode)+" permits edits inside the working directories")
			edits = true
		default:
			if doubt := t.doubt(); doubt != "" {
				e.doubt = fmt.Sprintf("the %v %s is unclear: %s", t.Kind, t.Shown(), doubt)
			} else if why := e.almostCovered(mode, t); why != "" {
				e.doubt = why
			} else if r := e.ruleOnOtherDefinition(); r != nil {
				e.doubt = r.Describe() + " does not count: the source has changed the definition of the tool, and no user has allowed it since"
			} else if what := e.trusted(t); what != "" && mode.edits() {
				e.doubt = fmt.Sprintf("other programs run or trust what is in %s, and mode %s leaves that to a rule or a person", what, mode)
			}
			e.record(nil, t, Undecided, cmp.Or(e.doubt, "nothing allows it"))
			e.uncovered = i
			return Decision{}
		}
	}
	switch {
	case last != nil:
		return decisionOf(*last, "it")
	case edits && !e.Facts.OpenWorld:
		return Decision{Behavior: Allow, By: ByMode, Reason: "mode " + string(mode) + " permits edits inside the working directories"}
	}
	return Decision{}
}

// almostCovered returns what keeps an allow rule with a wildcard from covering a command, or a file
// that the command may write, or "" if there is no such rule.
func (e *evaluation) almostCovered(mode Mode, t *Target) string {
	own := *e.findings
	quiet := evaluation{perms: e.perms, Request: e.Request, findings: &own}
	if t.Shell.Guess {
		for i := range e.Targets {
			if c := &e.Targets[i]; c.Kind == Command && c.Value == t.Shell.FromCommand {
				if r := quiet.coversTarget(mode, i); r != nil {
					return r.Describe() + " covers the command only while it writes inside the working directories"
				}
			}
		}
		return ""
	}
	if t.Kind != Command || !t.Shell.NoWildcards {
		return ""
	}
	without := *t
	without.Shell.NoWildcards = false
	r := quiet.covers(mode, &without, t.Names(), nil)
	switch {
	case r == nil:
		return ""
	case t.Shell.Exceeds == "":
		return r.Describe() + " has a wildcard, and does not cover what the command may do besides"
	}
	return fmt.Sprintf("%s would cover it without %s, which may do more than the rule is meant for", r.Describe(), plain.Visible(t.Shell.Exceeds))
}

// grantStep allows a call that no rule covers: by an Allow of the hooks or the tool, because the
// running call was allowed a tree around it, because a sandbox contains it, or because it only
// reads where the session may read.
func (e *evaluation) grantStep(mode Mode) (d Decision) {
	hooked := e.Said.Hook.Behavior == Allow && e.all(func(t *Target) bool { return !e.restrictsUnseen(t) })
	switch {
	case hooked:
		d = Decision{Behavior: Allow, By: ByHook, Reason: "a hook allows it: " + e.Said.Hook.Reason}
	case e.Said.Tool.Behavior == Allow && !e.Tool.External() && e.all(func(t *Target) bool {
		return t.Kind != Path || t.Shell.Guess || e.isInside(t) || e.isHarmlessPath(t)
	}):
		d = Decision{Behavior: Allow, By: ByTool, Reason: e.Said.Tool.Reason}
	case e.isBelowApproved():
		d = Decision{Behavior: Allow, Reason: "it lies below what the call was allowed"}
	case mode != ModeDeny && e.isContained():
		d = Decision{Behavior: Allow, Reason: "it runs in a sandbox, inside the working directories"}
	case mode != ModeDeny && e.Facts.ReadOnly && !e.Facts.OpenWorld && e.all(e.isHarmless):
		d = Decision{Behavior: Allow, Reason: e.whyHarmless()}
	default:
		return Decision{}
	}
	e.record(nil, nil, Allow, d.Reason)
	return d
}

// denyIfUnattended turns Ask into Deny in the modes that never ask.
func (e *evaluation) denyIfUnattended(mode Mode, d Decision) Decision {
	if d.Behavior == Ask && mode.asksNobody() {
		d.Behavior, d.By, d.Reason = Deny, ByMode, fmt.Sprintf("%s, and mode %s asks nobody", d.Reason, mode)
		e.record(nil, nil, Deny, "mode "+string(mode)+" refuses what would be asked about")
	}
	return d
}

// decisionOf returns the decision of r on the part of the call that the text names. It copies the
// rule, since the caller may write to it.
func decisionOf(r Rule, what string) Decision {
	var buf [128]byte
	reason := append(append(r.appendDescription(buf[:0]), " covers "...), what...)
	return Decision{Behavior: r.Behavior, By: ByRule, Rule: &r, Reason: string(reason)}
}

// writes reports whether a target is a file that is written, whatever the tool says of the call.
func (e *evaluation) writes() bool {
	for range e.written {
		return true
	}
	return false
}

// askReason returns why the user must see the call, or "".
func (e *evaluation) askReason() string {
	if reason := e.Holds.conflict(e.Targets); reason != "" {
		return reason
	}
	var writes *gitrepo.Writes
	for i := range e.Targets {
		t := &e.Targets[i]
		if t.AskReason != "" {
			return t.AskReason
		}
		if t.Kind != Path || t.Access == Read || t.Shell.Guess && (!t.Shell.MayWrite || e.inSandbox()) {
			continue
		}
		for _, name := range t.Names() {
			if what, ok := pattern.Protected(e.Place.platform, name); ok {
				return fmt.Sprintf("it %s write %s, and other programs run or trust what is in %s", t.would(), plain.Visible(name), what)
			}
		}
		if t.Shell.Guess {
			continue
		}
		if writes == nil {
			writes = gitrepo.NewWrites(e.Place.home, e.written)
		}
		if why := writes.Trusted(t.Real()); why != "" {
			return fmt.Sprintf("it would write %s, which %s", plain.Visible(t.Value), why)
		}
	}
	return ""
}

// written yields the files that the call writes, after symbolic links.
func (e *evaluation) written(yield func(string) bool) {
	for i := range e.Targets {
		if t := &e.Targets[i]; t.Kind == Path && t.Access == Write && !t.Shell.Guess && !yield(t.Real()) {
			return
		}
	}
}

// isInside reports whether t is a path that lies in the working directories under each
// of its names.
func (e *evaluation) isInside(t *Target) bool { return allNamesWithin(t, e.perms.work) }

// isOwn reports whether the tool itself allows the call, and is believed that the call changes
// only the state of the conversation.
func (e *evaluation) isOwn() bool {
	return e.Facts.Own && e.Said.Tool.Behavior == Allow && !e.Tool.External() && e.all(func(t *Target) bool {
		return t.Kind == Agent || t.Kind == Skill || t.Kind == Resource
	})
}

// inSandbox reports whether a built-in tool says that the call runs in a sandbox.
func (e *evaluation) inSandbox() bool { return e.Facts.Sandboxed && !e.Tool.External() }

// isContained reports whether a sandbox keeps the call inside the working directories and away
// from everything that a deny or ask rule could be about.
func (e *evaluation) isContained() bool {
	return e.inSandbox() && !e.Facts.OpenWorld && e.all(func(t *Target) bool {
		return !e.restrictsUnseen(t) && (t.Kind != Path || t.Shell.Guess || e.isInside(t) && e.trusted(t) == "" || e.isHarmlessPath(t))
	})
}

// whyHarmless returns why a call with only harmless targets is harmless.
func (e *evaluation) whyHarmless() string {
	if len(e.Targets) == 0 {
		return "its tool says that it only reads, on this machine, and nothing that rules are about"
	}
	for i := range e.Targets {
		if t := &e.Targets[i]; t.Kind == Resource && !t.Shell.Guess {
			return harmlessReason(t.Kind)
		}
	}
	return harmlessReason(Path)
}

// harmlessReason returns why a target of a kind is harmless.
func harmlessReason(k Kind) string {
	if k == Resource {
		return "its tool says that it only reads, on this machine"
	}
	return "it only reads, inside the working directories"
}

// isHarmless reports whether any read-only call may touch t: a path inside the working
// directories that is read, a command that only reads, or a resource on this machine that a
// built-in tool reads.
func (e *evaluation) isHarmless(t *Target) bool {
	switch {
	case t.Shell.Guess:
		return true
	case t.Kind == Path:
		return e.isHarmlessPath(t)
	case t.Kind == Command:
		return t.Shell.ReadOnly && e.verify(t.Shell.VerifyProgram) && e.verify(t.Shell.VerifyReadOnly)
	case t.Kind == Resource:
		return t.Access == Read && t.doubt() == "" && !e.Facts.OpenWorld && !e.Tool.External()
	}
	return false
}

// isHarmlessPath reports whether t is a path that is only read, where the session may read.
func (e *evaluation) isHarmlessPath(t *Target) bool {
	return t.Kind == Path && t.Access == Read && (t.at == nil || !t.at.crowded) && (e.isInside(t) || allNamesWithin(t, e.Place.readable.all())) && !e.mayBlock(t)
}

// mayBlock reports whether a command is given a path of a pipe, a socket or a device, and then
// sets doubt. Reading a named pipe or a device may block for ever, and writing one reaches another
// program. Tools that read files themselves refuse such paths.
func (e *evaluation) mayBlock(t *Target) bool {
	if t.at == nil || t.Tree || !slices.ContainsFunc(e.Targets, func(c Target) bool { return c.Kind == Command }) {
		return false
	}
	const special = fs.ModeNamedPipe | fs.ModeSocket | fs.ModeDevice | fs.ModeCharDevice
	for _, name := range t.Names() {
		if info, err := os.Stat(name); err == nil && info.Mode()&special != 0 {
			e.doubt = plain.Visible(name) + " is a pipe, a socket or a device"
			return true
		}
	}
	return false
}

// verify reports whether check, which may be nil, confirms a claim about a command. If not, it
// sets doubt.
func (e *evaluation) verify(check func() error) bool {
	if check == nil {
		return true
	}
	err := goroutine.Try(check)
	if err != nil {
		e.doubt = err.Error()
	}
	return err == nil
}

// trusted returns a name for t if other programs run or trust such a file, and t is more than
// read. Otherwise it returns "". A rule may permit writing the file, but no mode does. Only the
// names below a working directory count, since the directory itself was chosen to work in.
func (e *evaluation) trusted(t *Target) (what string) {
	if t.Kind != Path || t.Access == Read || t.Shell.Guess {
		return ""
	}
	for _, name := range t.Names() {
		if what = e.trustedName(name); what != "" {
			return what
		}
	}
	return ""
}

// trustedName is trusted for one name. If the name lies in several working directories, it must be
// trusted below each.
func (e *evaluation) trustedName(name string) (what string) {
	for _, d := range e.perms.work {
		for _, dir := range [...]string{d.spelled, d.real} {
			if !realpath.Contains(dir, name) {
				continue
			}
			in, ok := pattern.Trusted(e.Place.platform, "/"+strings.TrimPrefix(name[len(dir):], string(filepath.Separator)))
			if !ok {
				in, ok = e.trustedInHome(dir, name)
			}
			if !ok {
				return ""
			}
			what = in
		}
	}
	return what
}

// trustedInHome is trusted for a file of the home directory, if the working directory dir holds
// that.
func (e *evaluation) trustedInHome(dir, name string) (what string, ok bool) {
	if e.Place.home == "" {
		return "", false
	}
	for _, home := range [...]string{e.Place.home, realpath.Resolve(e.Place.home)} {
		if realpath.Contains(dir, home) {
			if what, ok = pattern.TrustedInHome(e.Place.platform, home, name); ok {
				return what, true
			}
		}
	}
	return "", false
}

// mayWriteOutside reports whether t is a guess at a file outside the working directories that a
// command writes. It returns false if an allow rule without a wildcard covers the command, since
// such a rule knows the files that the command writes.
func (e *evaluation) mayWriteOutside(mode Mode, t *Target) bool {
	if t.Kind != Path || t.Access != Write || !t.Shell.Guess || !t.Shell.MayWrite || e.inSandbox() || e.isInside(t) {
		return false
	}
	return e.all(func(c *Target) bool {
		if c.Kind != Command || c.Value != t.Shell.FromCommand {
			return true
		}
		exact := *c
		exact.Shell.NoWildcards = true
		return e.perms.set == nil || !slices.ContainsFunc(e.perms.set.rules, func(r Rule) bool {
			return r.Behavior == Allow && r.Pattern != "" && e.allows(mode, &r, &exact, exact.Names())
		})
	})
}

// isEdit reports whether t is an edit inside the working directories. The file is not a protected
// one, since askStep comes first.
func (e *evaluation) isEdit(t *Target) bool {
	switch {
	case e.Tool.External():
		return false
	case t.Kind == Path:
		return t.Access != Run && e.isInside(t) && e.trusted(t) == "" && !e.mayBlock(t)
	}
	return t.Kind == Command && t.Shell.EditsOnly && e.verify(t.Shell.VerifyProgram)
}

// isBelowApproved reports whether a running call checks only paths in trees to which it was
// allowed the same access.
func (e *evaluation) isBelowApproved() bool {
	return e.Running != nil && len(e.Running.Targets) > 0 && e.all(func(t *Target) bool {
		return slices.ContainsFunc(e.Running.Targets, func(a Target) bool {
			tree := []workDir{{spelled: a.Value, real: a.Real()}}
			return a.Tree && a.Kind == Path && a.Access == t.Access && allNamesWithin(t, tree)
		})
	})
}

// askRuleBefore returns the ask rule that matched the call itself before it ran, or nil.
func (e *evaluation) askRuleBefore() *Rule {
	before := e.before()
	_, ask := before.matching()
	return ask
}

// before returns the evaluation of the call itself, before it ran. It is rarely called, and
// not inlined so that its callers need less stack.
//
//go:noinline
func (e *evaluation) before() *evaluation {
	r := *e.Request
	r.Targets, r.Running = e.Running.Targets, nil
	return &evaluation{perms: e.Running.Under, Request: &r, findings: new(findings)}
}

// all reports whether ok is true of every target.
func (e *evaluation) all(ok func(*Target) bool) bool {
	for i := range e.Targets {
		if !ok(&e.Targets[i]) {
			return false
		}
	}
	return true
}

// about names the target that a rule matches if the call has several targets.
func (e *evaluation) about(t *Target) string {
	if t == nil || len(e.Targets) == 1 {
		return "it"
	}
	return e.describe(t)
}

// describe returns a target for the user. If a link leads elsewhere, it adds where. It does not
// tell of links above a working directory.
func (e *evaluation) describe(t *Target) string {
	text, real := t.told(), t.Real()
	if real == "" || real == t.Value || text != t.String() {
		return text
	}
	for _, d := range e.perms.work {
		rel, err := filepath.Rel(d.spelled, t.Value)
		if err == nil && filepath.IsLocal(rel) && filepath.Join(d.real, rel) == real {
			return text
		}
	}
	return text + ", which leads to " + plain.Visible(real)
}

// maxNamed is how many targets that need approval a question names.
const maxNamed = 50

// needsApproval returns the targets that nothing allows, and the others. A guess is in neither
// list unless mayWriteOutside. All need approval if allowStep has found no uncovered target.
func (e *evaluation) needsApproval(mode Mode) (needed, rest []Target) {
	own := *e.findings
	quiet := evaluation{perms: e.perms, Request: e.Request, findings: &own}
	for i := range e.Targets {
		t := &quiet.Targets[i]
		switch {
		case t.Shell.Guess && !quiet.mayWriteOutside(mode, t):
		case e.uncovered < 0 || i == e.uncovered:
			needed = append(needed, *t)
		case i < e.uncovered || quiet.coversTarget(mode, i) != nil || mode != ModeDeny && !t.Shell.Guess && quiet.isHarmless(t) || mode.edits() && quiet.isEdit(t):
			rest = append(rest, *t)
		default:
			needed = append(needed, *t)
		}
	}
	return needed, rest
}

// whyNotAllowed returns the reason for a question: the targets that need approval, why they do,
// and then the rest.
func (e *evaluation) whyNotAllowed(mode Mode) string {
	needed, rest := e.needsApproval(mode)
	var names []string
	for i := range min(len(needed), maxNamed) {
		if name := e.describe(&needed[i]); !slices.Contains(names, name) { // one file may be named in several ways
			names = append(names, name)
		}
	}
	if more := len(needed) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	what := "wants to " + cmp.Or(strings.Join(names, ", "), "read something that it does not name")
	switch {
	case !e.Facts.ReadOnly && len(e.Targets) > 0 && e.all(e.isHarmlessPath):
		what += " and does not declare that it changes nothing (Traits.ReadOnly)"
	case e.Tool.External() && len(e.Targets) > 0 && e.all(func(t *Target) bool { return t.Access == Read }):
		what += ", as " + plain.Visible(e.Tool.Source) + " says" // the cautious facts are no more than defaults then
	case e.Facts.Destructive:
		what += " and cannot be undone"
	case e.Facts.OpenWorld && !e.staysHere():
		what += ", beyond this machine"
	case !e.all(func(t *Target) bool { return t.Kind != Path || e.isInside(t) }):
		what += ", outside the working directories"
	}
	if e.doubt != "" {
		what += ": " + e.doubt
	}
	if len(rest) > 0 {
		what += " (what needs no approval: " + Describe(rest) + ")"
	}
	return fmt.Sprintf("no rule allows it: %s %s", e.Tool.Name, what)
}

// staysHere reports whether the call names hosts, and each is this machine.
func (e *evaluation) staysHere() bool {
	hosts := 0
	return e.all(func(t *Target) bool {
		if t.Kind != Host {
			return true
		}
		hosts++
		addr, err := netip.ParseAddr(t.Value)
		return err == nil && addr.IsLoopback() || t.Value == "localhost" || strings.HasSuffix(t.Value, ".localhost")
	}) && hosts > 0
}

// concern reports whether the only rule, a deny rule, is about the call, by the steps of a
// decision.
func (e *evaluation) concern() Concern {
	e.match()
	switch {
	case e.deny != nil:
		return ConcernYes
	case e.unsure != nil, e.misunderstood() != nil, !e.all(func(t *Target) bool { return !e.restrictsUnseen(t) }), e.mayFilter(&e.perms.set.rules[0]):
		return ConcernMaybe
	}
	return ConcernNo
}

// mayFilter reports whether the tool may leave out something below a tree that it filters, because
// a deny rule is about it.
func (e *evaluation) mayFilter(r *Rule) bool {
	return slices.ContainsFunc(e.Targets, func(t Target) bool {
		filtered := t.Filtered
		t.Filtered = false
		return filtered && r.Pattern != "" && e.touchesFile(r, &t)
	})
}
