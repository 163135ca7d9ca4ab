package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

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
	perms, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		return nil, err
	}
	return pegboard.NewSession(pegboard.SessionConfig{Permissions: perms, Hooks: pegboard.Hooks{
		Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
			if h.Call.ID == "changed" && string(h.Call.Input) != changedInput {
				return pegboard.Decision{Input: json.RawMessage(changedInput)}, nil
			}
			return pegboard.Decision{}, nil
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
