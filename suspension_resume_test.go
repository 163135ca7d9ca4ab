package pegboard_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestResumeRefuses: each mistake is a typed error, and nothing has run.
func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	id := func(v *pegboard.Suspension, i int) string { return v.Questions[i].ID }
	both := func(v *pegboard.Suspension) map[string]policy.Decision {
		return map[string]policy.Decision{id(v, 0): answerYes, id(v, 1): answerYes}
	}
	tests := []struct {
		name   string
		cfg    func(*pegboard.SessionConfig)
		tools  []pegboard.Tool
		before func(o *office, v *pegboard.Suspension)
		answer func(v *pegboard.Suspension) map[string]policy.Decision
		is     error
		says   string
	}{
		{name: "an unknown id", answer: func(v *pegboard.Suspension) map[string]policy.Decision {
			return map[string]policy.Decision{id(v, 0): answerYes, "other": answerYes}
		}, is: pegboard.ErrUnknownQuestion, says: `"other"`},
		{name: "no answer", answer: func(v *pegboard.Suspension) map[string]policy.Decision {
			return map[string]policy.Decision{id(v, 0): answerYes, id(v, 1): {}}
		}, says: "neither allow nor deny"},
		{name: "an input of another form", answer: func(v *pegboard.Suspension) map[string]policy.Decision {
			return map[string]policy.Decision{id(v, 0): answerYes, id(v, 1): {Behavior: policy.Allow, Input: json.RawMessage(`{"path":1}`)}}
		}, is: pegboard.ErrInvalidInput},
		{name: "another session", cfg: func(c *pegboard.SessionConfig) { c.ID = "session-2" }, answer: both, is: pegboard.ErrOtherSession},
		{name: "no value", before: func(_ *office, v *pegboard.Suspension) { *v = pegboard.Suspension{Questions: v.Questions} }, answer: both, is: pegboard.ErrAltered, says: "empty"},
		{name: "another key", cfg: func(c *pegboard.SessionConfig) { c.Suspend.Key = bytes.Repeat([]byte("x"), 32) }, answer: both, is: pegboard.ErrAltered},
		{name: "a session that does not suspend", cfg: func(c *pegboard.SessionConfig) { c.Suspend = nil }, answer: both, says: "SessionConfig.Suspend"},
		{name: "a tool that is gone", tools: []pegboard.Tool{inert("Other")}, answer: both, is: pegboard.ErrUnknownTool, says: "Note"},
		{name: "a second answer", before: func(o *office, v *pegboard.Suspension) {
			_, err := o.resume(v, map[string]policy.Decision{id(v, 1): answerNo})
			require.NoError(o.t, err)
		}, answer: both, is: pegboard.ErrQuestionClosed},
		{name: "a journal that cannot be read", cfg: func(c *pegboard.SessionConfig) { c.Suspend.Journal = brokenJournal{} }, answer: both, is: pegboard.ErrJournal},
		{name: "a changed journal", before: func(o *office, v *pegboard.Suspension) {
			o.journal.entries[0].Data = json.RawMessage(`{"call":"other"}`)
		}, answer: both, is: pegboard.ErrAltered},
		{name: "the journal of other calls", before: func(o *office, v *pegboard.Suspension) {
			ex := executor(pegboard.Executor{})
			o.journal.entries = nil
			ex.Run(pegboard.WithTurn(o.t.Context(), v.Turn), o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"other"}`))
		}, answer: both, is: pegboard.ErrAltered},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"b"}`))
			if tc.before != nil {
				tc.before(o, v)
			}
			cfg := suspending(o.journal, pegboard.SessionConfig{Dir: o.dir})
			if tc.cfg != nil {
				tc.cfg(&cfg)
			}
			if tc.tools == nil {
				tc.tools = []pegboard.Tool{noter(&o.ran)}
			}
			ex := executor(pegboard.Executor{})
			outs, err := ex.Resume(t.Context(), registryOf(t, tc.tools...).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), v, tc.answer(v))
			require.Error(t, err)
			require.Nil(t, outs)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			require.ErrorContains(t, err, tc.says)
			require.Zero(t, o.ran.Load())
		})
	}
}

// brokenJournal is a journal whose disk is gone.
type brokenJournal struct{}

