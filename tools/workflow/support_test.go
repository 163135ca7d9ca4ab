package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// A scene is a session with the Workflow tool, and a person who answers.
type scene struct {
	t       *testing.T
	dir     string
	session *pegboard.Session
	pool    *pegboard.Pool

	mu     sync.Mutex
	answer policy.Behavior
	asked  []*pegboard.Question
}

// newScene returns a scene in the default mode with rules.
func newScene(t *testing.T, w *workflow.Workflows, rules policy.RuleSet) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &scene{t: t, dir: dir, answer: policy.Allow}
	perms, err := policy.New(policy.ModeDefault, rules)
	require.NoError(t, err)
	s.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms, Ask: s.ask})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.session.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(w.Tool()))
	s.pool = r.AssemblePool(s.session, pegboard.PoolConfig{})
	return s
}

func (s *scene) ask(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	return policy.Decision{Behavior: s.answer}, nil
}

// call calls the tool.
func (s *scene) call(input map[string]any) pegboard.Outcome {
	s.t.Helper()
	var e pegboard.Executor
	return e.Run(s.t.Context(), s.pool, pegboard.Call{ID: "1", Name: "Workflow", Input: json.RawMessage(mustJSON(input))})[0]
}

// start calls the tool, which must succeed.
func (s *scene) start(input map[string]any) workflow.Launch {
	s.t.Helper()
	return launchOf(s.t, s.call(input))
}

func launchOf(t *testing.T, out pegboard.Outcome) workflow.Launch {
	t.Helper()
	require.NoError(t, out.Err, out.Result.Text())
	launch, ok := out.Result.Data.(workflow.Launch)
	require.True(t, ok)
	return launch
}

// end waits for a run, and returns its task and the notice of its end.
func (s *scene) end(l workflow.Launch) (background.Task, string) {
	s.t.Helper()
	task, err := background.Of(s.session).Wait(s.t.Context(), l.TaskID)
	require.NoError(s.t, err)
	text := ""
	for _, part := range background.Of(s.session).Notices(s.session) {
		text += part.Text
	}
	return task, text
}

func (s *scene) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// shout is the loop of an agent that needs no model: it answers with its task in capital
// letters, or as the task says.
func shout(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	parts, err := a.Next(ctx, agents.Usage{Input: 10})
	if err != nil {
		return agents.Reply{}, err
	}
	prompt := parts[0].Text
	switch {
	case strings.HasPrefix(prompt, "fail"):
		return agents.Reply{}, errors.New("no idea")
	case strings.HasPrefix(prompt, "wait"):
		<-ctx.Done()
		return agents.Reply{}, context.Cause(ctx)
	case a.Schema != nil:
		return agents.Reply{Structured: json.RawMessage(`{"said": ` + mustJSON(prompt) + `}`)}, nil
	}
	return agents.Reply{Text: strings.ToUpper(prompt)}, nil
}

func lastLine(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

// runExample runs a function as a workflow of a host and returns its result.
func runExample(f workflow.Func) string {
	group, _, session := shouting()
	defer func() { _ = session.Close(context.Background()) }()
	workflows, err := workflow.New(workflow.Options{Agents: group, Named: []workflow.Named{
		{Name: "outer", Run: f},
		{Name: "inner", Script: "return await agent(args)"},
	}})
	if err != nil {
		return err.Error()
	}
	launch, err := workflows.Start(context.Background(), session, workflow.Request{Name: "outer"})
	if err != nil {
		return err.Error()
	}
	if _, err := background.Of(session).Wait(context.Background(), launch.TaskID); err != nil {
		return err.Error()
	}
	return lastLine(background.Of(session).Notices(session)[0].Text)
}
