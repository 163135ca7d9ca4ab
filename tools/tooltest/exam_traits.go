package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

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
		if target.Kind == pegboard.TargetOpaque || target.Shell.Guess {
			continue
		}
		if problem := unclear(target); problem != "" {
			x.addViolation(ruleClear, input, "the value %q of a target is no %v: %s", target.Value, target.Kind, problem)
		}
	}
}

// unclear returns why the value of a target does not name one thing, or "".
func unclear(t pegboard.Target) string {
	switch t.Kind {
	case pegboard.TargetHost:
		host, problem := pattern.CanonicalHost(t.Value)
		if problem == "" && host != strings.TrimSuffix(strings.ToLower(t.Value), ".") {
			return "name the host alone, as " + host
		}
		return problem
	case pegboard.TargetPath:
		return pattern.Malformed(pattern.Path, t.Value)
	case pegboard.TargetCommand:
		return pattern.Malformed(pattern.Command, t.Value)
	}
	return pattern.Malformed(pattern.Text, t.Value)
}

// checkPlaces reports a property that seems to be a path or an address and of which no target
// speaks. An opaque target, or one that is not clear, may be anything.
func (x *exam) checkPlaces(input string, tr pegboard.Traits) {
	anything := func(t pegboard.Target) bool { return t.Kind == pegboard.TargetOpaque || unclear(t) != "" }
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
		if !slices.ContainsFunc(tr.Targets, func(t pegboard.Target) bool { return speaksOf(t.Value, value) }) {
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
		if target.Access == pegboard.AccessWrite {
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
			x.tool.Lines(c)
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