func (brokenJournal) Append(context.Context, pegboard.JournalEntry) error { return errDisk }
func (brokenJournal) Entries(context.Context, string, string) ([]pegboard.JournalEntry, error) {
	return nil, errDisk
}

var errDisk = errors.New("the disk is gone")

// TestResumeAfterTheTime: a question expires from the day on which it was asked first.
func TestResumeAfterTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"b"}`))
		require.Equal(t, v.Questions[0].Expires, v.Expires)
		time.Sleep(6 * 24 * time.Hour)
		outs, err := o.resume(v, map[string]policy.Decision{v.Questions[0].ID: answerYes})
		require.NoError(t, err)
		next, err := o.session.Suspension(outs)
		require.NoError(t, err)
		require.Equal(t, v.Questions[1].Expires, next.Expires)
		time.Sleep(24 * time.Hour)
		_, err = o.resume(saved(t, next), map[string]policy.Decision{next.Questions[0].ID: answerYes})
		require.ErrorIs(t, err, pegboard.ErrExpired)
		require.Equal(t, int32(1), o.ran.Load())
	})
}

// TestResumeDecidesAnew: what counts is what holds now. An answer to one question is none to
// another.
func TestResumeDecidesAnew(t *testing.T) {
	t.Parallel()
	set := func(mode policy.Mode, s policy.RuleSet) func(*pegboard.SessionConfig) {
		return func(c *pegboard.SessionConfig) {
			p, err := policy.New(mode, s)
			require.NoError(t, err)
			c.Permissions = p
		}
	}
	type change = func(*pegboard.Definition[note, string])
	pre := func(d policy.Decision) func(*pegboard.SessionConfig) {
		return func(c *pegboard.SessionConfig) {
			c.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) { return d, nil }
		}
	}
	tests := []struct {
		name   string
		cfg    func(*pegboard.SessionConfig)
		tool   change
		answer *policy.Decision // nil: none
		is     error            // nil: it runs
		by     policy.Decider
		asked  bool // again
	}{
		{name: "allowed", answer: &answerYes, by: policy.ByPerson},
		{name: "refused", answer: &answerNo, is: pegboard.ErrDenied, by: policy.ByPerson},
		{name: "a deny rule wins", cfg: set("", policy.RuleSet{Deny: []string{"Edit(a)"}}), answer: &answerYes, is: pegboard.ErrDenied, by: policy.ByRule},
		{name: "a refusal beats an allow rule", cfg: set("", policy.RuleSet{Allow: []string{"Edit(a)"}}), answer: &answerNo, is: pegboard.ErrDenied, by: policy.ByPerson},
		{name: "an allow rule decides without an answer", cfg: set("", policy.RuleSet{Allow: []string{"Edit(a)"}}), by: policy.ByRule},
		{name: "an ask rule is answered", cfg: set("", policy.RuleSet{Ask: []string{"Edit(a)"}}), answer: &answerYes, by: policy.ByPerson},
		{name: "plan mode", cfg: set(policy.ModePlan, policy.RuleSet{}), answer: &answerYes, is: pegboard.ErrDenied, by: policy.ByMode},
		{name: "a mode that asks nobody", cfg: set(policy.ModeDontAsk, policy.RuleSet{}), answer: &answerYes, is: pegboard.ErrDenied, by: policy.ByMode},
		{name: "a hook denies", cfg: pre(answerNo), answer: &answerYes, is: pegboard.ErrDenied, by: policy.ByHook},
		{name: "a hook changes the input", cfg: pre(policy.Decision{Input: json.RawMessage(`{"path":"b"}`)}), answer: &answerYes, is: pegboard.ErrSuspended, asked: true},
		{name: "a hook spells the input anew", cfg: pre(policy.Decision{Input: json.RawMessage(`{ "path" : "\u0061" }`)}), answer: &answerYes, by: policy.ByPerson},
		{name: "another schema that the input fits", tool: func(d *pegboard.Definition[note, string]) {
			d.Aliases = []string{"Memo"}
		}, answer: &answerYes, by: policy.ByPerson},
		{name: "another target", tool: func(d *pegboard.Definition[note, string]) {
			d.Inspect = func(note, *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "b"}}}
			}
		}, answer: &answerYes, is: pegboard.ErrSuspended, asked: true},
		{name: "the tool refuses", tool: func(d *pegboard.Definition[note, string]) {
			d.Permit = func(ctx, note, *pegboard.Call) policy.Decision { return answerNo }
		}, answer: &answerYes, is: pegboard.ErrDenied, by: policy.ByTool},
		{name: "the tool finds it invalid", tool: func(d *pegboard.Definition[note, string]) {
			d.Validate = func(ctx, note, *pegboard.Call) error { return errors.New("no paper") }
		}, answer: &answerYes, is: pegboard.ErrInvalidInput},
		{name: "another input, which a rule denies", cfg: set("", policy.RuleSet{Deny: []string{"Edit(b)"}}),
			answer: &policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"b"}`)}, is: pegboard.ErrDenied, by: policy.ByRule},
		{name: "updates that cannot be applied", answer: &policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{{Type: "unknown"}}}, is: pegboard.ErrSuspended},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`))
			if tc.tool != nil {
				o.tools = []pegboard.Tool{noter(&o.ran, tc.tool)}
			}
			var cfg pegboard.SessionConfig
			if tc.cfg != nil {
				tc.cfg(&cfg)
			}
			answers := map[string]policy.Decision{}
			if tc.answer != nil {
				answers[v.Questions[0].ID] = *tc.answer
			}
			outs, err := o.resumeWith(cfg, v, answers)
			require.NoError(t, err)
			if tc.is == nil {
				require.NoError(t, outs[0].Err)
				require.Equal(t, int32(1), o.ran.Load())
			} else {
				require.ErrorIs(t, outs[0].Err, tc.is)
				require.Zero(t, o.ran.Load())
			}
			require.Equal(t, tc.by, outs[0].Decision.By)
			next, err := o.session.Suspension(outs)
			require.NoError(t, err)
			require.Equal(t, errors.Is(tc.is, pegboard.ErrSuspended), next != nil)
			if next != nil {
				require.Equal(t, !tc.asked, next.Questions[0].ID == v.Questions[0].ID)
			}
		})
	}
}

// TestResumeWithAToolOfAnotherSchema: the answer was to a question about another tool.
func TestResumeWithAToolOfAnotherSchema(t *testing.T) {
	t.Parallel()
	type other struct {
		Path string `json:"path"`
		Sure bool   `json:"sure,omitempty"`
	}
	type narrow struct {
		Name string `json:"name"`
	}
	tests := []struct {
		name string
		tool pegboard.Tool
		is   error
	}{
		{name: "the input fits", tool: pegboard.Build(pegboard.Definition[other, string]{Info: pegboard.Info{Name: "Note"}, Description: "Another one.", Inspect: func(n other, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: n.Path}}}
		}, Call: func(ctx, other, *pegboard.Call) (string, error) { return "", nil }}), is: pegboard.ErrSuspended},
		{name: "it does not fit", tool: pegboard.Build(pegboard.Definition[narrow, string]{Info: pegboard.Info{Name: "Note"}, Description: "Another one.",
			Call: func(ctx, narrow, *pegboard.Call) (string, error) { return "", nil }}), is: pegboard.ErrInvalidInput},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`))
			o.tools = []pegboard.Tool{tc.tool}
			outs, err := o.resume(v, map[string]policy.Decision{v.Questions[0].ID: answerYes})
			require.NoError(t, err)
			require.ErrorIs(t, outs[0].Err, tc.is)
		})
	}
}

