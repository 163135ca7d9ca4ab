package tooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An exam is one check of one tool.
type exam struct {
	verdict
	tool    pegboard.Tool
	session *pegboard.Session
	info    pegboard.Info
	schema  json.RawMessage // as declared
}

// checkInfo checks registration and Info. It reports whether the tool can be examined
// further.
func (x *exam) checkInfo() bool {
	var refused error
	var r pegboard.Registry
	if !x.runStage("Info", "", func() { refused = r.Add(x.tool) }) {
		return false
	}
	if refused != nil {
		x.addViolation(ruleRegisters, "", "%v", refused)
		return false
	}
	var infos []pegboard.Info
	if !x.runStage("Info", "", func() { infos = repeat(repeats, x.tool.Info) }) {
		return false
	}
	x.info = infos[0]
	for _, i := range infos {
		if !reflect.DeepEqual(i, x.info) {
			x.addViolation(ruleInfo, "", "it was %+v, then %+v", x.info, i)
			return false
		}
	}
	x.checkTitle()
	return true
}

// repeats is how often a stage is asked for the same value. It is high enough to
// reveal the random order of a map with two keys.
const repeats = 16

func repeat[T any](n int, f func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f()
	}
	return all
}

// An offer is the result of one call of Declare.
type offer struct {
	pegboard.Declaration
	on bool
}

func (o offer) String() string {
	if !o.on {
		return "not offered"
	}
	return fmt.Sprintf("%q (%q) %s", o.Name, shorten(o.Description), shorten(string(o.InputSchema)))
}

// checkDeclaration checks the declaration. It reports whether the inputs can be
// examined.
func (x *exam) checkDeclaration() bool {
	offers, ok := x.declare(x.session)
	if !ok {
		return false
	}
	first := offers[0]
	if !first.on {
		x.addViolation(ruleDeclared, "", "Declare does not offer it in the session; give a Checker one in which it does")
		return false
	}
	if first.Name != x.info.Name && !slices.Contains(x.info.Aliases, first.Name) {
		x.addViolation(ruleDeclared, "", "it is declared as %q, which is neither its name %q nor an alias", first.Name, x.info.Name)
	}
	for _, o := range offers {
		if o.on != first.on || o.Name != first.Name || o.Description != first.Description || !bytes.Equal(o.InputSchema, first.InputSchema) {
			x.addViolation(ruleStable, "", "it was %s, then %s", first, o)
			if !o.on {
				return false // every input would fail because the tool is missing
			}
			break
		}
	}
	x.checkFork(first)
	x.schema = first.InputSchema
	return x.checkSchema()
}

// checkFork compares the schema with the one in a fork of the session.
func (x *exam) checkFork(first offer) {
	fork, err := x.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "tooltest"})
	if err != nil {
		return // the session is closed or its directories are gone, which the inputs will show
	}
	defer func() { _ = closeSession(fork) }()
	offers, ok := x.declare(fork)
	if ok && offers[0].on && !bytes.Equal(offers[0].InputSchema, first.InputSchema) {
		x.addViolation(ruleStable, "", "in a fork of the session the schema is %s, not %s", offers[0].InputSchema, first.InputSchema)
	}
}

