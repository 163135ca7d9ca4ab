package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
	"github.com/seed49eaa51d/pegboard/policy"
)

// writing returns a setup with a turn that writes a file in each of that many messages, and
// the outcomes.
func writing(times int) (s setup, outcomes chan pegboard.Outcome) {
	outcomes = make(chan pegboard.Outcome, times)
	return setup{turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		for i := range times {
			out := h.run(ctx, call(fmt.Sprint("w", i), "Write", `{"file_path":`+text(filepath.Join(h.Dir(), "a.txt"))+`,"content":"`+fmt.Sprint(i)+`"}`))
			outcomes <- out[0]
			if out[0].StopTurn {
				break
			}
		}
		return sdk.StopReasonEndTurn, nil
	}}, outcomes
}

// TestOptionsAreTheSuggestions shows the options of a question and what each of them does.
func TestOptionsAreTheSuggestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		option      string
		kind        string
		allowed     []bool // each of three writes
		asked       int
		mode, rules string // afterwards
	}{
		{option: "allow_once", kind: "allow_once", allowed: []bool{true, true, true}, asked: 3, mode: "default", rules: "[]"},
		{option: "allow_always", kind: "allow_always", allowed: []bool{true, true, true}, asked: 1, mode: "default", rules: "[allow Edit(/a.txt) in session]"},
		{option: "allow_always_2", kind: "allow_always", allowed: []bool{true, true, true}, asked: 1, mode: "acceptEdits", rules: "[]"},
		{option: "reject_once", kind: "reject_once", allowed: []bool{false, false, false}, asked: 3, mode: "default", rules: "[]"},
		{option: "reject_always", kind: "reject_always", allowed: []bool{false, false, false}, asked: 1, mode: "default", rules: "[deny Edit(/a.txt) in session]"},
	} {
		t.Run(tt.option, func(t *testing.T) {
			t.Parallel()
			s, outcomes := writing(3)
			s.answer = selecting(tt.option)
			s.session.Breaker = pegboard.BreakerLimits{Denials: -1, Repeats: -1}
			e := opened(t, s)
			require.Equal(t, sdk.StopReasonEndTurn, e.stops("write"))
			for i, allowed := range tt.allowed {
				out := <-outcomes
				if allowed {
					require.NoError(t, out.Err, "write %d", i)
					continue
				}
				require.ErrorIs(t, out.Err, pegboard.ErrDenied, "write %d", i)
			}
			asked := 0
			for _, m := range e.all() {
				if m.Method == "session/request_permission" {
					asked++
				}
			}
			require.Equal(t, tt.asked, asked)
			p := permissionOf(t, e.awaitMethod("session/request_permission"))
			kinds := map[string]string{}
			for _, o := range p.Options {
				kinds[o.ID] = o.Kind
			}
			require.Equal(t, map[string]string{
				"allow_once": "allow_once", "allow_always": "allow_always", "allow_always_2": "allow_always", "reject_once": "reject_once", "reject_always": "reject_always",
			}, kinds)
			require.Equal(t, "Allow, and from now on: allow Edit(/a.txt) in session", p.Options[1].Name)
			require.Equal(t, "Reject, and from now on: deny Edit(/a.txt) in session", p.Options[4].Name)
			permissions := e.h.session.Permissions()
			require.Equal(t, tt.mode, string(permissions.Mode()))
			var rules []string
			for _, r := range permissions.Rules() {
				rules = append(rules, fmt.Sprintf("%s %s in %s", r.Behavior, r, r.Source))
			}
			require.Equal(t, tt.rules, fmt.Sprint(rules))
			if tt.mode == "acceptEdits" {
				modes := e.updates("current_mode_update")
				require.Len(t, modes, 1)
				require.Equal(t, "acceptEdits", modes[0].Mode)
			}
		})
	}
}

