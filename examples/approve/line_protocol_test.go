package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestCardHasWhatAnAnswerNeeds(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "helper", write("a.txt", "one\ntwo\n"))
	c := p.one()
	require.Equal(t, []string{"helper"}, c.Agent)
	require.Equal(t, "Write", c.Tool)
	require.JSONEq(t, `{"file_path": "a.txt", "content": "one\ntwo\n"}`, string(c.Input))
	require.Equal(t, []string{"write " + filepath.Join(p.host.session.Dir(), "a.txt")}, c.Targets)
	require.Contains(t, c.Reason, "no rule allows it")
	require.Equal(t, "@@ -0,0 +1,2 @@\n+one\n+two\n", c.Diff)
	require.Contains(t, c.Always, "allow Edit(/a.txt) in session")
	require.Contains(t, c.Always, "mode acceptEdits")
	require.Equal(t, message{ID: c.ID, Status: accepted}, p.say(answer{ID: c.ID, Answer: once}))
	require.NoError(t, (<-done)[0].Err)
	require.Equal(t, "one\ntwo\n", readProject(t, p.dir, "a.txt"))
}

func TestOnceIsForOneCall(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	for range 2 {
		done := begin(t.Context(), t, p.host, "", stage("greeting.txt"))
		require.Equal(t, accepted, p.say(answer{ID: p.one().ID, Answer: once}).Status)
		out := (<-done)[0]
		require.NoError(t, out.Err)
		require.False(t, out.Result.IsError, out.Result.Text())
	}
}

func TestAlwaysHereIsForAllThatFollow(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := newProgram(t, dir)
	done := begin(t.Context(), t, p.host, "", stage("greeting.txt"))
	c := p.one()
	n := number(t, c, "allow Bash(git add *) in localSettings")
	require.Equal(t, accepted, p.say(answer{ID: c.ID, Answer: always, N: n}).Status)
	require.NoError(t, (<-done)[0].Err)
	require.Contains(t, readProject(t, dir, ".claude/settings.local.json"), `"Bash(git add *)"`)

	for _, h := range []*host{p.host, startHost(t, dir, nil, nil)} { // the next session, too
		for _, agent := range []string{"", "helper"} {
			out := (<-begin(t.Context(), t, h, agent, stage(".")))[0]
			require.NoError(t, out.Err, "asks nobody")
			require.Equal(t, policy.ByRule, out.Decision.By)
		}
	}
}

func TestAlwaysSettlesWhatWaits(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "helper", write("a", ""), write("b", ""))
	cards := p.asked(2)
	a, b := cards["a"], cards["b"]
	require.Equal(t, accepted, p.say(answer{ID: a.ID, Answer: always, N: number(t, a, "mode acceptEdits")}).Status)
	require.Equal(t, message{ID: b.ID, Status: closed}, <-p.told)
	outs := <-done
	require.Equal(t, policy.ByPerson, outs[0].Decision.By)
	require.Equal(t, policy.ByMode, outs[1].Decision.By)
	require.Equal(t, stale, p.say(answer{ID: b.ID, Answer: deny}).Status)
}

func TestWhatCannotBeSavedHoldsForNow(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := newProgram(t, dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "project", ".claude"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project", ".claude", "settings.local.json"), []byte("{} // mine"), 0o600))
	done := begin(t.Context(), t, p.host, "", stage("greeting.txt"))
	c := p.one()
	m := p.say(answer{ID: c.ID, Answer: always, N: number(t, c, "allow Bash(git add *) in localSettings")})
	require.Equal(t, accepted, m.Status)
	require.Contains(t, m.Error, "applied but not saved")
	require.NoError(t, (<-done)[0].Err)
	require.NoError(t, (<-begin(t.Context(), t, p.host, "", stage("greeting.txt")))[0].Err)
}

// TestRefusedAnswers leave the question open, until one is accepted.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "", write("a", "the model's"))
	c := p.one()
	tests := []struct {
		name   string
		answer answer
		says   string
	}{
		{name: "no answer", says: `the answer is ""`},
		{name: "an answer that there is not", answer: answer{Answer: "yes"}, says: `the answer is "yes"`},
		{name: "no suggestion", answer: answer{Answer: always}, says: "suggestion 0 is not there"},
		{name: "a suggestion that there is not", answer: answer{Answer: always, N: len(c.Always) + 1}, says: "is not there; choose from 1 to"},
		{name: "no input", answer: answer{Answer: edit}, says: "the new input is missing"},
		{name: "an input of another tool", answer: answer{Answer: edit, Input: json.RawMessage(`{"command": "ls"}`)}, says: `unknown property "command"`},
		{name: "an input that is no object", answer: answer{Answer: edit, Input: json.RawMessage(`null`)}, says: "the changed input"},
	}
	for _, tc := range tests {
		tc.answer.ID = c.ID
		m := p.say(tc.answer)
		require.Equal(t, c.ID, m.ID, tc.name)
		require.Equal(t, refused, m.Status, tc.name)
		require.Contains(t, m.Error, tc.says, tc.name)
	}
	_, err := io.WriteString(p.said, "once\n")
	require.NoError(t, err)
	m := <-p.told
	require.Equal(t, refused, m.Status)
	require.Contains(t, m.Error, "not an answer")
	require.Equal(t, stale, p.say(answer{ID: "nobody's", Answer: once}).Status)

	require.Equal(t, accepted, p.say(answer{ID: c.ID, Answer: edit, Input: json.RawMessage(`{"file_path": "a", "content": "mine"}`)}).Status)
	require.NoError(t, (<-done)[0].Err)
	require.Equal(t, "mine", readProject(t, p.dir, "a"))
}