// TestAnswersOfOneResume are taken in request order, and what they remember decides the calls
// beside them.
func TestAnswersOfOneResume(t *testing.T) {
	t.Parallel()
	remember := func(b policy.Behavior, pattern string) []policy.Update {
		return []policy.Update{{Type: policy.AddRules, Behavior: b, Destination: policy.SourceSession, Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: pattern}}}}
	}
	var told [][]policy.Update
	cfg := pegboard.SessionConfig{OnRemember: func(_ context.Context, u []policy.Update) error { told = append(told, u); return nil }}
	o := newOffice(t)
	_, v := o.suspend(o.process(cfg), call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"b"}`), call("3", "Note", `{"path":"c"}`), call("4", "Note", `{"path":"d"}`))
	outs, err := o.resumeWith(cfg, v, map[string]policy.Decision{
		v.Questions[1].ID: {Behavior: policy.Allow, Remember: append(remember(policy.Deny, "c"), remember(policy.Allow, "a")...)},
		v.Questions[2].ID: answerYes,
	})
	require.NoError(t, err)
	require.NoError(t, outs[0].Err, "the answer to the second question allows it")
	require.Equal(t, policy.ByRule, outs[0].Decision.By)
	require.NoError(t, outs[1].Err)
	require.ErrorIs(t, outs[2].Err, pegboard.ErrDenied, "the answer before has denied it")
	require.ErrorIs(t, outs[3].Err, pegboard.ErrSuspended)
	require.Len(t, told, 1)
	next, err := o.session.Suspension(outs)
	require.NoError(t, err)
	stop := answerNo
	stop.StopTurn = true
	outs, err = o.resume(saved(t, next), map[string]policy.Decision{next.Questions[0].ID: stop})
	require.NoError(t, err)
	require.True(t, outs[3].StopTurn)
}

// TestResumeOfAnOldCopy: the journal knows what was answered after the copy was made. What has
// run is not run again.
func TestResumeOfAnOldCopy(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`), call("2", "Note", `{"path":"b"}`))
	for i := range 2 {
		_, err := o.resume(v, map[string]policy.Decision{v.Questions[i].ID: answerYes})
		require.NoError(t, err)
	}
	outs, err := o.resume(v, nil)
	require.NoError(t, err)
	require.Equal(t, "wrote a ", outs[0].Result.Text())
	require.Equal(t, "wrote b ", outs[1].Result.Text())
	require.Equal(t, int32(2), o.ran.Load())
}

