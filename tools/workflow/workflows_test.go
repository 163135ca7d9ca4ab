package workflow_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// realAgents returns agents with a loop.
func realAgents(t *testing.T, maxRunning int, loop agents.Loop) *agents.Agents {
	t.Helper()
	registry := new(pegboard.Registry)
	group, err := agents.New(agents.Options{
		Registry: registry, Loop: loop, MaxRunning: maxRunning,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{
				{Name: "general-purpose", Description: "For anything."},
				{Name: "watcher", Description: "Watches.", Background: true},
				{Name: "short", Description: "Asks once.", MaxTurns: 1},
			}
		},
	})
	require.NoError(t, err)
	require.NoError(t, registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "a view", nil },
	})))
	return group
}

func newSession(t *testing.T) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func finish(t *testing.T, s *pegboard.Session, l workflow.Launch) (background.Task, string) {
	t.Helper()
	task, err := background.Of(s).Wait(context.Background(), l.TaskID)
	require.NoError(t, err)
	text := ""
	for _, part := range background.Of(s).Notices(s) {
		text += part.Text
	}
	return task, text
}

// TestNotesOfAgents: that an agent was ended at a limit is in the report and in the output file, since
// its text does not say that it is incomplete.
func TestNotesOfAgents(t *testing.T) {
	t.Parallel()
	group := realAgents(t, 0, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		_, err := a.Next(ctx, agents.Usage{})
		if err == nil {
			_, err = a.Next(ctx, agents.Usage{})
		}
		return agents.Reply{Text: "half"}, err
	})
	w, err := workflow.New(workflow.Options{Agents: group})
	require.NoError(t, err)
	s := newSession(t)
	l, err := w.Start(t.Context(), s, workflow.Request{Script: "return (await Promise.all([...Array(22)].map(() => agent('a', {type: 'short'})))).join('')"})
	require.NoError(t, err)
	_, notice := finish(t, s, l)
	require.Contains(t, notice, "Note of agent 1 (a): It was ended at a limit, and what it wrote may not be complete: ")
	require.Contains(t, notice, "(maxTurns)")
	require.Contains(t, notice, "2 notes more are in "+l.OutputFile)
	require.Contains(t, notice, "Result:\n\"halfhalf")
	output, err := os.ReadFile(l.OutputFile)
	require.NoError(t, err)
	require.Contains(t, string(output), "agent 22 (a) notes: It was ended at a limit")
}

func TestRealAgents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, want string
	}{
		{name: "text", script: "return agent('a')", want: "Result:\n\"A\""},
		{name: "schema", script: "return (await agent('a', {schema: {type: 'object'}})).said", want: "Result:\n\"a\""},
		{name: "type that runs in the background elsewhere", script: "return agent('a', {type: 'watcher'})", want: "Result:\n\"A\""},
		{name: "unknown type", script: "return agent('a', {type: 'nobody'})", want: "there is no such type of agent"},
		{name: "bad effort", script: "return agent('a', {effort: 'huge'})", want: "use one of low, medium, high"},
		{name: "failure", script: "return agent('fail')", want: "To go on from here, mend the cause and call Workflow with resumeFromRunId \"wf-"},
		{name: "null", script: "return parallel([() => agent('fail'), () => agent('b')])", want: "1 failed and gave null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, err := workflow.New(workflow.Options{Agents: realAgents(t, 0, shout)})
			require.NoError(t, err)
			s := newSession(t)
			l, err := w.Start(t.Context(), s, workflow.Request{Script: test.script})
			require.NoError(t, err)
			_, notice := finish(t, s, l)
			require.Contains(t, notice, test.want)
			require.Equal(t, 1, strings.Count(notice, "Workflow workflow, run "))
		})
	}
}

