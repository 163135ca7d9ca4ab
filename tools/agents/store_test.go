package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// counts returns a loop that begins with its history and appends what it reads and an answer.
func counts(s *story) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{Input: 5})
		if err != nil {
			return agents.Reply{}, err
		}
		mode := a.Session.Permissions().Mode()
		s.add(fmt.Sprintf("%s %s %v %v: %d messages before", a.Name, a.Type, mode, a.Session.Role(), len(a.History())))
		return agents.Reply{Text: "Answer."}, a.Append(userMessage(parts), modelMessage(tooltest.Turn{Text: "Answer."}))
	}
}

// sendMessage calls SendMessage and waits until no agent is running.
func (h *house) sendMessage(t *testing.T, to string) pegboard.Outcome {
	t.Helper()
	in, err := json.Marshal(map[string]string{"to": to, "message": "And now?", "summary": "more"})
	require.NoError(t, err)
	out := h.run(t.Context(), pegboard.Call{ID: "send", Name: "SendMessage", Input: in})[0]
	require.Eventually(t, func() bool {
		for _, s := range h.agents.List(h.session) {
			if s.State == agents.Running {
				return false
			}
		}
		return true
	}, time.Minute, time.Millisecond)
	return out
}

// TestAgentsOutlastTheProgram: a conversation that is opened again has its agents, and each goes
// on with its history, its mode and its type.
func TestAgentsOutlastTheProgram(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), t.TempDir()
	keep := func(o *agents.Options) { o.Dir, o.MaxTokens = dir, 100 }
	var first, second story
	h := newHouse(t, pegboard.SessionConfig{Dir: project}, counts(&first), keep, look())
	waited, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna", Mode: policy.ModePlan})
	require.NoError(t, err)
	oneShot, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Type: "looker"})
	require.NoError(t, err)
	require.Contains(t, readFile(t, filepath.Join(dir, "agents", waited.AgentID+".jsonl")), "Answer.")
	require.NoError(t, h.session.Close(t.Context()))

	h = newHouse(t, pegboard.SessionConfig{Dir: project}, counts(&second), keep, look())
	list := h.agents.List(h.session)
	require.Len(t, list, 2)
	require.Equal(t, []string{waited.AgentID, "anna", "completed"}, []string{list[0].ID, list[0].Name, string(list[0].State)})
	require.Equal(t, 5, list[0].Usage.Input)
	out := h.sendMessage(t, "anna")
	require.NoError(t, out.Err, out.Result.Text())
	require.Equal(t, []string{"anna general-purpose plan async agent: 2 messages before"}, second.all())
	out = h.sendMessage(t, waited.AgentID)
	require.NoError(t, out.Err)
	require.Equal(t, "anna general-purpose plan async agent: 4 messages before", second.all()[1])
	require.Error(t, h.sendMessage(t, oneShot.AgentID).Err)
	told := ""
	require.Eventually(t, func() bool {
		told += strings.Join(news(h.session), "\n")
		return strings.Count(told, "completed") == 2
	}, time.Minute, time.Millisecond, "both ends are told")
	require.Equal(t, 6, strings.Count(readFile(t, filepath.Join(dir, "agents", waited.AgentID+".jsonl")), "\n"))
	files, err := filepath.Glob(filepath.Join(dir, "agents", "*"))
	require.NoError(t, err)
	require.Len(t, files, 4, "two of each agent, and nothing else")
}

// TestStoppedByUserStays: an agent that the user has stopped does not go on, neither in this
// program nor in a later one.
func TestStoppedByUserStays(t *testing.T) {
	t.Parallel()
	dir, next := t.TempDir(), make(chan string)
	keep := func(o *agents.Options) { o.Dir = dir }
	h := newHouse(t, pegboard.SessionConfig{}, steps(next), keep, look())
	r, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: true})
	require.NoError(t, err)
	next <- "Half."
	require.NoError(t, h.agents.Stop(h.session, r.AgentID))
	for range 2 {
		out := h.sendMessage(t, r.AgentID)
		require.ErrorIs(t, out.Err, agents.ErrNotResumed)
		require.Contains(t, out.Result.Text(), "the user has stopped")
		require.NoError(t, h.session.Close(t.Context()))
		h = newHouse(t, pegboard.SessionConfig{}, steps(next), keep, look())
	}
}