// TestResumeInManyProcessesAtOnce: one of them takes the answer, and the call runs once.
func TestResumeInManyProcessesAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`))
	var all sync.WaitGroup
	for range 8 {
		p := o.process(pegboard.SessionConfig{})
		all.Go(func() {
			ex := executor(pegboard.Executor{})
			outs, err := ex.Resume(t.Context(), p, v, map[string]policy.Decision{v.Questions[0].ID: answerYes})
			if err != nil {
				require.ErrorIs(t, err, pegboard.ErrQuestionClosed)
			} else if outs[0].Err != nil {
				require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(1), o.ran.Load())
	outs, err := o.resume(v, nil)
	require.NoError(t, err)
	require.Equal(t, "wrote a ", outs[0].Result.Text())
}

// TestResumeKeepsWhatTheCallerSaid: a decision of the caller, and why a loop is asked about.
func TestResumeKeepsWhatTheCallerSaid(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	free := pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(**)"}})}
	_, v := o.suspend(o.process(free), pegboard.ForceDecision(call("1", "Note", `{"path":"a"}`), policy.Ask, "because"))
	require.Contains(t, v.Questions[0].Reason, "because")
	outs, err := o.resumeWith(free, v, nil)
	require.NoError(t, err)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended)

	loop := free
	loop.Breaker = pegboard.BreakerLimits{Repeats: 2, Denials: -1}
	p := o.process(loop)
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), p, call("2", "Note", `{"path":"b"}`))[0].Err)
	_, v = o.suspend(p, call("3", "Note", `{"path":"b"}`))
	require.Contains(t, v.Questions[0].Reason, "in a row")
	outs, err = o.resumeWith(free, v, nil)
	require.NoError(t, err)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrSuspended, "another process has not seen the calls before")
	outs, err = o.resumeWith(free, v, map[string]policy.Decision{v.Questions[0].ID: answerYes})
	require.NoError(t, err)
	require.NoError(t, outs[0].Err)
}

// TestResumeRefusesACallWhoseToolIsGone: a refusal needs no tool, and ends the call.
func TestResumeRefusesACallWhoseToolIsGone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Note", `{"path":"a"}`))
	o.tools = []pegboard.Tool{inert("Other")}
	outs, err := o.resume(v, map[string]policy.Decision{v.Questions[0].ID: answerNo})
	require.NoError(t, err)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrUnknownTool)
	_, err = o.resume(v, map[string]policy.Decision{v.Questions[0].ID: answerNo})
	require.ErrorIs(t, err, pegboard.ErrQuestionClosed)
}

// TestRecordedOutcomesAreWhatTheyWere compares outcomes with those of a resume in another
// process.
func TestRecordedOutcomesAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	worker := pegboard.Build(pegboard.Definition[note, *pegboard.Result]{
		Info: pegboard.Info{Name: "Work"}, Description: "Works.", Traits: pegboard.Traits{ReadOnly: true, Targets: readsData.Targets, Concurrency: pegboard.Shared}, Equivalent: pegboard.SameInput[note],
		Call: func(_ ctx, n note, _ *pegboard.Call) (*pegboard.Result, error) {
			switch n.Text {
			case "fails":
				return nil, errDisk
			case "panics":
				panic("oh")
			case "later":
				return nil, pegboard.ErrDeferred
			}
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "one"}, {MIME: "application/pdf", Data: []byte{0, 255}}}, Line: "a line", StopTurn: n.Text == "stops", Data: map[string]int{"n": 1},
				Diffs: []pegboard.Diff{{Path: "/a", Hunks: []pegboard.Hunk{{Lines: []string{"+x"}}}}}, Messages: []pegboard.Part{{Text: "said"}}, SearchText: "find me"}, nil
		},
	})
	o.tools = []pegboard.Tool{noter(&o.ran), worker}
	before, v := o.suspend(o.process(pegboard.SessionConfig{}), call("1", "Work", `{"path":"a"}`), call("2", "Work", `{"path":"a"}`), call("3", "Work", `{"path":"a","text":"fails"}`), call("4", "Work", `{"path":"a","text":"panics"}`),
		call("5", "Work", `{"path":"a","text":"later"}`), call("6", "Work", `{"path":"a","text":"stops"}`), call("7", "Nothing", `{`), call("7", "Work", `{}`), call("8", "Work", `{"path":7}`), call("9", "Note", `{"path":"a"}`))
	after, err := o.resume(v, map[string]policy.Decision{v.Questions[0].ID: answerNo})
	require.NoError(t, err)
	require.Len(t, after, len(before))
	for i := range before[:9] {
		b, a := before[i], after[i]
		if b.Err != nil {
			require.EqualError(t, a.Err, b.Err.Error())
			var was, is *pegboard.CallError
			require.ErrorAs(t, b.Err, &was)
			require.ErrorAs(t, a.Err, &is)
			require.Equal(t, was.Sentinel(), is.Sentinel())
			require.Equal(t, was.Stage, is.Stage)
			require.Equal(t, was.CallID, is.CallID)
		} else {
			require.NoError(t, a.Err)
		}
		require.Equal(t, b.View(), a.View())
		require.Equal(t, b.SameAs != nil, a.SameAs != nil)
		require.Equal(t, [...]any{b.StopTurn, b.Attempts, b.Repairs, b.Decision.By, b.Decision.Behavior, b.Elapsed}, [...]any{a.StopTurn, a.Attempts, a.Repairs, a.Decision.By, a.Decision.Behavior, a.Elapsed}, i)
		require.Equal(t, [...]any{b.Result.Parts, b.Result.IsError, b.Result.Line, b.Result.Diffs, b.Result.Messages, b.Result.SearchText}, [...]any{a.Result.Parts, a.Result.IsError, a.Result.Line, a.Result.Diffs, a.Result.Messages, a.Result.SearchText}, i)
		was, err := json.Marshal(b.Result.Data)
		require.NoError(t, err)
		is, err := json.Marshal(a.Result.Data)
		require.NoError(t, err)
		require.JSONEq(t, string(was), string(is))
		require.Equal(t, fmt.Sprint(string(b.Call.Input), b.Call.ID, b.Call.ToolName()), fmt.Sprint(string(a.Call.Input), a.Call.ID, a.Call.ToolName()))
	}
}

// killedOfTest names the variable that makes the test binary run or resume a message in a
// directory.
const killedOfTest = "PEGBOARD_TEST_KILLED"

// killedTurn is the name of the message.
const killedTurn = "message-1"

// errand is the input of the tools.
type errand struct {
	Name string `json:"name"` // its first letter is the target
}

// killedCalls returns the calls of the message. Call 4 waits for call 1, and call 6 is refused.
func killedCalls() []pegboard.Call {
	return []pegboard.Call{
		call("1", "Work", `{"name":"a1"}`), call("2", "Free", `{"name":"b"}`), call("3", "Look", `{"name":"c"}`), call("4", "Work", `{"name":"a2"}`),
		call("5", "Set", `{"name":"d"}`), call("6", "Work", `{"name":"refused"}`), call("7", "Free", `{"name":"f"}`), call("8", "Work", `{"name":"g"}`),
	}
}

// A killable is a directory with a journal, the value that was saved last, and a file for each
// call with a byte for each time that it ran.
type killable struct {
	t   *testing.T
	dir string
}

// An ending is the outcome of a call, as a process prints it.
type ending struct{ ID, Kind, Text string }

func (k killable) journal() *pegboard.FileJournal {
	return fileJournal(k.t, filepath.Join(k.dir, "journal"))
}

// ran returns how often a call ran.
func (k killable) ran(id string) int {
	text, err := os.ReadFile(filepath.Join(k.dir, "ran-"+id))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(k.t, err)
	}
	return len(text)
}

func (k killable) tool(name string, traits pegboard.Traits) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[errand, string]{
		Info: pegboard.Info{Name: name}, Description: "Runs an errand.",
		Inspect: func(s errand, _ *pegboard.Call) pegboard.Traits {
			tr := traits
			if !tr.ReadOnly {
				tr.Concurrency, tr.Targets = pegboard.PerTarget, []policy.Target{{Kind: policy.Resource, Value: name + "/" + s.Name[:1]}}
			}
			return tr
		},
		Call: func(_ ctx, s errand, c *pegboard.Call) (string, error) {
			time.Sleep(rand.N(4 * time.Millisecond))
			f, err := os.OpenFile(filepath.Join(k.dir, "ran-"+c.ID), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return "", err
			}
			_, err = f.WriteString("x")
			time.Sleep(rand.N(4 * time.Millisecond))
			return "did " + s.Name, errors.Join(err, f.Close())
		},
	})
}

// process runs or resumes the message, once or until no question is open, and prints the outcomes.
func (k killable) process(once bool) {
	s := session(k.t, suspending(k.journal(), pegboard.SessionConfig{
		Dir: k.dir, Permissions: rules(k.t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Free", "Set"}}),
	}))
	pool := registryOf(k.t, k.tool("Work", pegboard.Traits{}), k.tool("Free", pegboard.Traits{}), k.tool("Set", pegboard.Traits{Idempotent: true}),
		k.tool("Look", pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared})).AssemblePool(s, pegboard.PoolConfig{})
	fmt.Println("ready")
	if once { // until the other process is ready, too
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
	ex := executor(pegboard.Executor{})
	var outs []pegboard.Outcome
	v := k.load()
	if v == nil {
		outs = ex.Run(pegboard.WithTurn(k.t.Context(), killedTurn), pool, killedCalls()...)
	}
	for begins := v == nil; ; {
		if v != nil {
			var err error
			outs, err = ex.Resume(k.t.Context(), pool, v, killedAnswers(v))
			if errors.Is(err, pegboard.ErrQuestionClosed) { // the process before has taken an answer, and was killed
				outs, err = ex.Resume(k.t.Context(), pool, v, nil)
			}
			require.NoError(k.t, err)
		}
		var err error
		v, err = s.Suspension(outs)
		require.NoError(k.t, err)
		if v == nil {
			break
		}
		if begins || !once {
			k.save(v)
		}
		if once {
			break
		}
	}
	for _, o := range outs {
		text, err := json.Marshal(endingOf(&o))
		require.NoError(k.t, err)
		fmt.Printf("ended %s\n", text)
	}
	fmt.Println("end")
}

func endingOf(o *pegboard.Outcome) ending {
	kind := fmt.Sprint(o.Err)
	for name, err := range map[string]error{"unknown": pegboard.ErrOutcomeUnknown, "refused": pegboard.ErrDenied, "suspended": pegboard.ErrSuspended} {
		if errors.Is(o.Err, err) {
			kind = name
		}
	}
	if o.Err == nil {
		kind = "done"
	}
	return ending{o.Call.ID, kind, o.Result.Text()}
}

// killedAnswers answers all questions of a value.
func killedAnswers(v *pegboard.Suspension) map[string]policy.Decision {
	answers := map[string]policy.Decision{}
	for _, q := range v.Questions {
		if answers[q.ID] = answerYes; q.CallID == "6" {
			answers[q.ID] = answerNo
		}
	}
	return answers
}

func (k killable) load() *pegboard.Suspension {
	text, err := os.ReadFile(filepath.Join(k.dir, "value.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(k.t, err)
	v := new(pegboard.Suspension)
	require.NoError(k.t, json.Unmarshal(text, v))
	return v
}

func (k killable) save(v *pegboard.Suspension) {
	text, err := json.Marshal(v)
	require.NoError(k.t, err)
	path := filepath.Join(k.dir, "value.json")
	require.NoError(k.t, os.WriteFile(path+".tmp", text, 0o600))
	require.NoError(k.t, os.Rename(path+".tmp", path))
}

// start starts a process of the test with that name.
func (k killable) start(test string) (cmd *exec.Cmd, lines *bufio.Scanner, in io.Writer) {
	program, err := os.Executable()
	require.NoError(k.t, err)
	cmd = exec.CommandContext(k.t.Context(), program, "-test.run=^"+test+"$", "-test.count=1") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), killedOfTest+"="+k.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(k.t, err)
	in, err = cmd.StdinPipe()
	require.NoError(k.t, err)
	require.NoError(k.t, cmd.Start())
	lines = bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return cmd, lines, in
}

// readEndings reads what a process prints. Whole is false if it was killed before its end.
func readEndings(t *testing.T, lines *bufio.Scanner) (all []ending, whole bool) {
	t.Helper()
	for lines.Scan() {
		line := lines.Text()
		require.NotContains(t, line, "FAIL")
		if text, ok := strings.CutPrefix(line, "ended "); ok {
			var e ending
			if json.Unmarshal([]byte(text), &e) == nil { // else it was cut by the kill
				all = append(all, e)
			}
		}
		if line == "end" {
			return all, true
		}
	}
	return all, false
}

// states returns the last state of each call in the journal, by its id.
func (k killable) states() map[string]pegboard.JournalState {
	entries, err := k.journal().Entries(k.t.Context(), "session-1", killedTurn)
	require.NoError(k.t, err)
	last := map[string]pegboard.JournalState{}
	for _, e := range entries {
		last[e.CallID] = e.State
	}
	return last
}

// tear adds the beginning of an entry to the journal, as a process that is killed while it writes.
func (k killable) tear() {
	files, err := filepath.Glob(filepath.Join(k.dir, "journal", "*"))
	require.NoError(k.t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(k.t, err)
		line, _, _ := bytes.Cut(text, []byte("\n"))
		require.NoError(k.t, os.WriteFile(path, append(text, line[:rand.N(len(line)+1)]...), 0o600))
	}
}

// TestResumeAfterKills kills processes at random moments of a message, until one comes to its
// end. Each call has one outcome. A call that is not harmless to repeat ran once, or not at all;
// it is unknown exactly if it was started and had not finished when a process was killed.
func TestResumeAfterKills(t *testing.T) {
	if dir := os.Getenv(killedOfTest); dir != "" {
		killable{t, dir}.process(false)
		return
	}
	t.Parallel()
	died, at := 0, map[pegboard.JournalState]int{}
	kinds := map[string]int{}
	states := []pegboard.JournalState{pegboard.JournalProposed, pegboard.JournalDecided, pegboard.JournalStarted, pegboard.JournalFinished}
	missing := func() bool {
		return kinds["unknown"] == 0 || slices.ContainsFunc(states, func(s pegboard.JournalState) bool { return at[s] == 0 })
	}
	const most = 100
	// At full effort there are more rounds while something has not happened, with later kills: the machine may be slow.
	for round := 0; round < effort.Of(t, most) || effort.Full(t) && missing() && round < 10*most; round++ {
		k := killable{t, t.TempDir()}
		lost := map[string]bool{}
		for kill := range 4 {
			cmd, lines, _ := k.start("TestResumeAfterKills")
			for lines.Scan() && lines.Text() != "ready" {
			}
			if kill < 3 {
				time.AfterFunc(rand.N(60*time.Millisecond<<min(round/most, 4)), func() { _ = cmd.Process.Kill() }) // any moment will do
			}
			all, whole := readEndings(t, lines)
			_ = cmd.Wait()
			if whole {
				k.requireEndings(all, lost, kinds)
				break
			}
			require.Less(t, kill, 3, "the last process has not come to its end")
			died++
			for id, state := range k.states() {
				at[state]++
				if state == pegboard.JournalStarted && id != "3" && id != "5" {
					lost[id] = true
				}
			}
			if rand.N(2) == 0 {
				k.tear()
			}
		}
	}
	t.Logf("%d processes killed; the calls were then %v; they ended as %v", died, at, kinds)
	if effort.Full(t) {
		require.False(t, missing(), "%v %v", at, kinds)
	}
}

// requireEndings checks the outcomes of a message, and that a later process has the same.
func (k killable) requireEndings(all []ending, lost map[string]bool, kinds map[string]int) {
	t := k.t
	require.Len(t, all, len(killedCalls()))
	for i, e := range all {
		require.Equal(t, killedCalls()[i].ID, e.ID)
		kinds[e.Kind]++
		ran := k.ran(e.ID)
		switch {
		case e.ID == "3" || e.ID == "5":
			require.Equal(t, "done", e.Kind, e)
			require.Positive(t, ran)
		case lost[e.ID]:
			require.Equal(t, "unknown", e.Kind, e)
			require.LessOrEqual(t, ran, 1, e)
		case e.ID == "6":
			require.Equal(t, "refused", e.Kind, e)
			require.Zero(t, ran)
		default:
			require.Equal(t, "done", e.Kind, e)
			require.Equal(t, 1, ran, e)
		}
	}
	cmd, lines, _ := k.start("TestResumeAfterKills")
	again, whole := readEndings(t, lines)
	require.NoError(t, cmd.Wait())
	require.True(t, whole)
	require.Equal(t, all, again)
}

// TestResumeInTwoProcesses has two processes resume the same value at the same moment. One of them
// runs each call. Sometimes one is killed.
func TestResumeInTwoProcesses(t *testing.T) {
	if dir := os.Getenv(killedOfTest); dir != "" {
		killable{t, dir}.process(true)
		return
	}
	t.Parallel()
	both := map[string]int{}
	for round := range effort.Of(t, 60) {
		k := killable{t, t.TempDir()}
		kill := round%3 == 2
		k.suspend()
		cmds, printed := make([]*exec.Cmd, 2), make([][]ending, 2)
		lines, ins := make([]*bufio.Scanner, 2), make([]io.Writer, 2)
		for i := range cmds {
			cmds[i], lines[i], ins[i] = k.start("TestResumeInTwoProcesses")
			for lines[i].Scan() && lines[i].Text() != "ready" {
			}
		}
		var reading sync.WaitGroup
		for i := range cmds {
			_, err := io.WriteString(ins[i], "\n")
			require.NoError(t, err)
			reading.Go(func() { printed[i], _ = readEndings(t, lines[i]) })
		}
		if kill {
			time.Sleep(rand.N(30 * time.Millisecond)) // any moment will do
			_ = cmds[0].Process.Kill()
		}
		reading.Wait()
		for _, cmd := range cmds {
			_ = cmd.Wait()
		}
		k.requireOnce(kill, printed, both)
	}
	t.Logf("the two processes ended calls as %v", both)
}

// suspend runs the message in this process, up to its questions.
func (k killable) suspend() {
	cmd, lines, in := k.start("TestResumeInTwoProcesses")
	_, err := io.WriteString(in, "\n")
	require.NoError(k.t, err)
	_, whole := readEndings(k.t, lines)
	require.True(k.t, whole)
	require.NoError(k.t, cmd.Wait())
}

// requireOnce checks that each call ran in one process.
func (k killable) requireOnce(killed bool, printed [][]ending, both map[string]int) {
	t := k.t
	cmd, lines, _ := k.start("TestResumeAfterKills") // comes to the end
	all, whole := readEndings(t, lines)
	require.True(t, whole)
	require.NoError(t, cmd.Wait())
	require.Len(t, all, len(killedCalls()))
	for i, e := range all {
		for _, p := range printed {
			if len(p) > i && p[i].Kind != "suspended" {
				require.Equal(t, e, p[i], "an outcome is that for all")
			}
		}
		both[e.Kind]++
		require.Contains(t, []string{"done", "unknown", "refused"}, e.Kind)
		ran := k.ran(e.ID)
		if e.ID == "3" || e.ID == "5" {
			continue
		}
		require.LessOrEqual(t, ran, 1, e)
		if !killed && e.ID != "6" {
			require.Equal(t, 1, ran, e)
		}
	}
	require.Empty(t, slices.DeleteFunc(slices.Collect(maps.Values(k.states())), func(s pegboard.JournalState) bool { return s == pegboard.JournalFinished }))
}