// TestRunWaitsForPlaces has fewer places for agents in the conversation than the run may use.
func TestRunWaitsForPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		w, err := workflow.New(workflow.Options{Agents: realAgents(t, 2, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(3300 * time.Millisecond)
			return shout(ctx, a)
		})})
		require.NoError(t, err)
		s := newSession(t)
		began := time.Now()
		l, err := w.Start(t.Context(), s, workflow.Request{Script: "return parallel([1, 2, 3, 4, 5, 6].map(i => () => agent('n' + i)))"})
		require.NoError(t, err)
		_, notice := finish(t, s, l)
		require.Contains(t, notice, `["N1","N2","N3","N4","N5","N6"]`)
		require.EqualValues(t, 2, most.Load())
		require.Equal(t, 3*3300*time.Millisecond, time.Since(began), "a place is taken when it becomes free")
		require.NoError(t, s.Close(context.Background()))
	})
}

func TestStop(t *testing.T) { //nolint:tparallel // they measure time
	t.Parallel()
	deaf := make(chan struct{})
	defer close(deaf)
	for _, test := range []struct {
		name, script string
		deaf         bool
	}{
		{name: "agents", script: "return parallel([1, 2, 3].map(i => () => agent('wait ' + i)))"},
		{name: "agents that are deaf", script: "return agent('deaf')", deaf: true},
		{name: "endless loop", script: "for (;;) {}"},
		{name: "endless loop inside", script: "return workflow('loop')"},
		{name: "built-in function that goes on", script: "Array.prototype.indexOf.call({length: 3e7}, 1)"},
		{name: "endless sort", script: "[1, 2].sort(() => { for (;;) {} })"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := workflow.New(workflow.Options{
				Named: []workflow.Named{{Name: "loop", Script: "for (;;) {}"}},
				Agents: realAgents(t, 0, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					if test.deaf {
						<-deaf
					}
					return shout(ctx, a)
				}),
			})
			require.NoError(t, err)
			s := newSession(t)
			l, err := w.Start(t.Context(), s, workflow.Request{Script: test.script})
			require.NoError(t, err)
			time.Sleep(50 * time.Millisecond)
			began := time.Now()
			task, err := background.Of(s).Stop(t.Context(), l.TaskID)
			require.NoError(t, err)
			require.Equal(t, background.Killed, task.State)
			require.Contains(t, task.Err, "stopped on request")
			require.Less(t, time.Since(began), workflow.MaxCompute, "which ends it otherwise")
		})
	}
}

