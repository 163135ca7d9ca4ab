package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestCallsAfterACrash runs the same message again after the process has died behind each entry of
// the journal. A call runs twice only if that does no harm.
func TestCallsAfterACrash(t *testing.T) {
	t.Parallel()
	idempotent := func(d *pegboard.Definition[note, string]) {
		inspect := d.Inspect
		d.Inspect = func(n note, c *pegboard.Call) pegboard.Traits {
			tr := inspect(n, c)
			tr.Idempotent = true
			return tr
		}
	}
	readOnly := func(d *pegboard.Definition[note, string]) {
		d.Inspect = nil
		d.Traits = pegboard.Traits{ReadOnly: true, Targets: readsData.Targets}
	}
	plain := func(*pegboard.Definition[note, string]) {}
	tests := []struct {
		name        string
		then, now   func(*pegboard.Definition[note, string])
		last        pegboard.JournalState // that was written
		unknown     bool
		states      []string
		everStarted bool // by the process that crashed
	}{
		{name: "proposed", then: plain, now: plain, last: pegboard.JournalProposed, states: []string{"proposed", "decided", "started", "finished"}},
		{name: "decided", then: plain, now: plain, last: pegboard.JournalDecided, states: []string{"proposed", "decided", "started", "finished"}},
		{name: "started", then: plain, now: plain, last: pegboard.JournalStarted, unknown: true, everStarted: true, states: []string{"proposed", "decided", "started", "finished"}},
		{name: "started, idempotent", then: idempotent, now: idempotent, last: pegboard.JournalStarted, everStarted: true, states: []string{"proposed", "decided", "started", "started", "finished"}},
		{name: "started, read-only", then: readOnly, now: readOnly, last: pegboard.JournalStarted, everStarted: true, states: []string{"proposed", "decided", "started", "started", "finished"}},
		{name: "started, not idempotent any more", then: idempotent, now: plain, last: pegboard.JournalStarted, unknown: true, everStarted: true, states: []string{"proposed", "decided", "started", "finished"}},
		{name: "started, idempotent only now", then: plain, now: idempotent, last: pegboard.JournalStarted, unknown: true, everStarted: true, states: []string{"proposed", "decided", "started", "finished"}},
		{name: "finished", then: plain, now: plain, last: pegboard.JournalFinished, everStarted: true, states: []string{"proposed", "decided", "started", "finished"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			hooks := 0
			cfg := pegboard.SessionConfig{
				Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(**)"}}),
				Hooks:       pegboard.Hooks{PostFailure: func(ctx, *pegboard.HookCall) error { hooks++; return nil }},
			}
			o.tools = []pegboard.Tool{noter(&o.ran, tc.then)}
			dead := false
			o.journal.fail = func(e pegboard.JournalEntry) error {
				if dead {
					return errDisk
				}
				dead = e.State == tc.last
				return nil
			}
			turn := pegboard.WithTurn(t.Context(), "message-1")
			ex := executor(pegboard.Executor{})
			ex.Run(turn, o.process(cfg), call("1", "Note", `{"path":"a"}`))
			require.Equal(t, tc.everStarted, o.ran.Load() == 1)

			o.journal.fail = nil
			o.tools, hooks = []pegboard.Tool{noter(&o.ran, tc.now)}, 0
			before := o.ran.Load()
			out := ex.Run(turn, o.process(cfg), call("1", "Note", `{"path":"a"}`))[0]
			require.Equal(t, tc.states, o.journal.states("1"))
			require.Equal(t, tc.unknown, errors.Is(out.Err, pegboard.ErrOutcomeUnknown), out.Err)
			if tc.unknown {
				require.Contains(t, out.Result.Text(), "Look at what it did before you repeat it")
				require.Equal(t, 1, hooks)
			} else {
				require.NoError(t, out.Err)
				require.Equal(t, "wrote a ", out.Result.Text())
			}
			runsAgain := !tc.unknown && tc.last != pegboard.JournalFinished
			require.Equal(t, runsAgain, o.ran.Load() == before+1)
			again := ex.Run(turn, o.process(cfg), call("1", "Note", `{"path":"a"}`))[0]
			require.Equal(t, out.Result.Text(), again.Result.Text())
			require.Equal(t, runsAgain, o.ran.Load() == before+1)
		})
	}
}