// TestRememberedRulesGoWhereTheHostWants saves them by the session's OnRemember.
func TestRememberedRulesGoWhereTheHostWants(t *testing.T) {
	t.Parallel()
	saved := make(chan []policy.Update, 1)
	s, outcomes := writing(1)
	s.options.Remember, s.answer = policy.SourceLocal, selecting("allow_always")
	s.session.OnRemember = func(_ context.Context, updates []policy.Update) error { saved <- updates; return nil }
	e := opened(t, s)
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("write"))
	require.NoError(t, (<-outcomes).Err)
	require.Equal(t, policy.SourceLocal, (<-saved)[0].Destination)
}

// TestAnswersThatAreNone are those of an editor that breaks the protocol. None of them allows
// the call.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer any
		err    error
		says   string
	}{
		{name: "an option that was not offered", answer: selected("allow_everything"), says: `selected the option "allow_everything", and was offered allow_once, allow_always`},
		{name: "no option", answer: map[string]any{"outcome": map[string]any{"outcome": "selected"}}, err: acp.ErrNotShown},
		{name: "another outcome", answer: map[string]any{"outcome": map[string]any{"outcome": "allowed"}}, err: acp.ErrNotShown},
		{name: "no outcome", answer: map[string]any{}, err: acp.ErrNotShown},
		{name: "no object", answer: []int{1}, err: acp.ErrNotShown},
		{name: "an error", answer: &rpcError{Code: -32601, Message: "what is a permission?"}, err: acp.ErrNotShown, says: "what is a permission?"},
		{name: "an error that is none", answer: rawAnswer(`{"jsonrpc":"2.0","id":%s,"error":"no"}`), err: acp.ErrNotShown, says: "cannot be read"},
		{name: "nothing", answer: rawAnswer(`{"jsonrpc":"2.0","id":%s}`), err: acp.ErrNotShown},
		{name: "two outcomes", answer: rawAnswer(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"},"Outcome":{"outcome":"cancelled"}}}`), err: acp.ErrNotShown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan error, 1)
			s, outcomes := writing(1)
			s.answer = func(message) any { return tt.answer }
			s.heard = func(d policy.Decision, err error) {
				require.NotEqual(t, policy.Allow, d.Behavior)
				asked <- err
			}
			e := opened(t, s)
			require.Equal(t, sdk.StopReasonEndTurn, e.stops("write"))
			err := <-asked
			if tt.err == nil {
				var wrong *acp.OptionError
				require.ErrorAs(t, err, &wrong)
				require.Equal(t, "allow_everything", wrong.Option)
				require.Len(t, wrong.Offered, 5)
			} else {
				require.ErrorIs(t, err, tt.err)
			}
			out := <-outcomes
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Contains(t, out.Result.Text(), tt.says)
			_, err = os.Stat(filepath.Join(e.h.Dir(), "a.txt"))
			require.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// TestCancelledOutcomeCancelsThePrompt has the editor answer only that the prompt was cancelled.
func TestCancelledOutcomeCancelsThePrompt(t *testing.T) {
	t.Parallel()
	s, outcomes := writing(3)
	s.answer = func(message) any { return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}} }
	e := opened(t, s)
	require.Equal(t, sdk.StopReasonCancelled, e.stops("write"))
	out := <-outcomes
	require.ErrorIs(t, out.Err, pegboard.ErrUserInterrupt)
	require.True(t, out.StopTurn || errors.Is(out.Err, pegboard.ErrCancelled))
}

// TestCancelWithdrawsTheQuestion cancels a prompt whose question is open. The answer that the
// protocol asks of the editor comes late, and changes nothing.
func TestCancelWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	s, outcomes := writing(3)
	e := opened(t, s)
	id := e.prompt("write")
	asked := e.awaitMethod("session/request_permission")
	e.notify("session/cancel", e.session(""))
	require.JSONEq(t, `{"requestId":`+string(asked.ID)+`}`, string(e.awaitMethod("$/cancel_request").Params))
	e.reply(asked, selected("allow_once"))
	require.Equal(t, sdk.StopReasonCancelled, e.stopOf(id))
	out := <-outcomes
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.ErrorIs(t, out.Err, pegboard.ErrUserInterrupt)
	require.Equal(t, "Stopped by the user", words(e.updates("tool_call_update")[0].Content))
}