// TestClose closes a session while runs go on; one of their functions does not return.
func TestClose(t *testing.T) {
	t.Parallel()
	called, deaf := make(chan struct{}), make(chan struct{})
	var after atomic.Int64
	w, err := workflow.New(workflow.Options{
		Agents: realAgents(t, 0, shout),
		Named: []workflow.Named{{Name: "deaf", Run: func(ctx context.Context, r *workflow.Run) (any, error) {
			close(called)
			<-deaf
			if _, err := r.Agent(ctx, "x", workflow.AgentOptions{}); err == nil {
				after.Add(1)
			}
			return "x", nil
		}}},
	})
	require.NoError(t, err)
	s := newSession(t)
	_, err = w.Start(t.Context(), s, workflow.Request{Script: "for (;;) await agent('x')"})
	require.NoError(t, err)
	l, err := w.Start(t.Context(), s, workflow.Request{Name: "deaf"})
	require.NoError(t, err)
	<-called
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err = s.Close(ctx)
	require.ErrorContains(t, err, "run "+l.RunID+" of workflow deaf goes on")
	close(deaf)
	require.NoError(t, s.Close(t.Context()))
	require.Zero(t, after.Load())
	_, err = w.Start(t.Context(), s, workflow.Request{Script: "return 1"})
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

func TestMaxTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, err := workflow.New(workflow.Options{Agents: realAgents(t, 0, shout)})
		require.NoError(t, err)
		s := newSession(t)
		began := time.Now()
		l, err := w.Start(t.Context(), s, workflow.Request{Script: "return agent('wait')"})
		require.NoError(t, err)
		task, _ := finish(t, s, l)
		require.Contains(t, task.Err, "the time of the run is over: 12h0m0s")
		require.Equal(t, workflow.DefaultMaxTime, time.Since(began))
		require.NoError(t, s.Close(context.Background()))
	})
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	group := realAgents(t, 0, shout)
	run := func(context.Context, *workflow.Run) (any, error) { return 1, nil }
	for _, test := range []struct {
		name    string
		options workflow.Options
		want    string
	}{
		{name: "no agents", want: "Options.Agents is required"},
		{name: "relative directory", options: workflow.Options{Agents: group, Dir: "x"}, want: "must be an absolute path"},
		{name: "negative", options: workflow.Options{Agents: group, MaxAgents: -1}, want: "cannot be negative"},
		{name: "no name", options: workflow.Options{Agents: group, Named: []workflow.Named{{Run: run}}}, want: "needs a name"},
		{name: "nothing", options: workflow.Options{Agents: group, Named: []workflow.Named{{Name: "a"}}}, want: "set one of Script and Run"},
		{name: "both", options: workflow.Options{Agents: group, Named: []workflow.Named{{Name: "a", Run: run, Script: "1"}}}, want: "set one of Script and Run"},
		{name: "twice", options: workflow.Options{Agents: group, Named: []workflow.Named{{Name: "a", Run: run}, {Name: "a", Run: run}}}, want: "two workflows have the name a"},
		{name: "wrong script", options: workflow.Options{Agents: group, Named: []workflow.Named{{Name: "a", Script: "("}}}, want: "workflow a: the workflow's script is no JavaScript"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := workflow.New(test.options)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestResume goes on in the same program, with and without a directory.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "new", "runs")} {
		var asked atomic.Int64
		w, err := workflow.New(workflow.Options{Dir: dir, Agents: realAgents(t, 0, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			asked.Add(1)
			return shout(ctx, a)
		})})
		require.NoError(t, err)
		s := newSession(t)
		start := func(r workflow.Request) (workflow.Launch, string) {
			l, err := w.Start(t.Context(), s, r)
			require.NoError(t, err)
			_, notice := finish(t, s, l)
			return l, notice
		}
		first, notice := start(workflow.Request{Args: json.RawMessage(`"ok"`), Script: "const a = await agent('a' + args); return a + await agent('fail')"})
		require.Contains(t, notice, "no idea")
		require.Equal(t, dir != "", first.ScriptPath != "")
		second, notice := start(workflow.Request{Resume: first.RunID})
		require.Contains(t, notice, "no idea")
		require.Contains(t, notice, "2 agents, 1 with the result from run "+first.RunID)
		_, notice = start(workflow.Request{Resume: second.RunID, Script: "const a = await agent('a' + args); return a + await agent('b')"})
		require.Contains(t, notice, `"AOKB"`)
		require.EqualValues(t, 4, asked.Load())
		_, err = w.Start(t.Context(), s, workflow.Request{Resume: "wf-22222222"})
		require.ErrorIs(t, err, workflow.ErrUnknownRun)
		require.ErrorContains(t, err, first.RunID)
		long, err := w.Start(t.Context(), s, workflow.Request{Script: "return agent('wait')"})
		require.NoError(t, err)
		_, err = w.Start(t.Context(), s, workflow.Request{Resume: long.RunID})
		require.ErrorContains(t, err, "is still running; wait for its end, or end it with TaskStop first")
	}
}

func TestCorruptJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workflow.NewWith(workflow.Options{Dir: dir}, echo)
	s := newSession(t)
	l, err := w.Start(t.Context(), s, workflow.Request{Script: "return [await agent('a'), await agent('b')]"})
	require.NoError(t, err)
	finish(t, s, l)
	path := filepath.Join(dir, l.RunID+".jsonl")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for i := range lines[:len(lines)-2] {
		damaged := bytes.Clone(whole)
		copy(damaged[len(bytes.Join(lines[:i], nil)):], "\x00\x00\x00")
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, err := w.Start(t.Context(), s, workflow.Request{Resume: l.RunID})
		require.ErrorIs(t, err, workflow.ErrCorrupt, "line %d", i+1)
		require.ErrorContains(t, err, "it was set aside as "+path+".")
		require.NoFileExists(t, path)
	}
	aside, err := filepath.Glob(path + ".*.corrupt")
	require.NoError(t, err)
	require.Len(t, aside, len(lines)-2)
}