// TestAnswerOutlivesACrash: an answer that was taken is not asked for again, whatever the process
// did afterwards. It counts with a value, and with the name of the turn alone.
func TestAnswerOutlivesACrash(t *testing.T) {
	t.Parallel()
	for _, named := range []bool{false, true} {
		o := newOffice(t)
		turn := pegboard.WithTurn(t.Context(), "message-1")
		ex := executor(pegboard.Executor{})
		message := []pegboard.Call{call("1", "Note", `{"path":"a"}`)}
		v, err := o.session.Suspension(ex.Run(turn, o.process(pegboard.SessionConfig{}), message...))
		require.NoError(t, err)
		require.Equal(t, "message-1", v.Turn)
		o.journal.fail = func(e pegboard.JournalEntry) error {
			if e.State == pegboard.JournalStarted {
				return errDisk
			}
			return nil
		}
		answers := map[string]policy.Decision{v.Questions[0].ID: {Behavior: policy.Allow, Input: []byte(`{"path":"b"}`)}}
		outs, err := o.resume(v, answers)
		require.NoError(t, err)
		require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
		require.ErrorIs(t, outs[0].Err, pegboard.ErrJournal)
		require.ErrorIs(t, outs[0].Err, errDisk)
		require.Zero(t, o.ran.Load())
		o.journal.fail = nil
		_, err = o.resume(v, answers)
		require.ErrorIs(t, err, pegboard.ErrQuestionClosed)
		if named {
			outs = ex.Run(turn, o.process(pegboard.SessionConfig{}), message...)
		} else {
			outs, err = o.resume(v, nil)
			require.NoError(t, err)
		}
		require.NoError(t, outs[0].Err)
		require.Equal(t, "wrote b ", outs[0].Result.Text())
		require.Equal(t, int32(1), o.ran.Load())
	}
}

// TestTurnOfAnotherMessage: a name that was used before is refused for other calls.
func TestTurnOfAnotherMessage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	free := pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(**)"}})}
	turn := pegboard.WithTurn(t.Context(), "message-1")
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(turn, o.process(free), call("1", "Note", `{"path":"a"}`))[0].Err)
	out := ex.Run(turn, o.process(free), call("1", "Note", `{"path":"b"}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrAltered)
	require.Equal(t, int32(1), o.ran.Load())
	require.Equal(t, []string{"proposed", "decided", "started", "finished"}, o.journal.states("1"))
}

// TestJournalThatCannotBeWritten: a call that cannot be recorded does not run.
func TestJournalThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, state := range []pegboard.JournalState{pegboard.JournalProposed, pegboard.JournalDecided, pegboard.JournalStarted} {
		o := newOffice(t)
		free := pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(**)"}})}
		o.journal.fail = func(e pegboard.JournalEntry) error {
			if e.State == state {
				return errDisk
			}
			return nil
		}
		outs, v := o.suspend(o.process(free), call("1", "Note", `{"path":"a"}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrJournal)
		require.Zero(t, o.ran.Load())
		require.Empty(t, v.Questions)
		o.journal.fail = nil
		outs, err := o.resumeWith(free, v, nil)
		require.NoError(t, err)
		require.NoError(t, outs[0].Err)
		require.Equal(t, int32(1), o.ran.Load())
	}
}

// TestInnerAgentsHaveNoTurn: what a tool runs is no part of the message.
func TestInnerAgentsHaveNoTurn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var pool *pegboard.Pool
	ex := executor(pegboard.Executor{})
	outer := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Runs another message.", Traits: pegboard.Traits{ReadOnly: true, Targets: readsData.Targets},
		Call: func(ctx ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			return ex.Run(ctx, pool, call("in", "Look", `{}`))[0].Result.Text(), nil
		},
	})
	look := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true, Targets: readsData.Targets},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "seen", nil },
	})
	o.tools = []pegboard.Tool{outer, look}
	pool = o.process(pegboard.SessionConfig{})
	out := ex.Run(pegboard.WithTurn(t.Context(), "message-1"), pool, call("1", "Outer", `{}`))[0]
	require.Equal(t, "seen", out.Result.Text())
	entries, err := o.journal.Entries(t.Context(), "session-1", "message-1")
	require.NoError(t, err)
	require.Len(t, entries, 4)
}

