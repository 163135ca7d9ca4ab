package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// scripted returns a runner whose hooks are shell scripts, by event or by event and matcher,
// as "SubagentStop explorer".
func scripted(t *testing.T, scripts map[string]string) *hooks.Runner {
	t.Helper()
	file := map[string]any{}
	for event, command := range scripts {
		event, matcher, _ := strings.Cut(event, " ")
		file[event] = []any{map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": command}}}}
	}
	text, err := json.Marshal(file)
	require.NoError(t, err)
	set, problems, err := hooks.Parse(text, policy.SourceUser, "settings.json")
	require.NoError(t, err)
	require.Empty(t, problems)
	return hooks.New(set, hooks.Options{Transcript: func(*pegboard.Session) string { return "/transcript" }})
}

// TestAgentHooks runs agents whose starts and ends real scripts see.
func TestAgentHooks(t *testing.T) {
	t.Parallel()
	once := func(then string) string { return "[ -e \"$MARK\" ] && exit 0; touch \"$MARK\"; " + then }
	tests := []struct {
		name, event, command string
		teammate             bool
		reads                []string // what the agent reads in its first requests
		err                  string
	}{
		{name: "start, words", event: "SubagentStart", command: printing(`{"hookSpecificOutput": {"hookEventName": "SubagentStart", "additionalContext": "Be brief."}}`), reads: []string{"Be brief.|Look."}},
		{name: "start, code 2", event: "SubagentStart", command: "echo no >&2; exit 2", reads: []string{"Look."}},
		{name: "start, stop", event: "SubagentStart", command: printing(`{"continue": false, "stopReason": "no agents today"}`), err: "stopped on request"},
		{name: "stop, code 2", event: "SubagentStop", command: once("echo Run the tests. >&2; exit 2"), reads: []string{"Look.", "Run the tests."}},
		{name: "stop, block", event: "SubagentStop", command: once(printing(`{"decision": "block", "reason": "Run the tests."}`)), reads: []string{"Look.", "Run the tests."}},
		{name: "stop, words", event: "SubagentStop", command: once(printing(`{"hookSpecificOutput": {"hookEventName": "SubagentStop", "additionalContext": "See a.go."}}`)), reads: []string{"Look.", "See a.go."}},
		{name: "stop, continue", event: "SubagentStop", command: printing(`{"continue": false, "decision": "block", "reason": "Run the tests."}`), reads: []string{"Look."}},
		{name: "stop, failed", event: "SubagentStop", command: "exit 1", reads: []string{"Look."}},
		{name: "stop, of another type", event: "SubagentStop explorer", command: "exit 2", reads: []string{"Look."}},
		{name: "idle, code 2", event: "TeammateIdle", command: once("echo Run the tests. >&2; exit 2"), teammate: true, reads: []string{"Look.", "Run the tests."}},
		{name: "idle, stop", event: "TeammateIdle", command: printing(`{"continue": false, "stopReason": "done"}`), teammate: true, reads: []string{"Look."}, err: "stopped on request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen, mark := filepath.Join(t.TempDir(), "seen"), filepath.Join(t.TempDir(), "mark")
			runner := scripted(t, map[string]string{tt.event: "cat > " + seen + "; MARK=" + mark + "\n" + tt.command})
			var mu sync.Mutex
			var reads []string
			var registry pegboard.Registry
			group, err := agents.New(agents.Options{
				Registry: &registry, Hooks: runner.AgentHooks(), Teams: true,
				Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
				Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					parts, err := a.Next(ctx, agents.Usage{})
					if err != nil {
						return agents.Reply{}, err
					}
					var words []string
					for _, text := range texts(parts) {
						if label.MatchString(text) {
							text = unlabelled(t, []string{text})[0]
						}
						if !strings.HasPrefix(text, "(") { // whom it can write to
							words = append(words, text)
						}
					}
					mu.Lock()
					defer mu.Unlock()
					reads = append(reads, strings.Join(words, "|"))
					return agents.Reply{Text: fmt.Sprint("report ", len(reads))}, nil
				},
			})
			require.NoError(t, err)
			require.NoError(t, registry.Add(group.Tools()...))
			s, err := tooltest.NewSession(t.TempDir())
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close(t.Context())) }()
			request := agents.Request{Prompt: "Look.", Type: "general-purpose"}
			if tt.teammate {
				out := tooltest.Run(t.Context(), toolNamed(t, group.Tools(), "TeamCreate"), s, `{"team_name": "crew"}`)
				require.False(t, out.Result.IsError, out.Result.Text())
				request.Name, request.Team, request.Background = "ann", "crew", true
			}
			result, err := group.Start(t.Context(), s, request)
			if tt.teammate && tt.err == "" {
				arrived := group.Notified(s)
				require.NoError(t, err)
				for len(s.Notifications()) == 0 { // it is idle at last
					<-arrived
					arrived = group.Notified(s)
				}
			} else if tt.teammate {
				require.NoError(t, err)
				task, err := background.Of(s).Wait(t.Context(), result.TaskID)
				require.NoError(t, err)
				require.Contains(t, task.Err, tt.err)
			} else if tt.err != "" {
				require.ErrorIs(t, err, agents.ErrStopped)
			} else {
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint("report ", len(tt.reads)), result.Text())
			}
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, tt.reads, reads)
			text, err := os.ReadFile(seen)
			if strings.Contains(tt.event, " ") {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			event, err := checkPayload(text)
			require.NoError(t, err)
			require.Equal(t, tt.event, event)
			var payload map[string]any
			require.NoError(t, json.Unmarshal(text, &payload))
			switch event {
			case "SubagentStop":
				require.Equal(t, fmt.Sprint("report ", len(reads)), payload["last_assistant_message"])
				require.Equal(t, "/transcript", payload["agent_transcript_path"])
				fallthrough
			case "SubagentStart":
				require.Equal(t, "general-purpose", payload["agent_type"])
				require.Equal(t, group.List(s)[0].ID, payload["agent_id"])
			default:
				require.Equal(t, []any{"ann", "crew"}, []any{payload["teammate_name"], payload["team_name"]})
			}
		})
	}
}