func (x *exam) declare(s *pegboard.Session) (offers []offer, ok bool) {
	var got []offer
	ok = x.runStage("Declare", "", func() {
		got = repeat(repeats, func() offer {
			d, on := x.tool.Declare(pegboard.Scope{Session: s})
			return offer{d, on}
		})
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) checkSchema() bool {
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(x.schema, &top); err != nil {
		x.addViolation(ruleSchema, "", "it is %s: %v", shorten(string(x.schema)), err)
		return false
	}
	if string(top.Type) != `"object"` {
		x.addViolation(ruleSchema, "", `it is %s, without "type": "object"`, shorten(string(x.schema)))
		return false
	}
	return true
}

// checkInputs examines the call of every input. Then it asks for the traits of all
// inputs again, in reverse order: they must not depend on earlier calls.
func (x *exam) checkInputs(inputs []string) {
	if len(inputs) == 0 {
		x.addViolation(ruleInputs, "", "no input was given")
		return
	}
	first := make([]*pegboard.Traits, len(inputs)) // nil for an input whose traits are not compared again
	for i, in := range inputs {
		if x.expectCall(in, "", func(ctx context.Context, c *pegboard.Call) { first[i] = x.checkCall(ctx, c, in) }) {
			x.checkMutations(in)
		}
	}
	for i, in := range slices.Backward(inputs) {
		if first[i] != nil {
			x.expectCall(in, "after other calls: ", func(_ context.Context, c *pegboard.Call) { x.checkTraitsAgain(c, in, *first[i]) })
		}
	}
}

// expectCall is like runToCall. It reports whether the input has reached the call,
// and records a violation if not.
func (x *exam) expectCall(input, when string, visit func(context.Context, *pegboard.Call)) bool {
	out, err := x.runToCall(input, visit)
	switch {
	case err != nil:
		x.addViolation(ruleReturns, input, "%s%v", when, err)
	case errors.Is(out.Err, pegboard.ErrPanic):
		x.addViolation(ruleReturns, input, "%s%v", when, out.Err)
	case out.Err != nil:
		x.addViolation(ruleAccepts, input, "%s%v", when, out.Err)
	}
	return err == nil && out.Err == nil
}

// runToCall runs one input through every stage before the call, and calls visit with
// the accepted call instead of the tool's Call. It returns an error if a stage does
// not return.
func (x *exam) runToCall(input string, visit func(context.Context, *pegboard.Call)) (out pegboard.Outcome, err error) {
	arrived := make(chan struct{})
	var decided atomic.Bool // set by the visit or at the timeout, whichever is first
	t := visitedTool{Tool: x.tool, visit: func(ctx context.Context, c *pegboard.Call) {
		if decided.CompareAndSwap(false, true) {
			close(arrived)
			visit(ctx, c)
		}
	}}
	var got pegboard.Outcome
	x.session.NewTurn() // so that the repeated calls do not look like a loop
	ended := goroutine.Go(func() { got = Run(context.Background(), t, x.session, input) })
	select {
	case <-arrived: // the checks in visit have timeouts of their own
		err = <-ended
	case err = <-ended:
	case <-time.After(x.grace):
		if decided.CompareAndSwap(false, true) {
			return out, fmt.Errorf("a stage before the call did not return within %v", x.grace)
		}
		err = <-ended
	}
	return got, err
}

// checkMutations runs the mutations of an accepted input, which must be refused.
func (x *exam) checkMutations(input string) {
	for _, m := range mutate(x.schema, input) {
		passed := false
		out, err := x.runToCall(m.input, func(context.Context, *pegboard.Call) { passed = true })
		switch {
		case err != nil:
			x.addViolation(ruleReturns, m.input, "%v", err)
		case passed:
			x.addViolation(ruleRefuses, m.input, "%s, and the call would have run", m.defect)
		case !errors.Is(out.Err, pegboard.ErrInvalidInput):
			x.addViolation(ruleRefuses, m.input, "%s, and what refused it was not the schema: %v", m.defect, out.Err)
		}
	}
}

// checkKind compares the kind of a call with its other traits.
func (x *exam) checkKind(input string, tr pegboard.Traits) {
	switch tr.Kind {
	case pegboard.KindEdit:
		if tr.ReadOnly && !tr.Destructive {
			x.addViolation(ruleKind, input, "the kind is edit, and the call is read-only")
		}
	case pegboard.KindSearch, pegboard.KindRead, pegboard.KindList:
		if tr.Destructive {
			x.addViolation(ruleKind, input, "the kind is %v, and the call is destructive", tr.Kind)
		}
		for _, target := range tr.Targets {
			if target.Kind == policy.Path && target.Access == policy.Write {
				x.addViolation(ruleKind, input, "the kind is %v, and one of the targets is to %s", tr.Kind, target)
				return
			}
		}
	}
}

// checkOwn examines a call that says that it changes nothing but its conversation.
func (x *exam) checkOwn(input string, tr pegboard.Traits) {
	if !tr.Own || tr.ReadOnly {
		return
	}
	if len(tr.Targets) == 0 {
		x.addViolation(ruleOwn, input, "Own is set, and the call names no target, so it may change anything")
	}
	for _, target := range tr.Targets {
		switch target.Kind {
		case policy.Path, policy.Command, policy.Host, policy.Opaque:
			if target.Access != policy.Read {
				x.addViolation(ruleOwn, input, "Own is set, and one of the targets is to %s", target)
				return
			}
		}
	}
}

// checkTitle examines the title of the tool.
func (x *exam) checkTitle() {
	if x.info.Title != "" && !isLine(x.info.Title) {
		x.addViolation(ruleLines, "", "Info.Title is %q, not one line of visible text", shorten(x.info.Title))
	}
}

// checkLines examines the lines that a user interface shows of an accepted call.
func (x *exam) checkLines(c *pegboard.Call, input string, tr pegboard.Traits) {
	if tr.Kind > pegboard.KindFetch {
		x.addViolation(ruleLines, input, "Traits have the kind %v", tr.Kind)
	}
	var got []pegboard.Summary
	if !x.runStage("Lines", input, func() {
		got = repeat(repeats, func() pegboard.Summary { return x.tool.Summary(c) })
	}) {
		return
	}
	for _, l := range got {
		if l != got[0] {
			x.addViolation(ruleLines, input, "they were %+v; asked again, %+v", got[0], l)
			return
		}
	}
	for _, line := range []struct{ field, text string }{{"Title", got[0].Title}, {"Before", got[0].Before}, {"While", got[0].While}} {
		if line.text != "" && !isLine(line.text) {
			x.addViolation(ruleLines, input, "Lines.%s is %q, not one line of visible text", line.field, shorten(line.text))
		}
	}
}

// isLine reports whether a person sees all of text on one line.
func isLine(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}

// checkCall examines an accepted call. It returns the traits to compare with later,
// or nil if they were not the same every time.
func (x *exam) checkCall(ctx context.Context, c *pegboard.Call, input string) *pegboard.Traits {
	traits, ok := x.askTraits(c, input)
	if !ok {
		return nil
	}
	pure := x.compareTraits(input, "asked again", traits[0], traits)
	x.checkCoherent(input, traits[0])
	x.checkClear(input, traits[0])
	x.checkKind(input, traits[0])
	x.checkOwn(input, traits[0])
	x.checkPlaces(input, traits[0])
	x.checkLines(c, input, traits[0])
	if seen, ok := x.checkConcurrent(ctx, c, input); pure {
		pure = ok && x.compareTraits(input, "asked by several goroutines at once", traits[0], seen)
	}
	x.checkCancel(ctx, c, input)
	if !pure {
		return nil
	}
	return &traits[0]
}

// checkTraitsAgain compares the traits of a call with earlier ones.
func (x *exam) checkTraitsAgain(c *pegboard.Call, input string, first pegboard.Traits) {
	if traits, ok := x.askTraits(c, input); ok {
		x.compareTraits(input, "asked after other calls", first, traits)
	}
}

func (x *exam) askTraits(c *pegboard.Call, input string) (traits []pegboard.Traits, ok bool) {
	var got []pegboard.Traits
	ok = x.runStage("Traits", input, func() {
		got = repeat(repeats, func() pegboard.Traits { return x.tool.Traits(c) })
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) compareTraits(input, when string, want pegboard.Traits, all []pegboard.Traits) (equal bool) {
	for _, got := range all {
		if !sameTraits(got, want) {
			x.addViolation(rulePure, input, "they were %+v; %s, %+v", want, when, got)
			return false
		}
	}
	return true
}

// sameTraits reports whether two traits are equal. Of functions it counts whether they are
// there.
func sameTraits(a, b pegboard.Traits) bool {
	checks := func(tr *pegboard.Traits) (there []bool) {
		tr.Targets = slices.Clone(tr.Targets)
		for i := range tr.Targets {
			shell := &tr.Targets[i].Shell
			there = append(there, shell.VerifyReadOnly != nil, shell.VerifyProgram != nil, shell.VerifyNames != nil)
			shell.VerifyReadOnly, shell.VerifyProgram, shell.VerifyNames = nil, nil, nil
		}
		return there
	}
	return slices.Equal(checks(&a), checks(&b)) && reflect.DeepEqual(a, b)
}

// checkClear reports targets whose values do not name one thing by themselves.
func (x *exam) checkClear(input string, tr pegboard.Traits) {
	for _, target := range tr.Targets {
		if target.Kind == policy.Opaque || target.Shell.Guess {
			continue
		}
		if problem := unclear(target); problem != "" {
			x.addViolation(ruleClear, input, "the value %q of a target is no %v: %s", target.Value, target.Kind, problem)
		}
	}
}

// unclear returns why the value of a target does not name one thing, or "".
func unclear(t policy.Target) string {
	switch t.Kind {
	case policy.Host:
		host, problem := pattern.CanonicalHost(t.Value)
		if problem == "" && host != strings.TrimSuffix(strings.ToLower(t.Value), ".") {
			return "name the host alone, as " + host
		}
		return problem
	case policy.Path:
		return pattern.Malformed(pattern.Path, t.Value)
	case policy.Command:
		return pattern.Malformed(pattern.Command, t.Value)
	}
	return pattern.Malformed(pattern.Text, t.Value)
}

// checkPlaces reports a property that seems to be a path or an address and of which no target
// speaks. An opaque target, or one that is not clear, may be anything.
func (x *exam) checkPlaces(input string, tr pegboard.Traits) {
	anything := func(t policy.Target) bool { return t.Kind == policy.Opaque || unclear(t) != "" }
	if len(tr.Targets) == 0 && !tr.ReadOnly || slices.ContainsFunc(tr.Targets, anything) {
		return
	}
	var properties map[string]any
	_ = json.Unmarshal([]byte(input), &properties) // an input that is no object has none
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value, ok := properties[name].(string)
		if !ok || value == "" || !schema.NamesPlace(name) && !strings.Contains(value, "://") {
			continue
		}
		if !slices.ContainsFunc(tr.Targets, func(t policy.Target) bool { return speaksOf(t.Value, value) }) {
			x.addViolation(rulePlaces, input, "the property %s is %q, and no target has it", name, value)
			return
		}
	}
}

// speaksOf reports whether the value of a target may stand for that of a property: it is the same,
// or its host, or ends as it does.
func speaksOf(target, value string) bool {
	if u, err := url.Parse(value); err == nil && u.Host != "" && strings.EqualFold(u.Hostname(), target) {
		return true
	}
	return strings.HasSuffix(path.Clean(filepath.ToSlash(target)), strings.TrimLeft(path.Clean(filepath.ToSlash(value)), "./~")) || strings.Contains(target, value)
}

func (x *exam) checkCoherent(input string, tr pegboard.Traits) {
	if !tr.ReadOnly {
		return
	}
	if tr.Destructive {
		x.addViolation(ruleCoherent, input, "the call is read-only and destructive")
	}
	for _, target := range tr.Targets {
		if target.Access == policy.Write {
			x.addViolation(ruleCoherent, input, "the call is read-only, and one of its targets is to %s", target)
			return
		}
	}
}

// checkConcurrent calls every stage except the call from several goroutines at the
// same time.
func (x *exam) checkConcurrent(ctx context.Context, c *pegboard.Call, input string) (traits []pegboard.Traits, ok bool) {
	const callers = 4
	got := make([]pegboard.Traits, callers)
	ask := make([]func(), callers)
	for i := range ask {
		ask[i] = func() {
			x.tool.Info()
			x.tool.Declare(pegboard.Scope{Session: x.session})
			got[i] = x.tool.Traits(c)
			x.tool.Summary(c)
			_ = x.tool.Validate(ctx, c) // expectCall has already checked its answer
			x.tool.Permit(ctx, c)
			x.tool.ClassifierInput(c)
		}
	}
	if !x.runAll(ruleReturns, "a stage called by several goroutines at once", input, ask...) {
		return nil, false
	}
	return got, true
}

// errCancelled is the cause with which an exam cancels calls.
var errCancelled = errors.New("cancelled before the call began")

// checkCancel runs the call twice at the same time with a cancelled context.
func (x *exam) checkCancel(ctx context.Context, c *pegboard.Call, input string) {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errCancelled)
	var results [2]*pegboard.Result
	call := func(i int) func() {
		return func() { results[i], _ = x.tool.Call(ctx, c) } // it may return a result or an error
	}
	if !x.runAll(ruleCancel, "Call", input, call(0), call(1)) {
		return
	}
	for _, r := range results {
		var shows *ContractError
		if errors.As(CheckView(pegboard.Outcome{Call: c, Result: r}), &shows) {
			x.addViolation(ruleView, input, "%s: %s", shows.Rule, shows.Got)
			return
		}
	}
}

// An invokeExam is one check of an Invoke.
type invokeExam struct {
	verdict
	pool, herePool *pegboard.Pool
	exec, here     pegboard.Executor // with the Invoke, and without
	made           bool
	once           map[string]bool // ids of the calls that ran, or should have
	asked          int             // how often the tool InvokeRan was called
}

// changedInput is the input that a hook puts in the place of that of the call "changed".
const changedInput = `{"changed": "by a hook",  "n":1.00}`

// newInvokeSession returns a session in which every call is allowed and a hook changes one.
func newInvokeSession() (*pegboard.Session, error) {
	perms, err := policy.New(policy.ModeBypass)
	if err != nil {
		return nil, err
	}
	return pegboard.NewSession(pegboard.SessionConfig{Permissions: perms, Hooks: pegboard.Hooks{
		Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.ID == "changed" && string(h.Call.Input) != changedInput {
				return policy.Decision{Input: json.RawMessage(changedInput)}, nil
			}
			return policy.Decision{}, nil
		},
	}})
}

// prepare assembles the pools and builds the Invoke.
func (x *invokeExam) prepare(s *pegboard.Session, build func(*pegboard.Pool) (pegboard.Invoke, error)) error {
	pools := [2]*pegboard.Pool{}
	for i := range pools {
		var r pegboard.Registry
		if err := r.Add(InvokeTools()...); err != nil {
			return err
		}
		pools[i] = r.AssemblePool(s, pegboard.PoolConfig{Gates: openGates(), Roles: openTables()})
	}
	x.pool, x.herePool, x.once = pools[0], pools[1], map[string]bool{}
	quiet := slog.New(slog.DiscardHandler) // of panics
	x.exec, x.here = pegboard.Executor{Logger: quiet}, pegboard.Executor{Logger: quiet}
	var err error
	switch {
	case !x.runStage("build", "", func() { x.exec.Invoke, err = build(x.pool) }):
	case err != nil:
		x.addViolation(ruleInvokeMade, "", "%v", err)
	default:
		x.made = true
	}
	return nil
}

func (x *invokeExam) check() {
	for _, step := range []func(){x.checkBytes, x.checkResults, x.checkErrors, x.checkPanics, x.checkBeside, x.checkCancel, x.checkOnce} {
		if x.made && !x.stuck {
			step()
		}
	}
}

// run runs a batch, and expects that it ends within the grace period.
func (x *invokeExam) run(late string, calls ...pegboard.Call) ([]pegboard.Outcome, bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range calls {
		x.once[c.ID] = true
	}
	x.pool.Session().NewTurn() // so that the repeated calls do not look like a loop
	var outcomes []pegboard.Outcome
	ok := x.runAll(late, "a call", shorten(string(calls[0].Input)), func() { outcomes = x.exec.Run(ctx, x.pool, calls...) })
	if !ok {
		return nil, false
	}
	return outcomes, true
}

// compare runs a call with the Invoke and without, and returns both outcomes.
func (x *invokeExam) compare(c pegboard.Call) (got, want pegboard.Outcome, ok bool) {
	outcomes, ok := x.run(ruleInvokeReturns, c)
	if !ok {
		return got, want, false
	}
	return outcomes[0], x.here.Run(context.Background(), x.herePool, c)[0], true
}

// decidedInputs are inputs of which a codec may change the bytes.
func decidedInputs() []string {
	return []string{
		`{}`, `{"b":1,"a":2}`, " {\n\t\"x\" : 1.0 } ", `{"n":123456789012345678901234567890,"e":1E+2,"z":-0.0}`,
		`{"html":"<b>&</b>","u":"\u00e9\ud83d\ude00\u2028","s":"a\/b"}`, `{"raw":"é😀` + "\u2028" + `"}`,
		`{"long":"` + strings.Repeat("0123456789", 500) + `"}`,
	}
}

func (x *invokeExam) checkBytes() {
	calls := []pegboard.Call{{ID: "changed", Name: toolEcho, Input: json.RawMessage(`{"as":"sent"}`)}}
	for i, in := range decidedInputs() {
		calls = append(calls, pegboard.Call{ID: fmt.Sprint("bytes ", i), Name: toolEcho, Input: json.RawMessage(in)})
	}
	for _, c := range calls {
		got, want, ok := x.compare(c)
		if !ok {
			return
		}
		if g, w := got.Result.Text(), want.Result.Text(); g != w {
			x.addViolation(ruleInvokeBytes, string(c.Input), "the tool should have got %q, and the outcome is %q", shorten(w), shorten(g))
		}
	}
}

func (x *invokeExam) checkResults() {
	for i, in := range []string{`{"error":false}`, `{"error":true}`} {
		got, want, ok := x.compare(pegboard.Call{ID: fmt.Sprint("parts ", i), Name: toolParts, Input: json.RawMessage(in)})
		if !ok {
			return
		}
		x.compareResults(ruleInvokeResults, in, got, want)
	}
}

// compareResults compares the parts and whether both are errors.
func (x *invokeExam) compareResults(rule, input string, got, want pegboard.Outcome) {
	switch g, w := got.Result, want.Result; {
	case g.IsError != w.IsError || (got.Err == nil) != (want.Err == nil):
		x.addViolation(rule, input, "IsError is %v, the error %v; in this process, %v and %v", g.IsError, got.Err, w.IsError, want.Err)
	case len(g.Parts) != len(w.Parts):
		x.addViolation(rule, input, "the result has %d parts; in this process, %d", len(g.Parts), len(w.Parts))
	default:
		for i := range g.Parts {
			if !reflect.DeepEqual(g.Parts[i], w.Parts[i]) {
				x.addViolation(rule, input, "part %d is %+v; in this process, %+v", i, g.Parts[i], w.Parts[i])
			}
		}
	}
}

func (x *invokeExam) checkErrors() {
	if got, want, ok := x.compare(pegboard.Call{ID: "fails", Name: toolFail, Input: json.RawMessage(`{}`)}); ok {
		x.compareResults(ruleInvokeErrors, toolFail, got, want)
	}
}

func (x *invokeExam) checkPanics() {
	got, _, ok := x.compare(pegboard.Call{ID: "panics", Name: toolCrash, Input: json.RawMessage(`{}`)})
	if ok && !errors.Is(got.Err, pegboard.ErrPanic) {
		x.addViolation(ruleInvokePanics, toolCrash, "the error of the outcome is %v", got.Err)
	}
}

// checkBeside runs two calls that wait for each other.
func (x *invokeExam) checkBeside() {
	outcomes, _ := x.run(ruleInvokeBeside,
		pegboard.Call{ID: "meets 1", Name: toolMeet, Input: json.RawMessage(`{}`)},
		pegboard.Call{ID: "meets 2", Name: toolMeet, Input: json.RawMessage(`{}`)})
	for _, o := range outcomes {
		if o.Err != nil {
			x.addViolation(ruleInvokeBeside, toolMeet, "one of two calls that wait for each other failed: %v", o.Err)
			return
		}
	}
}

// errStopped is the cause with which an exam cancels calls that run.
var errStopped = errors.New("stopped by the exam")

// checkCancel cancels a call that waits for it.
func (x *invokeExam) checkCancel() {
	const id = "waits"
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	x.once[id] = true
	ended := make(chan pegboard.Outcome, 1)
	started := x.runStage("a call that waits", toolWait, func() {
		goroutine.Go(func() {
			ended <- x.exec.Run(ctx, x.pool, pegboard.Call{ID: id, Name: toolWait, Input: json.RawMessage(`{}`)})[0]
		})
		for x.ran()[id] == nil && len(ended) == 0 && ctx.Err() == nil {
			pause(ctx)
		}
	})
	if !started {
		return
	}
	cancel(errStopped)
	var out pegboard.Outcome
	if !x.runAll(ruleInvokeCancel, "a call that was cancelled", toolWait, func() { out = <-ended }) {
		return
	}
	if errors.Is(out.Err, pegboard.ErrDetached) {
		x.addViolation(ruleInvokeCancel, toolWait, "the Invoke did not return: %v", out.Err)
		return
	}
	deadline := time.Now().Add(x.grace)
	for run := x.ran()[id]; run == nil || run.Ended == ""; run = x.ran()[id] {
		if time.Now().After(deadline) {
			x.addViolation(ruleInvokeCancel, toolWait, "the context of the tool did not end within %v", x.grace)
			return
		}
		pause(context.Background())
	}
}

// pause waits for a millisecond, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
}

