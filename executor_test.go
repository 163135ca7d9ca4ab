package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestRunAnswersEveryCall mixes calls that end in every bad way there is. Each
// gets one outcome, in its place.
func TestRunAnswersEveryCall(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	ways := map[string]func(context.Context) (string, error){
		"ok":     func(ctx) (string, error) { return "fine", nil },
		"empty":  func(ctx) (string, error) { return " \n", nil },
		"error":  func(ctx) (string, error) { return "", boom },
		"panic":  func(ctx) (string, error) { panic(boom) },
		"nil":    func(ctx) (string, error) { panic(nil) },
		"goexit": func(ctx) (string, error) { runtime.Goexit(); return "", nil },
	}
	var reg pegboard.Registry
	for name, way := range ways {
		require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(ctx ctx, _ struct{}, _ *pegboard.Call) (string, error) { return way(ctx) },
		})))
	}
	var log bytes.Buffer
	failures := atomic.Int32{}
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{
		PostFailure: func(ctx, *pegboard.HookCall) error { failures.Add(1); return nil },
	}})
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}),
		call("1", "ok", `{}`), call("2", "empty", ``), call("3", "error", `{}`), call("4", "panic", `{}`),
		call("5", "goexit", `{}`), call("6", "nil", `{}`), call("7", "nobody", `{}`), call("8", "ok", `{`),
		call("1", "ok", `{}`), call("", "ok", `{}`), call("", "ok", `{}`))

	want := []error{nil, nil, boom, boom, pegboard.ErrPanic, pegboard.ErrPanic, pegboard.ErrUnknownTool,
		pegboard.ErrInvalidInput, pegboard.ErrDuplicate, nil, nil}
	for i, o := range outs {
		require.ErrorIs(t, o.Err, want[i], "call %d", i)
		require.NotEmpty(t, o.Result.Text())
		require.Equal(t, want[i] != nil, o.Result.IsError)
		require.Equal(t, i == 2, errors.Is(o.Err, pegboard.ErrToolFailed), "call %d", i)
	}
	require.ErrorIs(t, outs[3].Err, pegboard.ErrPanic)
	require.Equal(t, "(empty ran and returned nothing)", outs[1].Result.Text())
	require.EqualValues(t, 4, failures.Load(), "error, panic, goexit and nil failed while they ran")
	require.Contains(t, log.String(), "stack=")
}

// TestRunCancelled cancels a batch with one call running, one waiting for its
// keys and one waiting for a place.
func TestRunCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(worker(func(job, bool) {})))
		stop := errors.New("the user pressed escape")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Millisecond, func() { cancel(stop) })
		ex := executor(pegboard.Executor{MaxParallel: 1})
		outs := ex.Run(ctx, reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
			call("1", "Work", `{"class":"shared","ms":10}`),
			call("2", "Work", `{"class":"shared","ms":10}`),
			call("3", "Work", `{"ms":10}`))
		var begun []string // which of the shared calls gets the only place is not promised
		for _, o := range outs {
			require.ErrorIs(t, o.Err, pegboard.ErrCancelled)
			require.ErrorIs(t, o.Err, stop)
			if strings.Contains(o.Result.Text(), "part of its work") {
				begun = append(begun, o.Call.ID)
			}
			require.Contains(t, o.Result.Text(), "Nobody refused")
		}
		require.Len(t, begun, 1)
		require.NotEqual(t, "3", begun[0])
	})
}

// TestRunKeepsTheRealResultOfACancelledCall: a call that returns a result after it was
// cancelled has that result, below the executor's words.
func TestRunKeepsTheRealResultOfACancelledCall(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	turn, cancel := context.WithCancel(t.Context())
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(own ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			cancel()
			<-own.Done()
			return "done", nil
		},
	})))
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.Equal(t, "done", out.Result.Data)
	require.Contains(t, out.Result.Text(), "It returned this:\ndone")
}

// TestExecutorIsSafeForConcurrentUse runs batches side by side for the race
// detector.
func TestExecutorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(worker(func(job, bool) {})))
	s := session(t, bypass(t))
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { _ = e.Call.Targets() }})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, o := range ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}),
				call("1", "Work", `{"path":"a","class":"shared"}`), call("2", "Work", `{"path":"a","write":true,"class":"target"}`)) {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
		})
	}
	wg.Wait()
}