func toolNamed(t *testing.T, tools []pegboard.Tool, name string) pegboard.Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Info().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// TestWorktreeHooks lets scripts make and remove the directories of EnterWorktree.
func TestWorktreeHooks(t *testing.T) {
	t.Parallel()
	made, removed := filepath.Join(t.TempDir(), "tree"), filepath.Join(t.TempDir(), "removed")
	tests := []struct {
		name    string
		scripts map[string]string
		entered string
		err     string
	}{
		{
			name: "made and removed", entered: made,
			scripts: map[string]string{"WorktreeCreate": "mkdir -p " + made + "; echo " + made, "WorktreeRemove": "cat > " + removed + "; rm -r " + made},
		},
		{name: "failed", scripts: map[string]string{"WorktreeCreate": "echo no room >&2; exit 1"}, err: "no room"},
		{name: "no path", scripts: map[string]string{"WorktreeCreate": "true"}, err: "the host has made no worktree"},
		{name: "git, without a hook that makes one", scripts: map[string]string{"WorktreeRemove": "exit 1"}, entered: ".claude/worktrees/w"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"}} {
				out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
				require.NoError(t, err, string(out))
			}
			p, err := policy.New(policy.ModeBypass)
			require.NoError(t, err)
			s, err := pegboard.NewSession(session.Prepare(pegboard.SessionConfig{Dir: dir, Permissions: p}))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close(t.Context())) }()
			tools := session.Worktree(scripted(t, tt.scripts).WorktreeHooks(session.WorktreeOptions{BaseRef: "head"}))
			out := tooltest.Run(t.Context(), tools[0], s, `{"name": "w"}`)
			if tt.err != "" {
				require.Contains(t, out.Result.Text(), tt.err)
				return
			}
			require.NoError(t, out.Err)
			require.True(t, strings.HasSuffix(s.Dir(), tt.entered), s.Dir())
			out = tooltest.Run(t.Context(), tools[1], s, `{"action": "remove", "discard_changes": true}`)
			require.NoError(t, out.Err)
			if tt.entered == made {
				require.NoDirExists(t, made)
				text, err := os.ReadFile(removed)
				require.NoError(t, err)
				_, err = checkPayload(text)
				require.NoError(t, err)
				require.Contains(t, string(text), fmt.Sprintf(`"worktree_path":%q`, made))
			}
		})
	}
}