// TestJournalOfAnotherVersion leaves the journal of a later program where it is.
func TestJournalOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workflow.NewWith(workflow.Options{Dir: dir}, echo)
	s := newSession(t)
	path := filepath.Join(dir, "wf-aaaaaaaa.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"version":2,"run":"wf-aaaaaaaa","script":["return 1"]}`+"\n"), 0o600))
	_, err := w.Start(t.Context(), s, workflow.Request{Resume: "wf-aaaaaaaa"})
	require.ErrorContains(t, err, "is of version 2, and this program reads version 1; start the workflow again without resumeFromRunId")
	require.FileExists(t, path)
}

// TestFullDisk has a journal that cannot be written. The run goes on and says so.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("the system has no device that is always full")
	}
	e := workflow.Engine{Start: echo}
	got, incomplete, err := e.ScriptOnFullDisk(t.Context(), "return [await agent('a'), await agent('b')]")
	require.NoError(t, err)
	require.Equal(t, `["a","b"]`, got)
	require.ErrorContains(t, incomplete, "no space left")
}

const killedScript = `
	const all = await pipeline(Array.from({length: 30}, (_, i) => i), i => agent("a" + i), (x, i) => agent(x + "b" + i))
	return await agent("end " + all.join())`

// TestKilledProgram kills the program of a run with SIGKILL at random moments and goes on
// from its journal.
func TestKilledProgram(t *testing.T) {
	if dir := os.Getenv("PEGBOARD_TEST_WORKFLOW_DIR"); dir != "" {
		beKilled(t, dir)
		return
	}
	t.Parallel()
	replayed := 0
	for i := 0; i < 8 || replayed == 0 && i < 100; i++ { // on a busy machine a program has done nothing so soon
		dir := t.TempDir()
		command := exec.Command(os.Args[0], "-test.run=^TestKilledProgram$")                         //nolint:gosec // this program
		command.Env = append(os.Environ(), "PEGBOARD_TEST_WORKFLOW_DIR="+dir, "TMPDIR="+t.TempDir()) // the killed program leaves files
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		scanner := bufio.NewScanner(out)
		require.True(t, scanner.Scan())
		run := scanner.Text()
		time.Sleep(time.Duration(i*13) * time.Millisecond)
		require.NoError(t, command.Process.Kill())
		_ = command.Wait()

		var again atomic.Int64
		w := workflow.NewWith(workflow.Options{Dir: dir}, func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
			again.Add(1)
			return echo(ctx, r)
		})
		s := newSession(t)
		l, err := w.Start(t.Context(), s, workflow.Request{Resume: run})
		require.NoError(t, err)
		_, notice := finish(t, s, l)
		var want []string
		for n := range 30 {
			want = append(want, fmt.Sprintf("a%db%d", n, n))
		}
		require.Contains(t, notice, `"end `+strings.Join(want, ",")+`"`)
		require.Contains(t, notice, ": 61 agents")
		replayed += 61 - int(again.Load())
	}
	require.Positive(t, replayed)
}

func beKilled(t *testing.T, dir string) {
	t.Helper()
	w := workflow.NewWith(workflow.Options{Dir: dir}, func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
		time.Sleep(3 * time.Millisecond)
		return echo(ctx, r)
	})
	l, err := w.Start(t.Context(), newSession(t), workflow.Request{Script: killedScript})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(l.RunID)
	time.Sleep(time.Minute)
	t.Fatal(errors.New("it was not killed"))
}