// TestQuestionIsAnsweredElsewhere answers by the session while the editor shows the question,
// and lets the editor answer twice afterwards.
func TestQuestionIsAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	s, outcomes := writing(1)
	e := opened(t, s)
	id := e.prompt("write")
	asked := e.awaitMethod("session/request_permission")
	questions := e.h.session.Questions()
	require.Len(t, questions, 1)
	require.NoError(t, e.h.session.Answer(questions[0].ID, policy.Decision{Behavior: policy.Deny, Reason: "not here"}))
	require.JSONEq(t, `{"requestId":`+string(asked.ID)+`}`, string(e.awaitMethod("$/cancel_request").Params))
	e.reply(asked, selected("allow_once"))
	e.reply(asked, selected("allow_once"))
	require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(id))
	require.ErrorIs(t, (<-outcomes).Err, pegboard.ErrDenied)
	noStrayAnswers(t, e)
}

// TestSecondAnswerIsPassedOver answers a question twice: the first answer counts.
func TestSecondAnswerIsPassedOver(t *testing.T) {
	t.Parallel()
	s, outcomes := writing(1)
	e := opened(t, s)
	id := e.prompt("write")
	asked := e.awaitMethod("session/request_permission")
	e.reply(asked, selected("reject_once"))
	e.reply(asked, selected("allow_once"))
	e.reply(message{ID: []byte("99")}, selected("allow_once"))
	require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(id))
	require.ErrorIs(t, (<-outcomes).Err, pegboard.ErrDenied)
	noStrayAnswers(t, e)
}

// noStrayAnswers expects an answer to each request of the editor, and no other.
func noStrayAnswers(t testing.TB, e *editor) {
	t.Helper()
	require.NotNil(t, e.ask("session/nonsense", "{}").Error) // all before it was dealt with
	answers := map[string]int{}
	for _, m := range e.all() {
		if m.Method == "" {
			answers[string(m.ID)]++
		}
	}
	require.Len(t, answers, e.id)
	for id, n := range answers {
		require.Equal(t, 1, n, "answers to %s", id)
	}
}

// TestEditorDiesInMidQuestion ends the connection while a question is shown.
func TestEditorDiesInMidQuestion(t *testing.T) {
	t.Parallel()
	asked := make(chan error, 1)
	s, outcomes := writing(1)
	s.heard = func(_ policy.Decision, err error) { asked <- err }
	e := opened(t, s)
	e.prompt("write")
	e.awaitMethod("session/request_permission")
	require.NoError(t, e.leave())
	require.ErrorIs(t, <-asked, acp.ErrDisconnected)
	require.ErrorIs(t, (<-outcomes).Err, acp.ErrDisconnected)
	<-e.h.closed
}

// TestQuestionAfterTheEditorHasLeft has nobody to ask.
func TestQuestionAfterTheEditorHasLeft(t *testing.T) {
	t.Parallel()
	s, _ := writing(1)
	e := opened(t, s)
	require.NoError(t, e.leave())
	_, err := e.h.Ask(t.Context(), &pegboard.Question{Call: &pegboard.Call{ID: "c"}, Tool: simple("T", nil)})
	require.ErrorIs(t, err, acp.ErrDisconnected)
	filled, err := e.h.Elicit(t.Context(), &pegboard.Elicitation{URL: "https://example.com"})
	require.NoError(t, err)
	require.Equal(t, pegboard.ElicitDecline, filled.Action)
	e.h.Say("into the void")
	e.h.Record(pegboard.Event{Kind: pegboard.EventAdmitted, Call: &pegboard.Call{ID: "c"}})
}
