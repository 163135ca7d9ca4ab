package pegboard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// note is the input of a tool that writes a note.
type note struct {
	Path string `json:"path"`
	Text string `json:"text,omitempty"`
}

// noter returns a tool that writes notes, and counts its calls.
func noter(ran *atomic.Int32, change ...func(*pegboard.Definition[note, string])) pegboard.Tool {
	d := pegboard.Definition[note, string]{
		Info: pegboard.Info{Name: "Note"}, Description: "Writes a note.",
		Inspect: func(n note, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: n.Path}}}
		},
		Call: func(_ ctx, n note, _ *pegboard.Call) (string, error) {
			ran.Add(1)
			return "wrote " + n.Path + " " + n.Text, nil
		},
	}
	for _, f := range change {
		f(&d)
	}
	return pegboard.Build(d)
}

// resource returns the traits of a call that writes a thing with a name, and runs alone.
func resource(name string) pegboard.Traits {
	return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: name}}}
}

// office is a host whose processes share a journal, a directory and a count of calls.
type office struct {
	t       testing.TB
	dir     string
	journal *memoryJournal
	ran     atomic.Int32
	tools   []pegboard.Tool
	session *pegboard.Session // of the last process
}

func newOffice(t testing.TB) *office {
	return &office{t: t, dir: t.TempDir(), journal: &memoryJournal{}}
}

// process returns the pool of another process.
func (o *office) process(cfg pegboard.SessionConfig) *pegboard.Pool {
	o.t.Helper()
	cfg.Dir = o.dir
	tools := o.tools
	if tools == nil {
		tools = []pegboard.Tool{noter(&o.ran)}
	}
	o.session = session(o.t, suspending(o.journal, cfg))
	return registryOf(o.t, tools...).AssemblePool(o.session, pegboard.PoolConfig{})
}

// suspend runs calls, and returns what another process loads of their value.
func (o *office) suspend(p *pegboard.Pool, calls ...pegboard.Call) ([]pegboard.Outcome, *pegboard.Suspension) {
	o.t.Helper()
	ex := executor(pegboard.Executor{})
	outs := ex.Run(o.t.Context(), p, calls...)
	v, err := o.session.Suspension(outs)
	require.NoError(o.t, err)
	return outs, saved(o.t, v)
}

// resume resumes a value in a process of its own.
func (o *office) resume(v *pegboard.Suspension, answers map[string]policy.Decision) ([]pegboard.Outcome, error) {
	return o.resumeWith(pegboard.SessionConfig{}, v, answers)
}

func (o *office) resumeWith(cfg pegboard.SessionConfig, v *pegboard.Suspension, answers map[string]policy.Decision) ([]pegboard.Outcome, error) {
	ex := executor(pegboard.Executor{})
	return ex.Resume(o.t.Context(), o.process(cfg), v, answers)
}

var answerYes, answerNo = policy.Decision{Behavior: policy.Allow}, policy.Decision{Behavior: policy.Deny, Reason: "not today"}

