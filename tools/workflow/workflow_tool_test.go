package workflow_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

const reviewScript = `export const meta = { name: "review", description: "Reviews two files", phases: ["Find", "Check"] }
phase("Find")
const found = await pipeline(args, f => agent("read " + f))
log("found", found.length)
phase("Check")
return await agent("check " + found.join())`

func TestWorkflowRunsInTheBackground(t *testing.T) {
	t.Parallel()
	s := newScene(t, workflow.NewWith(workflow.Options{}, echo), policy.RuleSet{})
	l := s.start(map[string]any{"script": reviewScript, "args": []string{"a", "b"}})
	require.Equal(t, workflow.StatusLaunched, l.Status)
	require.Equal(t, "review", l.WorkflowName)
	require.Equal(t, "Reviews two files", l.Summary)
	task, notice := s.end(l)
	require.Equal(t, background.Completed, task.State)
	require.Equal(t, "workflow", task.Kind)
	require.Contains(t, notice, "Workflow review, run "+l.RunID+": 3 agents, 0 tokens.\nResult:\n\"check read a,read b\"")
	output, err := os.ReadFile(l.OutputFile)
	require.NoError(t, err)
	for _, line := range []string{
		"phase: Find\n", "[Find] agent 1 (read a) started\n", "[Find] agent 2 (read b) completed in ", "log: found 2\n",
		"[Check] agent 3 (check read a,read b) started\n", "Result:\n",
	} {
		require.Contains(t, string(output), line)
	}
}

func TestWorkflowIsApproved(t *testing.T) {
	t.Parallel()
	named := workflow.Named{Name: "nightly", Description: "What runs at night", Phases: []string{"One"}, Script: "return 1"}
	denied := workflow.Named{Name: "secret", Script: "return 'told'"}
	for _, test := range []struct {
		name  string
		rules policy.RuleSet
		input map[string]any
		asked bool
		err   string // of the call
		end   string // of the run
	}{
		{name: "script", input: map[string]any{"script": "return 1"}, asked: true, end: "Result:\n1"},
		{name: "named", input: map[string]any{"name": "nightly"}, asked: true, end: "Result:\n1"},
		{name: "rule for all", rules: policy.RuleSet{Allow: []string{"Workflow"}}, input: map[string]any{"script": "return 1"}, end: "Result:\n1"},
		{name: "rule for the name", rules: policy.RuleSet{Allow: []string{"Workflow(nightly)"}}, input: map[string]any{"name": "nightly"}, end: "Result:\n1"},
		{
			name: "rule for the name and a script that calls itself so", rules: policy.RuleSet{Allow: []string{"Workflow(nightly)"}},
			input: map[string]any{"script": "const meta = {name: 'nightly'}; return 2", "title": "nightly"}, asked: true, end: "Result:\n2",
		},
		{name: "deny rule", rules: policy.RuleSet{Deny: []string{"Workflow(secret)"}}, input: map[string]any{"name": "secret"}, err: "Workflow(secret)"},
		{
			name: "deny rule inside", rules: policy.RuleSet{Deny: []string{"Workflow(secret)"}},
			input: map[string]any{"script": "return workflow('secret')"}, asked: true, end: "workflow secret cannot be started from inside another",
		},
		{
			name: "ask rule inside", rules: policy.RuleSet{Ask: []string{"Workflow(secret)"}},
			input: map[string]any{"name": "nightly"}, asked: true, end: "Result:\n1",
		},
		{name: "inside", input: map[string]any{"script": "return workflow('secret')"}, asked: true, end: "Result:\n\"told\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := workflow.NewWith(workflow.Options{Named: []workflow.Named{named, denied}}, echo)
			s := newScene(t, w, test.rules)
			out := s.call(test.input)
			require.Len(t, s.asked, map[bool]int{true: 1}[test.asked], out.Result.Text())
			if test.err != "" {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Contains(t, out.Result.Text(), test.err)
				return
			}
			require.NoError(t, out.Err, out.Result.Text())
			_, notice := s.end(launchOf(t, out))
			require.Contains(t, notice, test.end)
		})
	}
}

func TestPersonSeesTheScript(t *testing.T) {
	t.Parallel()
	s := newScene(t, workflow.NewWith(workflow.Options{}, echo), policy.RuleSet{})
	path := s.write("plan.js", reviewScript)
	for _, input := range []map[string]any{{"script": reviewScript, "args": []string{}}, {"scriptPath": path, "args": []string{}}} {
		s.asked = nil
		_, notice := s.end(s.start(input))
		require.Contains(t, notice, "Result:\n\"check \"")
		require.Len(t, s.asked, 1)
		q := s.asked[0]
		require.Equal(t, "Run workflow review (Find, Check)", q.Call.View().Before)
		diffs, err := q.Preview(t.Context())
		require.NoError(t, err)
		require.Len(t, diffs, 1)
		require.True(t, diffs[0].New)
		require.Equal(t, strings.Count(reviewScript, "\n")+1, strings.Count(diffs[0].Unified(), "\n+"))
	}
}