// TestCorruptFilesOfAgents: a file that cannot be read is set aside and told, and the rest goes on.
func TestCorruptFilesOfAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(o *agents.Options) { o.Dir = dir }
	var s story
	h := newHouse(t, pegboard.SessionConfig{}, counts(&s), keep, look())
	var ids []string
	for range 5 {
		r, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"})
		require.NoError(t, err)
		ids = append(ids, r.AgentID)
	}
	require.NoError(t, h.session.Close(t.Context()))
	at := func(id, suffix string) string { return filepath.Join(dir, "agents", id+suffix) }
	require.NoError(t, os.WriteFile(at(ids[0], ".json"), []byte(`{"version": 1, "agent"`), 0o600))
	require.NoError(t, os.WriteFile(at(ids[1], ".jsonl"), []byte("{}\nnot JSON\n{}\n"), 0o600))
	whole := readFile(t, at(ids[2], ".jsonl"))
	require.NoError(t, os.WriteFile(at(ids[2], ".jsonl"), []byte(whole+`{"role": "assis`), 0o600))
	require.NoError(t, os.WriteFile(at(ids[3], ".json"), []byte(strings.Replace(readFile(t, at(ids[3], ".json")), `"mode": "default"`, `"mode": "yolo"`, 1)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "agents", ids[0]+"-x.tmp"), []byte("half"), 0o600))

	h = newHouse(t, pegboard.SessionConfig{}, counts(&s), keep, look())
	require.Len(t, h.agents.List(h.session), 3)
	told := strings.Join(news(h.session), "\n")
	for _, id := range []string{ids[0], ids[3]} {
		require.Contains(t, told, id+".json cannot be read and was set aside as ")
	}
	out := h.sendMessage(t, ids[1])
	require.ErrorIs(t, out.Err, agents.ErrNotResumed)
	require.Contains(t, out.Result.Text(), ".corrupt")
	require.NoError(t, h.sendMessage(t, ids[2]).Err)
	require.True(t, strings.HasPrefix(readFile(t, at(ids[2], ".jsonl")), whole+`{"`), "the torn line is cut off")
	require.NotContains(t, readFile(t, at(ids[2], ".jsonl")), "assis\n")
	require.NoError(t, h.sendMessage(t, ids[4]).Err)
	aside, err := filepath.Glob(filepath.Join(dir, "agents", "*.corrupt"))
	require.NoError(t, err)
	require.Len(t, aside, 3)
	require.NoFileExists(t, filepath.Join(dir, "agents", ids[0]+"-x.tmp"))
}

// TestAppendFails: a message that cannot be kept fails the Append.
func TestAppendFails(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		var after *agents.Agent
		h := newHouse(t, pegboard.SessionConfig{}, func(_ context.Context, a *agents.Agent) (agents.Reply, error) {
			after = a
			return agents.Reply{Text: "x"}, errors.Join(a.Append(modelMessage(tooltest.Turn{Text: "Whole."})), a.Append(json.RawMessage(`{"role":`)))
		}, func(o *agents.Options) {
			if kept {
				o.Dir = t.TempDir()
			}
		}, look())
		out := h.call(t, nil)
		require.Error(t, out.Err)
		require.Contains(t, out.Result.Text(), "message 1 of 1 is not JSON")
		require.Len(t, after.History(), 1)
		require.ErrorIs(t, after.Append(modelMessage(tooltest.Turn{Text: "late"})), agents.ErrEnded)
	}
	file := writeFile(t, t.TempDir(), "file", "")
	h := newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = filepath.Join(file, "below") }, look())
	require.ErrorContains(t, h.call(t, nil).Err, "the directory of agents")
}

// killedDir names the directory in the environment of a program that is killed.
const killedDir = "PEGBOARD_KILLED_AGENTS"

