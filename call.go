package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// A Call is one request by the model. ID, Name and Input are its message, byte
// for byte. [Executor] works on a copy: what becomes of the original after it
// was handed over has no effect.
//
// The methods of a Call may be used concurrently, until the tool's Call returns.
type Call struct {
	ID    string          // the provider's id; empty if it has none
	Name  string          // of the tool, or an alias
	Input json.RawMessage // JSON, as a rule an object; blank counts as {}

	in    any // Input, decoded once
	state *callState
}

// callState is the executor's part of a call.
type callState struct {
	session *Session
	job     *job  // nil for a call that was decided elsewhere, or has no tool
	parent  *Call // if there is no job
	info    *Info
	spec    *inputSpec
	traits  Traits
	targets []Target     // traits.Targets, resolved
	allowed bool         // the call was decided, and runs
	under   *Permissions // what it was decided under
}

// copied returns a Call that can be written to without effect on c.
func (c *Call) copied() *Call {
	d := *c
	d.Input = slices.Clone(c.Input)
	return &d
}

// Session returns on whose behalf c runs. It is nil for a Call that no Executor
// admitted, as in a unit test that calls a Tool directly.
func (c *Call) Session() *Session {
	if c.state == nil {
		return nil
	}
	return c.state.session
}

// Targets returns what c acts on, resolved, as it was or will be decided.
func (c *Call) Targets() []Target {
	if c.state == nil {
		return nil
	}
	return cloneTargets(c.state.targets)
}

// ReadOnly reports whether the tool says that c changes nothing.
func (c *Call) ReadOnly() bool { return c.state != nil && c.state.traits.ReadOnly }

// Parent returns the call from inside which c was made with [Call.Run], or nil if
// the model made it.
func (c *Call) Parent() *Call {
	switch {
	case c.state == nil:
		return nil
	case c.state.job == nil:
		return c.state.parent
	}
	return c.state.job.batch.parent
}

// Run makes calls from inside c, as a script does that a tool runs. They are
// ordinary calls of the same agent, each decided for itself, and take all stages
// of the same [Executor], in a batch of their own that does not wait for c. What
// they may use is what the agent's pool has and, where [Gates] hide tools behind
// c's, those too; never the tool of c itself. There is one outcome for each, in
// order.
//
// It is for the time in which c runs: before and after, and for a Call that no
// Executor admitted, nothing runs.
func (c *Call) Run(ctx context.Context, calls ...Call) []Outcome {
	if c.state == nil || c.state.job == nil || !c.state.allowed || c.state.job.over.Load() {
		outcomes := make([]Outcome, len(calls))
		for i := range calls {
			inner := calls[i].copied()
			err := &CallError{Tool: inner.Name, CallID: inner.ID, Stage: StageLookup, Err: fmt.Errorf("%w: %s does not run, so nothing runs inside it", ErrDenied, c.Name)}
			outcomes[i] = Outcome{Call: inner, Result: &Result{Parts: []Part{{Text: err.Error()}}, IsError: true}, Err: err}
		}
		return outcomes
	}
	outer := c.state.job.batch
	return outer.run(ctx, outer.pool.behind(c.state.info.Name), c, calls)
}

// Check decides targets that turn up while the call runs, exactly as it would
// have decided them before, and asks if it must. A nil error means go on. The
// error wraps [ErrDenied] and is worded for the model. A Call that no Executor
// admitted may touch nothing.
func (c *Call) Check(ctx context.Context, targets ...Target) error {
	if c.state == nil || c.state.job == nil && !c.state.allowed {
		return fmt.Errorf("%w: the call was not admitted by an executor", ErrDenied)
	}
	ts := c.state.session.resolve(targets)
	d := c.decideLater(ts)
	j := c.state.job
	var err error
	if d.Behavior == Ask {
		asked := d
		if err = ErrNoApprover; j != nil {
			var x subject
			c.putLater(&x, ts)
			q := inquiry{Decision: d, job: j, call: c, targets: ts, about: &x, again: func() Decision { return c.decideLater(ts) }, running: true}
			d, err = q.settle(ctx)
		}
		if err != nil {
			d = Decision{Behavior: Deny, By: ByNobody, Rule: asked.Rule, Reason: c.unanswered(asked, ts, err)}
		}
	}
	if j != nil && c.state.allowed {
		j.decidedLater(ts, d)
	}
	switch {
	case err != nil:
		return &unansweredError{d.Reason, err}
	case d.Behavior != Allow:
		return fmt.Errorf("%w: %s", ErrDenied, d.Reason)
	}
	return nil
}

