package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

const (
	which = `{"question":"Which store?","header":"Store","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres","description":"a server"}]}`
	what  = `{"question":"What first?","header":"Order","multiSelect":true,"options":[{"label":"Tests","description":""},{"label":"Docs","description":""},{"label":"Docs, tests","description":"both"}]}`
	both  = `{"questions":[` + which + `,` + what + `]}`
)

// answers returns an Asker that answers through session.Answer.
func answers(t testing.TB, a session.Answers) pegboard.Asker {
	return func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		d, err := session.Answer(q, a)
		require.NoError(t, err)
		return d, nil
	}
}

// given returns a decision that puts text beside the questions, as a hook does.
func given(text string) policy.Decision {
	return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(strings.TrimSuffix(both, "}") + "," + text + "}")}
}

// TestAskUserQuestion is about everyone who may and may not answer.
func TestAskUserQuestion(t *testing.T) {
	t.Parallel()
	pre := func(d policy.Decision) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return d, nil }}
	}
	sqlite := map[string]string{"Which store?": "SQLite"}
	tests := []struct {
		name  string
		cfg   pegboard.SessionConfig
		mode  policy.Mode
		set   policy.RuleSet
		input string // empty: both questions
		is    error
		says  []string
		out   map[string]string
	}{
		{name: "a label", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: sqlite})}, says: []string{"The user has answered:", "\"Which store?\": SQLite", "\"What first?\": no answer"}, out: sqlite},
		{name: "two labels", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: map[string]string{"What first?": "Docs, Tests"}})}, says: []string{"\"What first?\": Docs, Tests"}},
		{name: "labels with a comma", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: map[string]string{"What first?": "Docs, tests, Tests"}})}, says: []string{"\"What first?\": Docs, tests, Tests"}},
		{name: "own words", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: map[string]string{"Which store?": "the one we have", "What first?": "Docs, then lunch"}})},
			says: []string{"\"Which store?\", in other words than the options: the one we have", "\"What first?\", in other words than the options: Docs, then lunch"}},
		{name: "two labels where one may be chosen", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: map[string]string{"Which store?": "SQLite, Postgres"}})}, says: []string{"in other words than the options: SQLite, Postgres"}},
		{name: "a response", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Response: "Neither, see the issue."})}, says: []string{"The user writes about the questions: Neither, see the issue."}},
		{name: "away", cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Away: time.Minute})}, says: []string{"Nobody has answered for 1m0s", "by your own judgment", "ask again"}},
		{name: "refused", cfg: pegboard.SessionConfig{Ask: says(policy.Decision{Behavior: policy.Deny, Reason: "just decide"})}, is: pegboard.ErrDenied, says: []string{"just decide"}},
		{name: "nobody is there", is: pegboard.ErrNoApprover, says: []string{"nobody can be asked"}},
		{name: "a dialog that allows without answering", cfg: pegboard.SessionConfig{Ask: says(allow)}, is: session.ErrNoAnswer, says: []string{"take no option as chosen"}},
		{name: "a dialog that sends the questions back", cfg: pegboard.SessionConfig{Ask: says(given(`"answers":{}`))}, is: session.ErrNoAnswer},
		{name: "a dialog that answers another question", cfg: pegboard.SessionConfig{Ask: says(given(`"answers":{"Which database?":"SQLite"}`))}, is: pegboard.ErrInvalidInput, says: []string{"an answer to a question that was not asked", "Which database?"}},
		{name: "a dialog that answers nothing", cfg: pegboard.SessionConfig{Ask: says(given(`"answers":{"Which store?":" "}`))}, is: pegboard.ErrInvalidInput},
		{name: "a dialog whose answer cannot be read", cfg: pegboard.SessionConfig{Ask: says(given(`"answers":["SQLite"]`))}, is: pegboard.ErrDenied},
		{name: "a permission hook", cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pegboard.Hooks{Permission: says(given(`"answers":{"Which store?":"SQLite"}`))}}, out: sqlite, says: []string{"A program that answers in the user's place has answered:"}},
		{name: "a permission hook that only allows", cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pegboard.Hooks{Permission: says(allow)}}, is: pegboard.ErrDenied},
		{name: "a permission hook that answers another question", cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pegboard.Hooks{Permission: says(given(`"answers":{"Whence?":"x"}`))}}, is: pegboard.ErrInvalidInput},
		{name: "a hook before the call", cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pre(given(`"answers":{"Which store?":"SQLite"},"annotations":{"Which store?":{"notes":"x"}},"metadata":{"source":"hook"}`))}, out: sqlite, says: []string{"A program"}},
		{name: "a hook before the call, in plan mode", mode: policy.ModePlan, cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pre(given(`"answers":{"Which store?":"SQLite"}`))}, out: sqlite},
		{name: "a hook before the call that only allows", cfg: pegboard.SessionConfig{Ask: says(deny), Hooks: pre(allow)}, is: pegboard.ErrDenied},
		{name: "a coordinator's check", cfg: pegboard.SessionConfig{Ask: says(deny), Approvers: []pegboard.Asker{answers(t, session.Answers{Answers: sqlite})}}, out: sqlite, says: []string{"A program"}},
		{name: "a coordinator's check that only allows", cfg: pegboard.SessionConfig{Ask: says(deny), Approvers: []pegboard.Asker{says(allow)}}, is: pegboard.ErrDenied},
		{name: "an allow rule", cfg: pegboard.SessionConfig{Ask: says(deny)}, set: policy.RuleSet{Allow: []string{"AskUserQuestion"}}, is: pegboard.ErrDenied},
		{name: "bypass mode", mode: policy.ModeBypass, cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: sqlite})}, out: sqlite},
		{name: "a mode that asks nobody", mode: policy.ModeDontAsk, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrDenied},
		{name: "the model answers", input: `{"questions":[` + which + `],"answers":{"Which store?":"SQLite"}}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput, says: []string{"you have written answers, which only the user gives", "without answers"}},
		{name: "the model answers, and a hook puts its own in place", input: `{"questions":[` + which + `],"answers":{"Which store?":"SQLite"}}`, cfg: pegboard.SessionConfig{Hooks: pre(given(`"answers":{"Which store?":"Postgres"}`))}, is: pegboard.ErrInvalidInput},
		{name: "the model answers with nothing", input: `{"questions":[` + which + `],"answers":{}}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "the model responds", input: `{"questions":[` + which + `],"response":"yes"}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "the model is away", input: `{"questions":[` + which + `],"afkTimeoutMs":5}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "the model annotates", input: `{"questions":[` + which + `],"annotations":{}}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "the model sets metadata", input: `{"questions":[` + which + `],"metadata":{"source":"x"}}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "two questions with one text", input: `{"questions":[` + which + `,` + which + `]}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput, says: []string{"two questions have one text"}},
		{name: "two options with one label", input: strings.ReplaceAll(both, "Postgres", "SQLite"), cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput, says: []string{"no two the same"}},
		{name: "one option", input: `{"questions":[{"question":"Q?","header":"H","options":[{"label":"a","description":""}]}]}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "a long header", input: strings.ReplaceAll(both, `"Order"`, `"Thirteen long"`), cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "twelve characters", input: strings.ReplaceAll(both, `"Order"`, `"Qualität äöü"`), cfg: pegboard.SessionConfig{Ask: answers(t, session.Answers{Answers: sqlite})}, out: sqlite},
		{name: "no question", input: `{"questions":[]}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "five questions", input: `{"questions":[` + strings.Repeat(which+",", 4) + what + `]}`, cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
		{name: "a blank text", input: strings.ReplaceAll(both, "Which store?", " "), cfg: pegboard.SessionConfig{Ask: says(allow)}, is: pegboard.ErrInvalidInput},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tc.cfg, tc.mode, tc.set)
			input := tc.input
			if input == "" {
				input = both
			}
			out := d.send(t, call("AskUserQuestion", input))[0]
			require.ErrorIs(t, out.Err, tc.is, out.Result.Text())
			for _, text := range tc.says {
				require.Contains(t, out.Result.Text(), text)
			}
			if tc.out != nil {
				data, ok := out.Result.Data.(session.AskOutput)
				require.True(t, ok)
				require.Equal(t, tc.out, data.Answers)
				require.Len(t, data.Questions, strings.Count(input, `"question":`))
			}
		})
	}
}

// TestAnswerIsHeldAgainstTheQuestions: a wrong answer is an error, and the dialog corrects it.
func TestAnswerIsHeldAgainstTheQuestions(t *testing.T) {
	t.Parallel()
	var wrong []error
	d := newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		questions, ok := session.Asked(q)
		require.True(t, ok)
		require.Equal(t, "SQLite", questions[0].Options[0].Label)
		require.True(t, questions[1].MultiSelect)
		for _, a := range []session.Answers{
			{},
			{Response: " "},
			{Answers: map[string]string{"Whence?": "x"}},
			{Answers: map[string]string{"Which store?": ""}},
			{Answers: map[string]string{"Which store?": "SQLite"}, Response: "and"},
			{Response: "and", Away: time.Minute},
			{Away: -time.Minute},
			{Away: time.Microsecond},
		} {
			decision, err := session.Answer(q, a)
			require.Zero(t, decision)
			wrong = append(wrong, err)
		}
		return session.Answer(q, session.Answers{Answers: map[string]string{questions[0].Question: "SQLite"}})
	}}, policy.ModeDefault)
	out := d.send(t, call("AskUserQuestion", both))[0]
	require.NoError(t, out.Err)
	require.Len(t, wrong, 8)
	for _, err := range wrong {
		require.ErrorIs(t, err, session.ErrInvalidAnswer)
	}
}

// TestAskedOfOtherQuestions: a question about another tool, or about nothing, has no form.
func TestAskedOfOtherQuestions(t *testing.T) {
	t.Parallel()
	var asked *pegboard.Question
	d := newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		asked = q
		return deny, nil
	}}, policy.ModeDefault)
	d.send(t, write("a"))
	own := pegboard.Build(pegboard.Definition[struct {
		Questions []string `json:"questions"`
	}, string]{
		Info: pegboard.Info{Name: "AskUserQuestion"}, Description: "The host's own.",
		Call: func(ctx, struct {
			Questions []string `json:"questions"`
		}, *pegboard.Call,
		) (string, error) {
			return "", nil
		},
	})
	for _, q := range []*pegboard.Question{
		nil, {}, asked,
		{Tool: own, Call: &pegboard.Call{Name: "AskUserQuestion", Input: json.RawMessage(`{"questions":["Why?"]}`)}},
		{Tool: session.AskUserQuestion(), Call: &pegboard.Call{Name: "AskUserQuestion", Input: json.RawMessage(`{"questions":`)}},
	} {
		_, ok := session.Asked(q)
		require.False(t, ok)
		_, err := session.Answer(q, session.Answers{Response: "x"})
		require.ErrorIs(t, err, session.ErrInvalidAnswer)
	}
}

// TestQuestionsInOneLine: 100 questions of the tool and of permissions, of the main agent and of
// others, in one line. Each gets the answer that is meant for it, whoever answers, in any order.
func TestQuestionsInOneLine(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	shown := 0
	d := newDesk(t, pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
		mu.Lock()
		shown++
		n := shown
		mu.Unlock()
		if n%3 == 0 { // answered elsewhere, while this dialog is open
			if err := q.Answer(answerTo(q)); err != nil && !errors.Is(err, pegboard.ErrQuestionClosed) {
				return policy.Decision{}, err
			}
			return pegboard.AskLater(ctx, q)
		}
		return answerTo(q), nil
	}}, policy.ModeDefault)
	agents := []*desk{d, d.fork(t, pegboard.SessionConfig{AgentID: "one"}), d.fork(t, pegboard.SessionConfig{AgentID: "two"}), d.fork(t, pegboard.SessionConfig{AgentID: "three"})}
	var all sync.WaitGroup
	for a, agent := range agents {
		var calls []pegboard.Call
		for i := range 25 {
			name := fmt.Sprintf("%d-%d", a, i)
			if i%2 == 0 {
				calls = append(calls, call("AskUserQuestion", strings.ReplaceAll(both, "Which store?", name)))
			} else {
				calls = append(calls, write(name))
			}
		}
		all.Go(func() {
			for i, out := range agent.send(t, calls...) {
				name := fmt.Sprintf("%d-%d", a, i)
				if i%2 == 0 {
					data, ok := out.Result.Data.(session.AskOutput)
					if !ok || data.Answers[name] != "answer to "+name {
						t.Errorf("%s: %v, %s", name, out.Err, out.Result.Text())
					}
				} else if refused := i%3 == 0; refused != errors.Is(out.Err, pegboard.ErrDenied) || refused == d.has(name) {
					t.Errorf("%s: %v", name, out.Err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 100, shown)
	require.Empty(t, d.Questions())
}

// answerTo returns the answer that is meant for a question of TestQuestionsInOneLine.
func answerTo(q *pegboard.Question) policy.Decision {
	if questions, ok := session.Asked(q); ok {
		d, err := session.Answer(q, session.Answers{Answers: map[string]string{questions[0].Question: "answer to " + questions[0].Question}})
		if err != nil {
			panic(err)
		}
		return d
	}
	var in struct {
		FilePath string `json:"file_path"`
	}
	var a, i int
	if err := json.Unmarshal(q.Call.Input, &in); err != nil {
		panic(err)
	}
	if _, err := fmt.Sscanf(in.FilePath, "%d-%d", &a, &i); err != nil {
		panic(err)
	}
	if i%3 == 0 {
		return deny
	}
	return allow
}

// TestAway: the dialog's own clock ends a question of the tool, and no permission question.
func TestAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
			if _, ok := session.Asked(q); !ok {
				time.Sleep(8 * time.Hour) // somebody comes back the next morning
				return allow, nil
			}
			select {
			case <-time.After(5 * time.Minute):
				return session.Answer(q, session.Answers{Away: 5 * time.Minute})
			case <-ctx.Done():
				return policy.Decision{}, ctx.Err()
			}
		}}, policy.ModeDefault)
		began := time.Now()
		outs := d.send(t, call("AskUserQuestion", both), write("a"), call("AskUserQuestion", both))
		require.NoError(t, outs[0].Err)
		require.Contains(t, outs[0].Result.Text(), "Nobody has answered for 5m0s")
		require.NoError(t, outs[1].Err)
		require.NoError(t, outs[2].Err, "it may ask again")
		require.Equal(t, 8*time.Hour+10*time.Minute, time.Since(began))
		require.NoError(t, d.Close(t.Context()))
	})
}

// TestAskUserQuestionInAScript: a script gets the typed answer, and cannot answer itself.
func TestAskUserQuestionInAScript(t *testing.T) {
	t.Parallel()
	var outer string
	d := newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		outer = q.Call.Parent().Name
		return session.Answer(q, session.Answers{Answers: map[string]string{"Which store?": "SQLite"}})
	}}, policy.ModeDefault)
	out := d.send(t, call("Script", map[string]any{"Name": "AskUserQuestion", "Input": both}))[0]
	require.Contains(t, out.Result.Text(), "\"Which store?\": SQLite")
	require.Equal(t, "Script", outer)
	out = d.send(t, call("Script", map[string]any{"Name": "AskUserQuestion", "Input": string(given(`"answers":{"Which store?":"SQLite"}`).Input)}))[0]
	require.Contains(t, out.Result.Text(), "which only the user gives")
}