// TestInvokeIsTheOnlySeam gives the far side a session of its own.
func TestInvokeIsTheOnlySeam(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, slow(pegboard.Info{Name: "Slow"}, false))
	far := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{Invoke: farInvoke(far)})
	out := ex.Run(t.Context(), reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":1}`))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "done", out.Result.Text())

	_, _, err := far.Rebuild(call("1", "Slow", `{"ms":"1"}`))
	require.ErrorIs(t, err, pegboard.ErrInvalidInput)
	_, _, err = far.Rebuild(call("1", "None", `{}`))
	require.ErrorIs(t, err, pegboard.ErrUnknownTool)
}

// nearOnly are the tests that cannot pass through farInvoke, by the reason.
var nearOnly = []struct {
	reason string
	tests  []string
}{
	{reason: "on the far side a Check in mid-call asks nobody, see Pool.Rebuild", tests: []string{
		"TestCheckAndFilter/write_inside",
		"TestCheckAndFilter/read_outside",
		"TestCheckAndFilter/read_outside_through_a_link",
		"TestCheckAndFilter/asked_by_a_rule",
		"TestCheckAndFilter/only_a_person_may",
		"TestCheckAndFilter/refused",
		"TestCheckAndFilter/no_answer",
		"TestCheckAndFilter/undecided",
		"TestCheckAndFilter/an_answer_that_changes_the_input",
		"TestLateAnswerToACheckDoesNotCount",
		"TestCheckAsksTheClassifier",
		"TestACheckCannotBePutOff",
		"TestAnAnswerForTheUserCannotChangeARunningCall",
	}},
	{reason: "the values of a context stay on the near side", tests: []string{"TestGatheredCallsHaveTheirOwnContext"}},
	{reason: "on the far side nobody knows what allowed the call", tests: []string{"TestACallKnowsItsDecision"}},
	{reason: "the far side gets the input that was decided, and not what the model sent before", tests: []string{"TestSent"}},
	{reason: "what a call says or decides in its midst on the far side is no event of the near side", tests: []string{
		"TestCheckEmitsEvents",
		"TestProgressOfARebuiltCall",
		"TestProgressFloodedTheHost",
		"TestProgressIsAtMostTenInASecond",
		"TestHeldProgressIsShownWhenTheToolSaysNoMore",
		"TestDataComesWithItsText",
		"TestEventsTellTheWholeStory",
		"TestListenerThatEndsItsGoroutine/progress",
	}},
	{reason: "on the far side no executor is at hand for the calls that a call makes", tests: []string{
		"TestCallRun",
		"TestIdentityTellsCallsApart",
		"TestEventsCarryTheContextOfTheBatch",
		"TestTurnOfACall",
		"TestStableIDOfACall",
		"TestCodeGetsValues",
		"TestCallsInsideACallAreNoLoop",
		"TestForcedAllowIsForTheMainAgentsModel",
		"TestGuardOfCallsInsideACall",
		"TestCallKnowsTheMessageThatAsked",
		"TestOuterCallIsKnownInEachStage",
		"TestResolveReachesWhatREPLHides",
		"TestStopTurnInsideACallStopsTheMessage",
		"TestQuestionsThatCannotBePutOff",
		"TestSameCallsOfAScript",
		"TestSayInsideACall",
		"TestACallInsideACallEndsTheTurn",
		"TestGroupInsideACall",
		"TestGroupsThatWaitForEachOther",
		"TestScriptsThatCross",
		"TestGroupsOfACrowd",
		"TestBudgetOfCalls/calls_of_a_script_count",
		"TestBudgetOfCalls/a_script_counts,_too",
		"TestBudgetOfTimeIsOfTools/calls_inside",
		"TestBudgetWarningsOfAMessage/what_a_script_spends",
	}},
}

// aboutSource matches the tests that read the module and make no call. The file .ci/run leaves
// them out where it repeats tests.
const aboutSource = "^Test(Structure|Docs|Readme|EveryEntryPoint|EntryPointsOf|ExecutorsCome|TestsAre|ParseModule)"

// farEffort is the effort, in percent, of tests that run again with calls sent away.
const farEffort = 10