// TestSuspendedMessageGoesOnInOtherProcesses answers two questions on different days.
func TestSuspendedMessageGoesOnInOtherProcesses(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	free := pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(free/**)"}})}
	outs, first := o.suspend(o.process(free),
		call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"free/b"}`), call("3", "Note", `{ "path":"c" }`), call("4", "Note", `{"path":"e"}`))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDeferred)
	require.True(t, outs[0].StopTurn)
	require.NoError(t, outs[1].Err)
	require.Equal(t, int32(1), o.ran.Load())
	require.Len(t, first.Questions, 3)
	q := first.Questions[1]
	require.Equal(t, "3", q.CallID)
	require.Equal(t, `{ "path":"c" }`, string(q.Input))
	require.Contains(t, q.Targets[0].Value, "/c")
	require.NotEmpty(t, q.Reason)
	require.NotEmpty(t, q.Suggestions)

	outs, err := o.resume(first, map[string]policy.Decision{first.Questions[1].ID: answerYes})
	require.NoError(t, err)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
	require.Equal(t, "wrote free/b ", outs[1].Result.Text())
	require.Equal(t, json.RawMessage(`"wrote free/b "`), outs[1].Result.Data)
	require.Equal(t, "wrote c ", outs[2].Result.Text())
	require.Equal(t, policy.ByPerson, outs[2].Decision.By)
	require.Equal(t, int32(2), o.ran.Load())
	v, err := o.session.Suspension(outs)
	require.NoError(t, err)
	second := saved(t, v)
	require.Len(t, second.Questions, 2)
	require.Equal(t, first.Questions[0], second.Questions[0], "an open question stays as it is")

	outs, err = o.resume(second, map[string]policy.Decision{second.Questions[0].ID: answerNo, second.Questions[1].ID: {Behavior: policy.Allow, Input: json.RawMessage(`{"path":"d"}`)}})
	require.NoError(t, err)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
	require.Contains(t, outs[0].Result.Text(), "not today")
	require.Equal(t, "wrote free/b ", outs[1].Result.Text())
	require.Equal(t, "wrote c ", outs[2].Result.Text())
	require.Equal(t, "wrote d ", outs[3].Result.Text())
	require.Equal(t, []string{"1", "2", "3", "4"}, []string{outs[0].Call.ID, outs[1].Call.ID, outs[2].Call.ID, outs[3].Call.ID})
	require.Equal(t, int32(3), o.ran.Load())
	v, err = o.session.Suspension(outs)
	require.NoError(t, err)
	require.Nil(t, v)
	require.Equal(t, []string{"proposed", "decided", "started", "finished"}, o.journal.states("3"))
	require.Equal(t, []string{"proposed", "decided", "finished"}, o.journal.states("1"))
}

// TestSuspensionRefusesChangedJSON flips every bit of values, and spells them in other ways.
func TestSuspensionRefusesChangedJSON(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"<a>\u0001","text":"é"}`), call("2", "Nothing", `{}`))
	text, err := json.Marshal(v)
	require.NoError(t, err)
	p := o.process(pegboard.SessionConfig{})
	refuses := func(what string, changed []byte) {
		var loaded pegboard.Suspension
		if err := json.Unmarshal(changed, &loaded); err != nil {
			return
		}
		ex := executor(pegboard.Executor{})
		_, err := ex.Resume(t.Context(), p, &loaded, map[string]policy.Decision{v.Questions[0].ID: answerYes})
		require.ErrorIs(t, err, pegboard.ErrAltered, what)
	}
	for i := range text {
		for bit := range 8 {
			changed := slices.Clone(text)
			changed[i] ^= 1 << bit
			refuses(fmt.Sprintf("bit %d of byte %d, in %q", bit, i, text[max(0, i-10):min(len(text), i+10)]), changed)
		}
	}
	var spaced bytes.Buffer
	require.NoError(t, json.Indent(&spaced, text, "", "  "))
	var whole struct{ Value pegboard.Suspension }
	require.NoError(t, json.Unmarshal([]byte(`{"value":`+spaced.String()+`}`), &whole), "space is no change")
	again, err := json.Marshal(whole)
	require.NoError(t, err)
	require.Contains(t, string(again), string(text))
	refuses("a member twice", append([]byte(`{"version":1,`), text[1:]...))
	require.ErrorIs(t, json.Unmarshal([]byte(`{"version":2,"turn":{},"signature":""}`), new(pegboard.Suspension)), pegboard.ErrSuspensionVersion)
	require.Zero(t, o.ran.Load())
	_, err = json.Marshal(pegboard.Suspension{})
	require.ErrorContains(t, err, "zero Suspension")
}

// TestSuspendedCallHoldsItsPlace: what conflicts with a suspended call runs after it, and what is
// the same as it shares its outcome.
func TestSuspendedCallHoldsItsPlace(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	looker := pegboard.Build(pegboard.Definition[note, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Concurrency: pegboard.Shared, Targets: readsData.Targets},
		Equivalent: pegboard.SameInput[note],
		Call:       func(_ ctx, n note, _ *pegboard.Call) (string, error) { o.ran.Add(1); return "saw " + n.Path, nil },
	})
	alone := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Alone"}, Description: "Runs alone.", Traits: resource("all"),
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "Alone", nil },
	})
	o.tools = []pegboard.Tool{noter(&o.ran), looker, alone}
	cfg := pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(b)", "Alone"}, Ask: []string{"Edit(a)"}})}
	outs, v := o.suspend(o.process(cfg), call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"b"}`), call("3", "Look", `{"path":"x"}`), call("4", "Look", `{"path":"x"}`),
		call("5", "Note", `{"path":"a"}`), call("6", "Alone", `{}`), call("7", "Note", `{"path":"b"}`))
	require.NoError(t, outs[1].Err)
	for _, i := range []int{0, 2, 3, 4, 5, 6} {
		require.ErrorIs(t, outs[i].Err, pegboard.ErrSuspended, i)
		require.NotContains(t, outs[i].Err.Error(), "no rule")
	}
	require.Len(t, v.Questions, 2)
	require.Equal(t, []string{"1", "3"}, []string{v.Questions[0].CallID, v.Questions[1].CallID})
	outs, err := o.resumeWith(cfg, v, map[string]policy.Decision{v.Questions[0].ID: answerYes, v.Questions[1].ID: answerYes})
	require.NoError(t, err)
	require.ErrorIs(t, outs[4].Err, pegboard.ErrSuspended, "its turn has come, and it is asked about")
	require.ErrorIs(t, outs[5].Err, pegboard.ErrSuspended)
	require.Equal(t, "3", outs[3].SameAs.ID)
	next, err := o.session.Suspension(outs)
	require.NoError(t, err)
	require.Len(t, next.Questions, 1)
	outs, err = o.resumeWith(cfg, saved(t, next), map[string]policy.Decision{next.Questions[0].ID: answerNo})
	require.NoError(t, err)
	require.Equal(t, "3", outs[3].SameAs.ID)
	require.NoError(t, outs[5].Err)
	require.Equal(t, "Alone", outs[5].Result.Text())
	require.Equal(t, "wrote b ", outs[6].Result.Text())
	require.Equal(t, int32(4), o.ran.Load())
}

// TestWhoAnswersBeforeACallIsSuspended: programs that answer in the user's place are asked, and
// the user is not.
func TestWhoAnswersBeforeACallIsSuspended(t *testing.T) {
	t.Parallel()
	by := func(d policy.Decision) pegboard.Asker {
		return func(ctx, *pegboard.Question) (policy.Decision, error) { return d, nil }
	}
	tests := []struct {
		name      string
		cfg       pegboard.SessionConfig
		suspended bool
		by        policy.Decider
	}{
		{name: "nobody", suspended: true},
		{name: "an asker is not asked", cfg: pegboard.SessionConfig{Ask: by(answerYes)}, suspended: true},
		{name: "an approver", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{by(policy.Decision{}), by(answerYes)}}, by: policy.ByApprover},
		{name: "an approver that abstains", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{by(policy.Decision{})}}, suspended: true},
		{name: "the hook", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: by(answerNo)}}, by: policy.ByHook},
		{name: "no prompts", cfg: pegboard.SessionConfig{NoPrompts: true}, by: policy.ByNobody},
		{name: "a mode that asks nobody", cfg: pegboard.SessionConfig{Permissions: rules(t, policy.ModeDontAsk, policy.RuleSet{})}, by: policy.ByMode},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), o.process(tc.cfg), call("1", "Note", `{"path":"a"}`))[0]
			require.Equal(t, tc.suspended, errors.Is(out.Err, pegboard.ErrSuspended), out.Err)
			require.Equal(t, tc.by, out.Decision.By)
		})
	}
}

// TestQuestionsThatCannotBePutOff go to the Asker: those of a fork, of a call inside a call and of
// a running call.
func TestQuestionsThatCannotBePutOff(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Makes a call.", Traits: resource("script"),
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Run(ctx, call("in", "Note", `{"path":"a"}`))[0].Result.Text(), c.Check(ctx, policy.Target{Kind: policy.Path, Value: "b"})
		},
	})
	o.tools = []pegboard.Tool{script, noter(&o.ran)}
	var asked atomic.Int32
	p := o.process(pegboard.SessionConfig{
		Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Script"}, Ask: []string{"Edit(b)"}}),
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			asked.Add(1)
			return answerYes, nil
		},
	})
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", "Script", `{}`))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "wrote a ", out.Result.Text())
	require.Equal(t, int32(2), asked.Load())
	f := forked(t, o.session, pegboard.SessionConfig{})
	out = ex.Run(t.Context(), registryOf(t, noter(&o.ran)).AssemblePool(f, pegboard.PoolConfig{}), call("2", "Note", `{"path":"c"}`))[0]
	require.NoError(t, out.Err)
	require.Equal(t, int32(3), asked.Load())
	require.Empty(t, o.journal.states("in"))
	require.Empty(t, o.journal.states("2"))
	_, err := o.session.Fork(suspending(o.journal, pegboard.SessionConfig{}))
	require.ErrorContains(t, err, "only a main session")
}

// TestSuspendedStream: a stream suspends as a batch does.
func TestSuspendedStream(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	batches := 0
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error { batches++; return nil }}}
	ex := executor(pegboard.Executor{})
	s := ex.Stream(t.Context(), o.process(cfg))
	s.Submit(call("1", "Note", `{"path":"a"}`))
	s.Finish(pegboard.FinishToolCalls)
	outs := slices.Collect(s.Outcomes())
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
	require.True(t, s.StopTurn())
	require.Zero(t, batches, "the message has not ended")
	v, err := o.session.Suspension(outs)
	require.NoError(t, err)
	outs, err = o.resumeWith(cfg, saved(t, v), map[string]policy.Decision{v.Questions[0].ID: answerYes})
	require.NoError(t, err)
	require.Equal(t, "wrote a ", outs[0].Result.Text())
	require.Equal(t, 1, batches)
}

// TestSuspendedGathering: a call that was not handed in has ended, also after the answer.
func TestSuspendedGathering(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	batches := 0
	cfg := pegboard.SessionConfig{
		Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(free/**)"}}),
		Hooks:       pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error { batches++; return nil }},
	}
	p, ex := o.process(cfg), executor(pegboard.Executor{})
	calls := []pegboard.Call{call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"free/b"}`), call("3", "Note", `{"path":"a"}`), call("4", "Note", `{"path":"free/d"}`)}
	g := ex.Gather(t.Context(), p, calls...)
	var framework sync.WaitGroup
	for _, c := range slices.Backward(calls[:3]) {
		framework.Go(func() { ex.Run(t.Context(), p, c) })
	}
	framework.Wait()
	outs := g.End()
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
	require.NoError(t, outs[1].Err)
	require.ErrorIs(t, outs[2].Err, pegboard.ErrSuspended, "it stands behind the first")
	require.ErrorIs(t, outs[3].Err, pegboard.ErrCancelled)
	require.Zero(t, batches, "the message has not ended")
	v, err := o.session.Suspension(outs)
	require.NoError(t, err)
	require.Len(t, v.Questions, 1)
	outs, err = o.resumeWith(cfg, saved(t, v), map[string]policy.Decision{v.Questions[0].ID: answerYes})
	require.NoError(t, err)
	require.Equal(t, "wrote a ", outs[0].Result.Text())
	require.Equal(t, "wrote free/b ", outs[1].Result.Text())
	require.ErrorIs(t, outs[2].Err, pegboard.ErrSuspended, "it is asked about now")
	require.Contains(t, outs[3].Result.Text(), "did not hand it in")
	require.Equal(t, int32(2), o.ran.Load())
}