// TestKilledConversation kills a program with three agents at random points. When the conversation
// is opened again, every agent is there, has every message whose Append has returned, and goes on.
func TestKilledConversation(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		runUntilKilled(t, dir)
		return
	}
	t.Parallel()
	for seed := range effort.Of(t, uint64(40)) {
		dir := t.TempDir()
		r := rand.New(rand.NewPCG(seed, 9))
		known := killAfter(t, dir, 1+r.IntN(400))
		var s story
		h := newHouse(t, pegboard.SessionConfig{}, counts(&s), func(o *agents.Options) { o.Dir = dir }, look())
		list := h.agents.List(h.session)
		require.LessOrEqual(t, len(known), len(list))
		for _, status := range list {
			require.Equal(t, agents.Lost, status.State)
			require.NoError(t, h.sendMessage(t, status.ID).Err)
			lines := s.all()
			var before int
			_, err := fmt.Sscanf(lines[len(lines)-1][strings.Index(lines[len(lines)-1], ": ")+2:], "%d messages", &before)
			require.NoError(t, err)
			require.GreaterOrEqual(t, before, known[status.ID], "seed %d", seed)
		}
		require.Empty(t, strings.Join(told(news(h.session), "cannot be read"), "\n"))
		require.NoError(t, h.session.Close(t.Context()))
	}
}

func told(texts []string, what string) (found []string) {
	for _, text := range texts {
		if strings.Contains(text, what) {
			found = append(found, text)
		}
	}
	return found
}

// runUntilKilled runs three agents that append messages, and prints each that was kept.
func runUntilKilled(t *testing.T, dir string) {
	t.Helper()
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		for n := 1; ; n++ {
			if _, err := a.Next(ctx, agents.Usage{}); err != nil {
				return agents.Reply{}, err
			}
			if err := a.Append(modelMessage(tooltest.Turn{Text: strings.Repeat("word ", n%300)})); err != nil {
				return agents.Reply{}, err
			}
			fmt.Printf("kept %s %d\n", a.ID, n)
		}
	}, func(o *agents.Options) { o.Dir = dir }, look())
	for range 3 {
		_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: true})
		require.NoError(t, err)
	}
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // until the test kills this process
}

// killAfter runs the program, kills it after some messages, and returns how many of each agent
// were kept.
func killAfter(t *testing.T, dir string, messages int) map[string]int {
	t.Helper()
	cmd := child(t, killedDir, dir, "-test.v") // then the reason of a failure comes before its end
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = in.Close() }()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	known := map[string]int{}
	var words []string // whatever else it says
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var id string
		var n int
		if _, err := fmt.Sscanf(lines.Text(), "kept %s %d", &id, &n); err != nil {
			words = append(words, lines.Text())
			continue
		}
		known[id] = n
		if messages--; messages == 0 {
			require.NoError(t, cmd.Process.Kill())
		}
	}
	require.ErrorContains(t, cmd.Wait(), "killed", "%s", strings.Join(words, "\n"))
	return known
}

// TestResumeWithoutHistory: an agent that has ended before its conversation had a message is told
// its task again. One whose conversation is gone does not go on without it.
func TestResumeWithoutHistory(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		down := true
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			parts, err := a.Next(ctx, agents.Usage{})
			if err != nil || down {
				return agents.Reply{}, errors.Join(err, errDown)
			}
			return agents.Reply{Text: "I have read: " + string(userMessage(parts))}, nil
		}, func(o *agents.Options) { o.Dir = dir }, look())
		require.ErrorIs(t, h.call(t, map[string]any{"name": "anna", "prompt": "Count the files."}).Err, errDown)
		down = false
		require.NoError(t, h.sendMessage(t, "anna").Err)
		told := ""
		require.Eventually(t, func() bool { told += strings.Join(news(h.session), "\n"); return told != "" }, time.Minute, time.Millisecond)
		require.Contains(t, told, "Count the files.")
		require.Contains(t, told, "And now?")
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, "agents", h.agents.List(h.session)[0].ID+".jsonl")
		require.NoError(t, os.WriteFile(path, []byte("{\n"), 0o600))
		for range 2 {
			out := h.sendMessage(t, "anna")
			require.ErrorIs(t, out.Err, agents.ErrNotResumed)
			require.Contains(t, out.Result.Text(), "start a new one")
		}
	}
}