// TestApprovedScriptRuns changes the file while the person is asked.
func TestApprovedScriptRuns(t *testing.T) {
	t.Parallel()
	s := newScene(t, workflow.NewWith(workflow.Options{}, echo), policy.RuleSet{})
	path := s.write("plan.js", "return 'approved'")
	s.session.OnClose("nothing", func(context.Context) error { return nil })
	out := func() pegboard.Outcome {
		s.mu.Lock()
		defer s.mu.Unlock()
		done := make(chan pegboard.Outcome)
		go func() { done <- s.call(map[string]any{"scriptPath": path}) }()
		for len(s.session.Questions()) == 0 {
			select {
			case out := <-done:
				return out
			default:
			}
		}
		require.NoError(t, os.WriteFile(path, []byte("return 'changed'"), 0o600))
		s.mu.Unlock()
		defer s.mu.Lock()
		return <-done
	}()
	require.NoError(t, out.Err, out.Result.Text())
	_, notice := s.end(launchOf(t, out))
	require.Contains(t, notice, `"approved"`)
}

// TestPreviewNamesAreHarmless has a title that would change what stands on a screen.
func TestPreviewNamesAreHarmless(t *testing.T) {
	t.Parallel()
	s := newScene(t, workflow.NewWith(workflow.Options{}, echo), policy.RuleSet{})
	s.end(s.start(map[string]any{"script": "return 1", "title": "a\x1b[2Jb\u202ec/../d\nsecond"}))
	diffs, err := s.asked[0].Preview(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.dir, "workflow-a-[2Jb-c-..-d second.js"), diffs[0].Path)
}

// TestStoppedAgentsAreTold fails while agents are running and one waits.
func TestStoppedAgentsAreTold(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}) // slow has
	w := workflow.NewWith(workflow.Options{MaxRunning: 2}, func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
		if r.Prompt == "slow" {
			close(begun)
		}
		if r.Prompt != "quick" {
			<-ctx.Done()
			if r.Prompt == "slow" {
				return workflow.AgentResult{Tokens: 70}, context.Cause(ctx)
			}
			return workflow.AgentResult{}, context.Cause(ctx)
		}
		<-begun
		return workflow.AgentResult{Text: "x"}, nil
	})
	s := newScene(t, w, policy.RuleSet{})
	l := s.start(map[string]any{"script": "agent('slow'); await agent('quick'); agent('late'); agent('later'); throw new Error('oh')"})
	_, notice := s.end(l)
	require.Contains(t, notice, "Error: oh")
	require.Contains(t, notice, "4 agents, 70 tokens")
	output, err := os.ReadFile(l.OutputFile)
	require.NoError(t, err)
	for _, line := range []string{"agent 1 (slow) was stopped\n", "agent 3 (late) was stopped\n", "1 agent more had not been started\n"} {
		require.Contains(t, string(output), line)
	}
}

func TestBadCalls(t *testing.T) { //nolint:tparallel // the calls share a session
	t.Parallel()
	w := workflow.NewWith(workflow.Options{Named: []workflow.Named{{Name: "nightly", Script: "return 1"}}}, echo)
	s := newScene(t, w, policy.RuleSet{Deny: []string{"Read(./secret.js)"}})
	s.write("secret.js", "return 'secret'")
	s.write("wrong.js", "return (")
	s.write("long.js", "return 1"+strings.Repeat(" ", workflow.MaxScript))
	for _, test := range []struct {
		name  string
		input map[string]any
		want  string
	}{
		{name: "nothing", input: map[string]any{}, want: "nothing to run: send script, name or scriptPath"},
		{name: "two sources", input: map[string]any{"script": "1", "name": "nightly"}, want: "exclude each other"},
		{name: "empty script", input: map[string]any{"script": " "}, want: "the workflow's script is empty"},
		{name: "syntax", input: map[string]any{"script": "return ("}, want: "is no JavaScript that runs here: line 2"},
		{name: "long", input: map[string]any{"script": strings.Repeat("1;", workflow.MaxScript)}, want: "has 524288 bytes, at most 262144"},
		{name: "unknown name", input: map[string]any{"name": "nightyl"}, want: `no workflow has the name "nightyl"; did you mean nightly`},
		{name: "unknown run", input: map[string]any{"resumeFromRunId": "wf-aaaaaaaa"}, want: `no run of a workflow has the id "wf-aaaaaaaa"; there is no run yet`},
		{name: "run outside", input: map[string]any{"resumeFromRunId": "../../etc/passwd"}, want: `no run of a workflow has the id`},
		{name: "unknown property", input: map[string]any{"script": "1", "model": "x"}, want: "model"},
		{name: "denied file", input: map[string]any{"scriptPath": "secret.js"}, want: "denied"},
		{name: "no file", input: map[string]any{"scriptPath": "none.js"}, want: "none.js"},
		{name: "wrong file", input: map[string]any{"scriptPath": "wrong.js"}, want: "is no JavaScript that runs here"},
		{name: "long file", input: map[string]any{"scriptPath": "long.js"}, want: "at most 262144"},
		{name: "deep brackets", input: map[string]any{"script": strings.Repeat("[", 5000)}, want: "nests more than 1000 brackets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := s.call(test.input)
			require.Error(t, out.Err)
			require.Contains(t, out.Result.Text(), test.want)
			require.NotContains(t, out.Result.Text(), "secret'")
			require.Empty(t, s.asked)
			require.Empty(t, background.Of(s.session).List())
		})
	}
}

func TestArgsMayBeAnyJSON(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`null`, `7`, `"text"`, `[1,{"a":"b"}]`, `{"x":[]}`} {
		s := newScene(t, workflow.NewWith(workflow.Options{}, echo), policy.RuleSet{})
		_, notice := s.end(s.start(map[string]any{"script": "return [args]", "args": json.RawMessage(args)}))
		require.Contains(t, notice, "Result:\n["+args+"]")
	}
}