// TestSuiteThroughFarInvoke runs all tests of this package again that make calls, with every
// call sent away. Those of nearOnly must fail then, or they need not be listed. It takes as long
// as all others together, so that only full effort runs it.
func TestSuiteThroughFarInvoke(t *testing.T) {
	t.Parallel()
	if *sendFar {
		t.Skip("this is the run that it starts")
	}
	output, err := testBinary(t, "-test.list=^(Test|Fuzz)").Output()
	require.NoError(t, err)
	listed := string(output)
	var here []string
	for _, group := range nearOnly {
		for _, name := range group.tests {
			top, _, _ := strings.Cut(name, "/")
			require.Contains(t, listed, top+"\n", "nearOnly lists a test that is gone")
			here = append(here, name)
		}
	}
	if !effort.Full(t) {
		t.Skip("with less than full effort the tests run once")
	}
	t.Run("all others pass", func(t *testing.T) {
		t.Parallel()
		var want []string
		source := regexp.MustCompile(aboutSource)
		for name := range strings.Lines(listed) {
			if name = strings.TrimSpace(name); !slices.Contains(here, name) && !source.MatchString(name) {
				want = append(want, name)
			}
		}
		verdicts, report, err := runFar(t, "-test.run=^(Test|Fuzz)", "-test.skip="+pattern(here)+"|"+aboutSource)
		require.NoError(t, err, "see one with go test -run NAME . -invoke.far\n%s", report)
		require.Subset(t, slices.Collect(maps.Keys(verdicts)), want)
	})
	t.Run("those of nearOnly fail", func(t *testing.T) {
		t.Parallel()
		verdicts, _, err := runFar(t, "-test.run="+pattern(here))
		require.Error(t, err)
		for _, group := range nearOnly {
			for _, name := range group.tests {
				require.Equal(t, "FAIL", verdicts[name], "take %s off the list, of which it says: %s", name, group.reason)
			}
		}
	})
}