// ran returns the runs by the ids of their calls, or nil if it cannot.
func (x *invokeExam) ran() map[string]*invokeRun {
	x.pool.Session().NewTurn()
	x.asked++
	out := x.exec.Run(context.Background(), x.pool, pegboard.Call{ID: fmt.Sprint("ran ", x.asked), Name: toolRan, Input: json.RawMessage(`{}`)})[0]
	var runs map[string]*invokeRun
	if out.Err != nil || json.Unmarshal([]byte(out.Result.Text()), &runs) != nil {
		return nil
	}
	return runs
}

// checkOnce runs a call with the input of an earlier one, and counts all runs.
func (x *invokeExam) checkOnce() {
	for _, id := range []string{"again 1", "again 2"} {
		if _, ok := x.run(ruleInvokeReturns, pegboard.Call{ID: id, Name: toolEcho, Input: json.RawMessage(`{"again":true}`)}); !ok {
			return
		}
	}
	var runs map[string]*invokeRun
	if !x.runStage("a call", toolRan, func() { runs = x.ran() }) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(x.once)) {
		if run := runs[id]; run == nil {
			x.addViolation(ruleInvokeOnce, "", "the call %q did not run", id)
		} else if run.Runs != 1 {
			x.addViolation(ruleInvokeOnce, "", "the call %q ran %d times", id, run.Runs)
		}
	}
}