// TestCallReplyCrosses takes what tools return through JSON.
func TestCallReplyCrosses(t *testing.T) {
	t.Parallel()
	whole := &pegboard.Result{
		Parts:      []pegboard.Part{{Text: "é\x01<&>"}, {MIME: "image/png", Data: []byte{0, 255}}, {Text: "found", Title: "a page", Source: "s"}, {Tool: "Read"}, {Text: "preview", Ref: "r"}},
		IsError:    true,
		StopTurn:   true,
		Line:       "Read 1 line",
		SearchText: "line",
		Messages:   []pegboard.Part{{Text: "for the conversation"}},
	}
	refused := errors.New("refused")
	tests := []struct {
		name   string
		result *pegboard.Result
		err    error
		is     []error
		isNot  []error
	}{
		{name: "nothing"},
		{name: "an empty result", result: &pegboard.Result{}},
		{name: "a whole result", result: whole},
		{name: "an error alone", err: refused, isNot: []error{refused, pegboard.ErrDenied}},
		{name: "an error beside a result", result: pegboard.TextResult("partial"), err: errors.Join(refused, pegboard.ErrDenied), is: []error{pegboard.ErrDenied}},
		{name: "a transient error", err: pegboard.Transient(refused, 0), is: []error{pegboard.ErrTransient}},
		{name: "the end of a context", err: context.Canceled, is: []error{context.Canceled}, isNot: []error{pegboard.ErrCancelled}},
		{name: "a cause", err: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrUserInterrupt}},
		{name: "an error of another package", err: fs.ErrNotExist, isNot: []error{fs.ErrNotExist}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			result, err := crossed(t, pegboard.NewCallReply(tc.result, tc.err)).Returned()
			require.Equal(t, tc.result, result)
			if tc.err == nil {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tc.err.Error())
			}
			for _, is := range tc.is {
				require.ErrorIs(t, err, is)
			}
			for _, isNot := range tc.isNot {
				require.NotErrorIs(t, err, isNot)
			}
		})
	}
}

func crossed(t *testing.T, reply pegboard.CallReply) (read pegboard.CallReply) {
	t.Helper()
	text, err := json.Marshal(reply)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// TestCallReplyKeepsPanics with the stack of the other process.
func TestCallReplyKeepsPanics(t *testing.T) {
	t.Parallel()
	_, err := crossed(t, pegboard.NewCallReply(nil, &pegboard.PanicError{Value: 7, Stack: []byte("a stack"), Site: "a.go:1"})).Returned()
	var crash *pegboard.PanicError
	require.ErrorAs(t, err, &crash)
	require.Equal(t, &pegboard.PanicError{Value: "7", Stack: []byte("a stack"), Site: "a.go:1"}, crash)
}

// TestCallReplyData: data becomes JSON, and data without JSON is left out.
func TestCallReplyData(t *testing.T) {
	t.Parallel()
	result, err := crossed(t, pegboard.NewCallReply(&pegboard.Result{Data: map[string]int{"lines": 3}}, nil)).Returned()
	require.NoError(t, err)
	require.Equal(t, json.RawMessage(`{"lines":3}`), result.Data)
	result, err = crossed(t, pegboard.NewCallReply(&pegboard.Result{Data: func() {}, Line: "kept"}, nil)).Returned()
	require.NoError(t, err)
	require.Nil(t, result.Data)
	require.Equal(t, "kept", result.Line)
}

// TestCallReplyRefuses what is none.
func TestCallReplyRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"version":2}`, `[]`, `{"version":1,"parts":7}`, `null`} {
		var read pegboard.CallReply
		err := json.Unmarshal([]byte(text), &read)
		if err == nil {
			_, err = read.Returned()
		}
		require.ErrorIs(t, err, pegboard.ErrInvalidOutput, text)
	}
	_, err := json.Marshal(pegboard.CallReply{})
	require.ErrorContains(t, err, "zero CallReply")
	_, err = pegboard.CallReply{}.Returned()
	require.ErrorIs(t, err, pegboard.ErrInvalidOutput)
}

// TestCallReplyThroughInvoke: the executor treats what crossed like what was returned here.
func TestCallReplyThroughInvoke(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		call func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error)
	}{
		{name: "a result", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		}},
		{name: "an error", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("partial"), errors.New("the disk is full")
		}},
		{name: "a panic", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) { panic("broken") }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{Info: pegboard.Info{Name: "T"}, Description: "Does it.", Call: tc.call})
			pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
			here := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "T", `{}`))[0]
			far := executor(pegboard.Executor{Invoke: func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
				return crossed(t, pegboard.NewCallReply(callHere(ctx, tool, c))).Returned()
			}})
			there := far.Run(t.Context(), pool, call("1", "T", `{}`))[0]
			require.Equal(t, here.Result.Parts, there.Result.Parts)
			var was, is *pegboard.CallError
			require.Equal(t, errors.As(here.Err, &was), errors.As(there.Err, &is))
			if was != nil {
				require.Equal(t, was.Sentinel(), is.Sentinel())
				require.Equal(t, was.Stage, is.Stage)
			}
		})
	}
}

// callHere returns the result of a tool, or its panic as an error.
func callHere(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (r *pegboard.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &pegboard.PanicError{Value: v}
		}
	}()
	return tool.Call(ctx, c)
}