var (
	verdictLine = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) `)
	goodNews    = regexp.MustCompile(`(?m)^(=== | *--- (PASS|SKIP): ).*\n`)
)

// runFar runs tests of this binary through farInvoke. It returns the verdict on each, by
// name, and the rest of the output without the lines of passing tests.
func runFar(t *testing.T, args ...string) (verdicts map[string]string, report string, err error) {
	t.Helper()
	args = append(args, "-test.v", "-invoke.far")
	if deadline, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+time.Until(deadline).String())
	}
	again := testBinary(t, args...)
	again.Env = append(os.Environ(), fmt.Sprintf("%s=%d", effort.Variable, farEffort))
	output, err := again.CombinedOutput()
	verdicts = map[string]string{}
	for _, m := range verdictLine.FindAllStringSubmatch(string(output), -1) {
		verdicts[m[2]] = m[1]
	}
	return verdicts, goodNews.ReplaceAllString(string(output), ""), err
}

func testBinary(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	return exec.CommandContext(t.Context(), binary, args...)
}

// pattern returns what -test.run takes for exactly these tests.
func pattern(tests []string) string {
	var exact []string
	for _, name := range tests {
		exact = append(exact, "^"+strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^")+"$")
	}
	return strings.Join(exact, "|")
}

// TestExecutorsComeFromTheHelper: one that a test makes itself would not be sent
// through farInvoke.
func TestExecutorsComeFromTheHelper(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`\w*\(?(pegboard\.Executor\{|new\(pegboard\.Executor|var \w+ pegboard\.Executor)`)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasPrefix(file, "example_") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, how := range made.FindAllString(string(source), -1) {
			require.Equal(t, "executor(pegboard.Executor{", how, file)
		}
	}
}

// TestExecutorSupply: a call that was put off is answered by an executor that has never seen
// it, by the same checks, hooks and limits, and is not decided again.
func TestExecutorSupply(t *testing.T) {
	t.Parallel()
	s, pool := browsing(t, bypass(t))
	h := &host{execute: func(a *pegboard.ExternalCall) {
		require.NoError(t, s.SubmitResult(a.ID, pegboard.ExternalResult{Err: pegboard.ErrDeferred}))
	}}
	before := executor(pegboard.Executor{OnEvent: h.listen})
	first := before.Run(t.Context(), pool, call("1", "Open", `{"url":"a"}`))[0]
	require.ErrorIs(t, first.Err, pegboard.ErrDeferred)

	hooks := []string{}
	note := func(what string) func(ctx, *pegboard.HookCall) error {
		return func(_ ctx, h *pegboard.HookCall) error {
			hooks = append(hooks, what+" "+h.Call.ToolName())
			h.Say(pegboard.Part{Text: "from a hook"})
			return nil
		}
	}
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{
		Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny}, nil
		},
		Post: note("post"), PostFailure: note("failure"), NotRun: note("not run"),
		Batch: func(_ ctx, outs []pegboard.Outcome) error {
			hooks = append(hooks, fmt.Sprint("batch ", len(outs)))
			return nil
		},
	}}
	cfg.Limits.PerResult = 20
	later, far := browsing(t, cfg, browser(pegboard.Info{Timeout: time.Hour}), inert("Other"))
	ex := executor(pegboard.Executor{OnEvent: h.listen, Invoke: func(context.Context, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) {
		return nil, errors.New("it does not go through Invoke")
	}})
	made := pegboard.Call{ID: first.Call.ID, Name: first.Call.Name, Input: first.Call.Input}
	for _, wrong := range []struct {
		call pegboard.Call
		out  pegboard.ExternalResult
		is   error
	}{
		{call: call("1", "Nobody", `{}`), out: pegboard.ExternalResult{Output: []byte(`{}`)}, is: pegboard.ErrUnknownTool},
		{call: call("1", "Other", `{}`), out: pegboard.ExternalResult{Output: []byte(`"a"`)}, is: pegboard.ErrNoExternalCall},
		{call: call("1", "Open", `{"uri":1}`), out: pegboard.ExternalResult{Output: []byte(`{"title":"a"}`)}, is: pegboard.ErrInvalidInput},
		{call: made, out: pegboard.ExternalResult{Output: []byte(`{"title":1}`)}, is: pegboard.ErrInvalidOutput},
		{call: made, is: pegboard.ErrInvalidOutput},
	} {
		_, err := ex.SubmitResult(t.Context(), far, wrong.call, wrong.out)
		require.ErrorIs(t, err, wrong.is)
	}
	require.Empty(t, hooks, "nothing has happened")

	h.kinds = nil
	o, err := ex.SubmitResult(t.Context(), far, made, pegboard.ExternalResult{Output: []byte(`{"title":"` + strings.Repeat("long ", 10) + `"}`)})
	require.NoError(t, err)
	require.NoError(t, o.Err)
	require.Equal(t, "1 Open "+`{"url":"a"}`, o.Call.ID+" "+o.Call.Name+" "+string(o.Call.Input))
	require.NotEmpty(t, o.Result.Parts[0].Ref)
	require.Equal(t, "from a hook", o.Result.Messages[0].Text)
	require.Equal(t, []string{"post Open", "batch 1"}, hooks)
	require.Equal(t, []pegboard.EventKind{pegboard.EventAdmitted, pegboard.EventStarted, pegboard.EventFinished}, h.kinds)
	require.Empty(t, later.ExternalCalls())

	o, err = ex.SubmitResult(t.Context(), far, made, pegboard.ExternalResult{Err: errors.New("the tab crashed")})
	require.NoError(t, err)
	require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
	require.Equal(t, "failure Open", hooks[2])
}

// The loop breaker has counted a call when it was put off, and does not count its answer.
func TestExecutorSupplyIsNoMessage(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Repeats: 3}
	_, pool := browsing(t, cfg)
	ex := executor(pegboard.Executor{})
	for range 10 {
		o, err := ex.SubmitResult(t.Context(), pool, call("1", "Open", `{}`), pegboard.ExternalResult{Output: []byte(`{"title":"a"}`)})
		require.NoError(t, err)
		require.NoError(t, o.Err)
		require.False(t, o.StopTurn)
	}
}

// An awaited is what became of one call of the property test.
type suppliedCall struct {
	mu       sync.Mutex
	accepted map[string][]string // the texts that were supplied, by the call's id
	finished map[string]int
	after    []string // events after the last one of their call
}

// listen supplies each call some time later, or wrongly, or twice, or never.
func (w *suppliedCall) listen(r *rand.Rand) func(e pegboard.Event) {
	return func(e pegboard.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.finished[e.Call.ID] > 0 {
			w.after = append(w.after, e.Call.ID+" "+e.Kind.String())
		}
		switch e.Kind {
		case pegboard.EventFinished:
			w.finished[e.Call.ID]++
		case pegboard.EventExternal:
			for n := range r.IntN(4) { // perhaps never
				text := fmt.Sprintf("%s-%d", e.Call.ID, n)
				out := []pegboard.ExternalResult{
					{Output: []byte(`{"title":"` + text + `"}`)}, {Result: pegboard.TextResult(text)}, {Err: errors.New(text)},
					{Output: []byte(`{"title":1}`)}, {Err: fmt.Errorf("%w: %s", pegboard.ErrDeferred, text)},
				}[r.IntN(5)]
				time.AfterFunc(time.Duration(r.IntN(4))*time.Second, func() { w.supply(e, out, text) })
			}
		}
	}
}

func (w *suppliedCall) supply(e pegboard.Event, out pegboard.ExternalResult, text string) {
	err := e.External.Submit(out)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.accepted[e.Call.ID] = append(w.accepted[e.Call.ID], text)
	}
}

// TestSupplyProperty: whatever is supplied, wrongly or twice, and whatever stops the calls
// in the same instant, each has one outcome. What was accepted is in it, and at most one
// Supply is accepted.
func TestSupplyProperty(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(300)) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 36))
			s, pool := browsing(t, bypass(t), browser(pegboard.Info{
				Timeout: time.Duration(r.IntN(3)) * 2 * time.Second, Interrupt: pegboard.Interrupt(r.IntN(2)),
			}))
			w := &suppliedCall{accepted: map[string][]string{}, finished: map[string]int{}}
			turn, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ex := executor(pegboard.Executor{MaxParallel: 1 + r.IntN(3), OnEvent: w.listen(r)})
			at := time.Duration(r.IntN(4)) * time.Second
			switch r.IntN(4) {
			case 0:
				time.AfterFunc(at, func() { cancel(pegboard.ErrNewMessage) })
			case 1:
				time.AfterFunc(at, func() { s.Interrupt(nil) })
			case 2:
				time.AfterFunc(at, func() { require.NoError(t, s.Close(context.Background())) })
			}
			time.AfterFunc(time.Hour, func() { s.Interrupt(nil) })
			var calls []pegboard.Call
			for i := range 1 + r.IntN(5) {
				calls = append(calls, call(fmt.Sprint(i), "Open", []string{`{}`, `{"tab":"a"}`, `{"tab":"b"}`}[r.IntN(3)]))
			}
			outs := ex.Run(turn, pool, calls...)
			require.Empty(t, s.ExternalCalls())
			time.Sleep(time.Hour)
			w.check(t, calls, outs)
		})
	}
}

func (w *suppliedCall) check(t *testing.T, calls []pegboard.Call, outs []pegboard.Outcome) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(t, outs, len(calls))
	require.Empty(t, w.after)
	for i, o := range outs {
		id := calls[i].ID
		require.Equal(t, id, o.Call.ID)
		require.Equal(t, 1, w.finished[id])
		require.LessOrEqual(t, len(w.accepted[id]), 1)
		stopped := errors.Is(o.Err, pegboard.ErrCancelled) || errors.Is(o.Err, pegboard.ErrTimeout)
		if len(w.accepted[id]) == 0 {
			require.True(t, stopped, "nothing but a stop ends a call that nobody supplied: %v", o.Err)
			continue
		}
		require.Contains(t, fmt.Sprint(o.Result.Text(), o.Err), w.accepted[id][0])
		require.False(t, stopped, o.Err)
	}
}

// TestRepair repairs input as the host permits, for read-only calls only, and lists the
// repairs.
func TestRepair(t *testing.T) {
	t.Parallel()
	type input struct {
		Text  string   `json:"text,omitempty"`
		Names []string `json:"names,omitempty"`
		Count int      `json:"count,omitempty"`
		Sure  bool     `json:"sure,omitempty"`
	}
	syntax, values := pegboard.Repair{Syntax: true}, pegboard.Repair{Values: true}
	byHost := pegboard.Repair{Func: func(context.Context, pegboard.Tool, *pegboard.Call, error) json.RawMessage {
		return json.RawMessage(`{"text":"host"}`)
	}}
	tests := []struct {
		name   string
		how    pegboard.Repair
		writes bool
		input  string
		want   string // the input that runs; empty: it is refused
	}{
		{name: "not asked for", input: "{\"text\":\"a\nb\"}"},
		{name: "control character", how: syntax, input: "{\"text\":\"a\nb\"}", want: `{"text":"a\nb"}`},
		{name: "fence", how: syntax, input: "```json\n{\"text\":\"a\"}\n```", want: `{"text":"a"}`},
		{name: "list in a string", how: values, input: `{"names":"[\"a\",\"b\"]"}`, want: `{"names":["a","b"]}`},
		{name: "null", how: values, input: `{"text":null}`, want: `{}`},
		{name: "never for writers", how: values, writes: true, input: `{"names":"[]"}`},
		{name: "scalars", input: `{"count":"5","sure":"True","text":null}`, want: `{"count":5,"sure":true}`},
		{name: "scalars of writers, too", writes: true, input: `{"count":5.0,"sure":"false"}`, want: `{"count":5,"sure":false}`},
		{name: "a whole number for a text", writes: true, input: `{"text":-12,"names":["a",3]}`, want: `{"text":"-12","names":["a","3"]}`},
		{name: "a number that texts spell in several ways", input: `{"text":3.0}`},
		{name: "scalars refused", how: pegboard.Repair{NoScalars: true}, input: `{"count":"5"}`},
		{name: "scalars beside another mistake", input: `{"count":"5","names":"[]"}`},
		{name: "scalars beside another repair", how: values, input: `{"count":"5","names":"[]"}`, want: `{"count":5,"names":[]}`},
		{name: "a scalar with several readings", input: `{"count":"5.5"}`},
		{name: "never two keys", how: pegboard.Repair{Syntax: true, Values: true}, input: `{"text":"a","text":"b"}`},
		{name: "never another case", how: pegboard.Repair{Syntax: true, Values: true}, input: `{"TEXT":"a"}`},
		{name: "the host's", how: byHost, input: `{`, want: `{"text":"host"}`},
		{name: "the host's, for a writer", how: byHost, writes: true, input: `{`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[input, string]{
				Info: pegboard.Info{Name: "T"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: !tc.writes},
				Call: func(ctx, input, *pegboard.Call) (string, error) { return "ran", nil },
			})
			var told []string
			ex := executor(pegboard.Executor{Repair: tc.how, OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventRepaired {
					told = append(told, e.Text)
				}
			}})
			out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", tc.input))[0]
			if tc.want == "" {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.Empty(t, out.Repairs)
				return
			}
			require.NoError(t, out.Err)
			require.JSONEq(t, tc.want, string(out.Call.Input))
			require.NotEmpty(t, out.Repairs)
			require.Len(t, told, 1)
		})
	}
}