func TestDenyTellsTheModelWhy(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "", stage("greeting.txt"), write("a", ""))
	require.Equal(t, accepted, p.say(answer{ID: p.one().ID, Answer: deny, Reason: "not on a Friday"}).Status)
	require.Equal(t, accepted, p.say(answer{ID: p.one().ID, Answer: once}).Status)
	outs := <-done
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
	require.Contains(t, outs[0].Result.Text(), "not on a Friday")
	require.False(t, outs[0].StopTurn)
	require.NoError(t, outs[1].Err, "the turn goes on")
}

func TestStopEndsTheTurn(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "", write("a", ""), write("b", ""))
	cards := p.asked(2)
	require.Equal(t, accepted, p.say(answer{ID: cards["b"].ID, Answer: stop, Reason: "enough"}).Status)
	require.Equal(t, message{ID: cards["a"].ID, Status: closed}, <-p.told)
	outs := <-done
	require.Contains(t, outs[1].Result.Text(), "enough")
	require.True(t, outs[1].StopTurn)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrCancelled)
}

func TestAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	mine := begin(t.Context(), t, p.host, "", write("a", "1"), write("b", "2"))
	others := begin(t.Context(), t, p.host, "helper", write("c", "3"))
	cards := p.asked(3)
	for _, name := range []string{"c", "a", "b"} {
		require.Equal(t, accepted, p.say(answer{ID: cards[name].ID, Answer: once}).Status)
		if name == "c" {
			require.NoError(t, (<-others)[0].Err, "it waits for no other answer")
		}
	}
	for _, out := range <-mine {
		require.NoError(t, out.Err)
	}
}

func TestCancelledQuestionsAreClosed(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	ctx, cancel := context.WithCancelCause(t.Context())
	done := begin(ctx, t, p.host, "", write("a", ""))
	c := p.one()
	cancel(pegboard.ErrUserInterrupt)
	require.Equal(t, message{ID: c.ID, Status: closed}, <-p.told)
	m := p.say(answer{ID: c.ID, Answer: once})
	require.Equal(t, stale, m.Status)
	require.Equal(t, pegboard.ErrQuestionClosed.Error(), m.Error)
	require.ErrorIs(t, (<-done)[0].Err, pegboard.ErrCancelled)
	require.NoFileExists(t, filepath.Join(p.dir, "project", "a"))
}

func TestEndOfInputIsNoAnswer(t *testing.T) {
	t.Parallel()
	p := newProgram(t, newProject(t))
	done := begin(t.Context(), t, p.host, "", write("a", ""), write("b", ""))
	p.asked(2)
	require.NoError(t, p.said.Close())
	for range 2 {
		require.Equal(t, closed, (<-p.told).Status)
	}
	for _, out := range <-done {
		require.ErrorIs(t, out.Err, pegboard.ErrNoApprover)
	}
	out := begin(t.Context(), t, p.host, "", write("c", "")) // it still says what it would have asked
	require.Equal(t, message{ID: p.one().ID, Status: closed}, <-p.told)
	require.ErrorIs(t, (<-out)[0].Err, pegboard.ErrNoApprover)
}