// Filter reports whether t may be touched, without ever asking: for walks over
// many things of which the denied ones are left out.
func (c *Call) Filter(t Target) bool {
	if c.state == nil {
		return false
	}
	return c.decideLater(c.state.session.resolve([]Target{t})).Behavior == Allow
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

// remedy names the narrowest rules that would have allowed a call, or nothing if
// no rule would. Nobody adds more than three.
func (s *Session) remedy(x *subject) string {
	if x.decided(s) == Allow { // it was asked about for another reason than rules
		return ""
	}
	for _, rules := range [][]UpdateRule{x.rules(s, SourceSession, 3, literal), {{Tool: x.info.Name}}} {
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
func (q *Question) Suggestions(to Source) (alternatives [][]Update) {
	x, s := q.about, q.Call.Session()
	if x == nil || x.decided(s) == Allow {
		return nil
	}
	offer := func(updates ...Update) {
		same := func(a []Update) bool { return reflect.DeepEqual(a, updates) }
		if !slices.ContainsFunc(alternatives, same) && x.decided(s, updates...) == Allow {
			alternatives = append(alternatives, updates)
		}
	}
	for _, spell := range []func(string, *Target, string) string{familiar, exact} {
		if rules := x.rules(s, to, maxRemembered, spell); len(rules) > 0 {
			offer(allowing(rules, to))
		}
	}
	if dirs := x.outside(s); len(dirs) > 0 {
		offer(Update{Type: AddDirectories, Directories: dirs, Destination: to})
	}
	if x.writes() && s.Permissions().Mode() == ModeDefault {
		offer(Update{Type: SetMode, Mode: ModeAcceptEdits, Destination: SourceSession})
	}
	named := func(t Target) bool { return t.Kind == Command || t.Kind == Path || t.Kind == Host }
	if !slices.ContainsFunc(x.targets, named) && !pattern.Broad(x.info.Name, "") {
		offer(allowing([]UpdateRule{{Tool: x.info.Name}}, to))
	}
	return alternatives
}

func allowing(rules []UpdateRule, to Source) Update {
	return Update{Type: AddRules, Rules: rules, Behavior: Allow, Destination: to}
}

// decided is how x would be decided in s after updates. What ModeAsk would ask
// about is allowed if rules alone do.
func (x *subject) decided(s *Session, updates ...Update) Behavior {
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
	if t.Fed {
		return suggest.Fed(tool, line)
	}
	return suggest.Command(tool, line)
}

// rules are those that together cover what the call acts on, under each of its
// names. There is none for what is opaque, nor if it took more than most.
func (x *subject) rules(s *Session, to Source, most int, spell func(tool string, t *Target, line string) string) (rules []UpdateRule) {
	strict := s.Permissions().Mode() == ModeAsk
	for i := range x.targets {
		t := &x.targets[i]
		if t.Maybe || !strict && t.Kind == Command && x.harmless(t) || t.Via != "" && (t.Access == Read || x.inside(t)) {
			continue // what lets the rest run lets it pass
		}
		for _, name := range t.names() {
			rule := UpdateRule{Tool: x.info.Name, Pattern: name}
			switch t.Kind {
			case Opaque:
				return nil
			case Command:
				rule.Pattern = spell(x.info.Name, t, name)
				if rule.Pattern == "" || t.Vet != nil { // harmless where its tool has looked, and only there
					return nil
				}
			case Path:
				rule = UpdateRule{Tool: "Edit", Pattern: s.spelled(name, to)}
				if t.Access == Read {
					rule.Tool = "Read"
				}
			case Host:
				rule = UpdateRule{Tool: "WebFetch", Pattern: "domain:" + name}
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

// outside returns the directories, none of them above a working directory or the
// home, of the files that the call touches outside the working directories.
func (x *subject) outside(s *Session) (dirs []string) {
	for i := range x.targets {
		t := &x.targets[i]
		if t.Kind != Path || t.Maybe || x.inside(t) {
			continue
		}
		dir := t.Value
		if !t.Tree {
			dir = filepath.Dir(dir)
		}
		vital := append([]workDir{{s.home, s.home}}, x.dirs...)
		if slices.ContainsFunc(vital, func(d workDir) bool { return realpath.Contains(dir, d.spelled) || realpath.Contains(dir, d.real) }) {
			return nil
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Emit reports progress to whoever watches the executor's events.
func (c *Call) Emit(text string) {
	if c.state != nil && c.state.job != nil {
		c.state.job.progress(text)
	}
}

// decide settles targets of c, given what the hooks and the tool itself say.
func (c *Call) decide(ts []Target, hook, own Decision) Decision {
	var x subject
	x.hook, x.own = hook, own
	c.put(&x, ts)
	return c.state.session.permissions().decide(&x)
}

// decideLater settles targets that turned up after c itself was allowed.
func (c *Call) decideLater(ts []Target) Decision {
	var x subject
	c.putLater(&x, ts)
	return c.state.session.permissions().decide(&x)
}

// putLater is put for targets that turned up after c itself was allowed.
func (c *Call) putLater(x *subject, ts []Target) {
	c.put(x, ts)
	if c.state.allowed {
		x.approved, x.under = c.state.targets, c.state.under
	}
}

// put makes x what is decided of targets of c.
func (c *Call) put(x *subject, ts []Target) {
	st := c.state
	x.info, x.spec, x.traits, x.input = st.info, st.spec, &st.traits, c.Input
	x.targets, x.platform, x.dirs, x.lent = ts, st.session.platform, st.session.permissions().work, st.session.lent()
	if x.info == nil { // before the tool is known
		x.info = &Info{}
	}
}

// Decide says how c would be decided now, without running it and without asking
// anybody: by its tool, the rules and the mode. Hooks, the classifier and people
// may still refuse it, or answer what would be asked. An input that cannot be read
// is denied.
func (p *Pool) Decide(ctx context.Context, c Call) Decision { return p.settle(ctx, c, nil) }

// Trace is Decide with every step on the way.
func (p *Pool) Trace(ctx context.Context, c Call) (t Trace) {
	t.Decision = p.settle(ctx, c, &t)
	return t
}

func (p *Pool) settle(ctx context.Context, c Call, t *Trace) Decision {
	for range maxRewrites + 1 {
		tool, made, err := p.Admit(c)
		if err != nil {
			return Decision{Behavior: Deny, Reason: err.Error()}
		}
		made.state.allowed = false // it was not decided, as Admit takes for granted
		var own Decision
		if err := lane.Try(func() error {
			err := tool.Validate(ctx, made)
			if err == nil {
				own = tool.Permit(ctx, made)
			}
			return err
		}); err != nil {
			return Decision{Behavior: Deny, Reason: err.Error()}
		}
		if own.Behavior != Deny && len(own.Input) > 0 && !bytes.Equal(own.Input, made.Input) {
			c.Input = own.Input
			continue
		}
		var x subject
		made.put(&x, made.state.targets)
		if x.own, x.trace = own, t; t != nil {
			t.Targets = made.Targets()
		}
		d := p.session.permissions().decide(&x)
		if d.Behavior == Deny && d.unruled {
			d.Reason = made.withRemedy(d.Reason, made.state.targets)
		}
		return d
	}
	return Decision{Behavior: Deny, Reason: "the tool does not agree with itself on its input"}
}

// input returns c's decoded input, decoding it first if no executor did.
func (c *Call) input(spec *inputSpec) (any, error) {
	if c.in != nil {
		return c.in, nil
	}
	return spec.decode(c.Input)
}

// errNoInput is what a stage meets when it is called on a Call for another tool.
var errNoInput = errors.New("the call was decoded for another tool")