// A host's Repair.Func may keep the call it was given, for a log line for example.
func TestCallKeptByARepairDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	var group sync.WaitGroup
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Func: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call, _ error) json.RawMessage {
		group.Go(func() { _ = c.Session(); _ = c.Parent() })
		return json.RawMessage(`{"class":"shared"}`)
	}}})
	for range effort.Of(t, 200) {
		ex.Run(t.Context(), pool, call("1", "Work", `{"class":3}`))
	}
	group.Wait()
}

// When Traits panics for a repaired input, the repair does not stand and the call fails
// as invalid input. It does not end as a panic.
func TestPanicInTraitsOfARepairedInputIsInvalidInput(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "T"}, Description: "x.",
		Inspect: func(job, *pegboard.Call) pegboard.Traits { panic("x") },
		Call:    func(ctx, job, *pegboard.Call) (string, error) { return "ran", nil },
	})
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true, Values: true}})
	out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", "```json\n{}\n```"))[0]
	require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
	require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
}

type list struct {
	Topic     string `json:"topic"`
	Limit     int    `json:"limit"`
	Recursive bool   `json:"recursive"`
}

const listInput = `{"topic":"logs of the last night","limit":200,"recursive":true}`

// BenchmarkRun measures one call from bytes to outcome: strictly decoded, checked
// against its schema, permission decided, a pre and a post hook run. Its floor is
// what decoding twice costs with nothing else.
func BenchmarkRun(b *testing.B) {
	tool := pegboard.Build(pegboard.Definition[list, string]{
		Info: pegboard.Info{Name: "List"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx, list, *pegboard.Call) (string, error) { return "ok", nil },
	})
	var reg pegboard.Registry
	require.NoError(b, reg.Add(tool))
	s := session(b, pegboard.SessionConfig{Hooks: pegboard.Hooks{
		Pre:  func(ctx, *pegboard.HookCall) (policy.Decision, error) { return policy.Decision{}, nil },
		Post: func(ctx, *pegboard.HookCall) error { return nil },
	}})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	c := call("1", "List", listInput)

	b.Run("call", func(b *testing.B) {
		ex := executor(pegboard.Executor{})
		b.ReportAllocs()
		for b.Loop() {
			if out := ex.Run(b.Context(), pool, c); out[0].Err != nil {
				b.Fatal(out[0].Err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v any
			var in list
			if json.Unmarshal(c.Input, &v) != nil || json.Unmarshal(c.Input, &in) != nil {
				b.Fatal("cannot be decoded")
			}
		}
	})
}
