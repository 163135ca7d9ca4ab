package hooks_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A project is a folder with scripts of testdata in .claude/hooks, and a session with real
// tools whose calls run them.
type project struct {
	*testing.T
	dir, record string
	runner      *hooks.Runner
	session     *pegboard.Session
	registry    pegboard.Registry

	mu       sync.Mutex
	problems []string
	woken    chan string
}

// newProject returns a project with these hooks.
func newProject(t *testing.T, text string) *project {
	t.Helper()
	for _, program := range []string{"python3", "node", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the hooks are scripts for %s: %v", program, err)
		}
	}
	p := &project{T: t, record: t.TempDir(), woken: make(chan string, 1)}
	var err error
	p.dir, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(p.dir, ".claude", "hooks"), os.DirFS("testdata/scripts")))
	scripts, err := filepath.Glob(filepath.Join(p.dir, ".claude", "hooks", "*"))
	require.NoError(t, err)
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		script.Write(t, path, string(text))
	}
	set, problems, err := hooks.Parse([]byte(text), pegboard.SourceProject, ".claude/settings.json")
	require.NoError(t, err)
	require.Empty(t, problems)
	p.runner = hooks.New(set, hooks.Options{
		Project: p.dir, Env: map[string]string{"RECORD": p.record, "HOME": p.dir},
		OnProblem: func(_ hooks.Handler, err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.problems = append(p.problems, err.Error())
		},
		Wake: func(_ *pegboard.Session, text string) { p.woken <- text },
	})
	permissions, err := pegboard.NewPermissions(pegboard.ModeAcceptEdits, pegboard.RuleSet{Allow: []string{"Bash(echo *)", "Bash(exit 3)", "mcp__notes"}})
	require.NoError(t, err)
	p.session, err = pegboard.NewSession(pegboard.SessionConfig{ID: "s", Dir: p.dir, Home: p.dir, Permissions: permissions, Hooks: p.runner.Hooks()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.session.Close(context.Background())) })
	require.NoError(t, p.registry.Add(append(files.Tools(), shell.Bash(shell.Options{}))...))
	read := pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "read"}, Description: "Reads notes.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "a note", nil },
	}
	write := read
	write.Name = "write"
	_, err = p.registry.Attach("notes", pegboard.Build(read), pegboard.Build(write))
	require.NoError(t, err)
	return p
}

// call calls a tool and returns the outcome and all that the model reads.
func (p *project) call(tool string, input any) (pegboard.Outcome, string) {
	p.Helper()
	data, err := json.Marshal(input)
	require.NoError(p, err)
	ex := pegboard.Executor{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	out := ex.Run(context.Background(), p.registry.AssemblePool(p.session, pegboard.PoolConfig{}), pegboard.Call{ID: "c", Name: tool, Input: data})[0]
	texts := []string{out.Result.Text()}
	for _, part := range out.Result.Messages {
		texts = append(texts, part.Text)
	}
	return out, strings.Join(texts, "\n")
}

func (p *project) bash(line string) (pegboard.Outcome, string) {
	p.Helper()
	return p.call("Bash", map[string]string{"command": line})
}

// checkRecord holds all that the scripts have read against the schemas.
func (p *project) checkRecord(count int) {
	p.Helper()
	names, err := filepath.Glob(filepath.Join(p.record, "*.json"))
	require.NoError(p, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(p, err)
		_, err = checkPayload(data)
		require.NoError(p, err)
	}
	require.Len(p, names, count)
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(p, p.problems)
}

// A validator of commands, as the documentation of hooks has one.
func TestScriptValidatesCommands(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/validator.py"}]}]}`)
	out, model := p.bash("grep -r needle .")
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Contains(t, model, "- Search with rg, it is faster and skips ignored files.")
	require.Equal(t, pegboard.ByHook, out.Decision.By)
	out, model = p.bash("find . -name '*.go'")
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Contains(t, model, "rg --files")
	out, model = p.bash("echo hello | grep hello")
	require.NoError(t, out.Err)
	require.Contains(t, model, "hello")
	p.checkRecord(3)
}

// TestScripts runs hooks of the kinds that users have.
func TestScripts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		event  string
		group  string // of the event
		run    func(p *project) (pegboard.Outcome, string)
		denied bool
		model  string // a part of what the model reads
		not    string // a part that it does not
		record int    // how many payloads were written
	}{
		{
			name: "a protected file", event: "PreToolUse", record: 1, denied: true, model: "Blocked: .env is protected",
			group: `{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/protect.sh"}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				return p.call("Write", map[string]string{"file_path": "./.env", "content": "A=1"})
			},
		},
		{
			name: "a file that is not protected", event: "PreToolUse", record: 1, not: "Blocked",
			group: `{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/protect.sh", "timeout": 10000}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				return p.call("Write", map[string]string{"file_path": "notes.txt", "content": "A=1"})
			},
		},
		{
			name: "a formatter", event: "PostToolUse", record: 1, model: "formatted object",
			group: `{"matcher": "Edit|MultiEdit|Write", "hooks": [{"type": "command", "command": "node .claude/hooks/format.js"}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				out, model := p.call("Write", map[string]string{"file_path": filepath.Join(p.dir, "a.txt"), "content": "a  \n\n\n"})
				data, err := os.ReadFile(filepath.Join(p.dir, "a.txt"))
				require.NoError(p, err)
				require.Equal(p, "a\n", string(data))
				return out, model
			},
		},
		{
			name: "a log of all calls", event: "PostToolUse", record: 1,
			group: `{"matcher": ".*", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/log.sh"}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				out, model := p.bash("echo hi")
				data, err := os.ReadFile(filepath.Join(p.dir, "calls.log"))
				require.NoError(p, err)
				require.Equal(p, p.dir+"\n", string(data))
				return out, model
			},
		},
		{
			name: "an answer for the person that allows", event: "PermissionRequest", record: 1,
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "node .claude/hooks/answer.js"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("mkfifo a") },
		},
		{
			name: "no answer for the person", event: "PermissionRequest", record: 1, denied: true,
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "node .claude/hooks/answer.js"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("mkfifo a b") },
		},
		{
			name: "an answer for the person that denies", event: "PermissionRequest", record: 1, denied: true, model: "no network here",
			group: `{"hooks": [{"type": "command", "command": "node .claude/hooks/answer.js"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("curl https://example.com") },
		},
		{
			name: "another input", event: "PreToolUse", record: 1, model: "loud quietly",
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 .claude/hooks/rewrite.py"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo loud") },
		},
		{
			name: "a gate that is not installed", event: "PreToolUse", model: "hi",
			group: `{"matcher": "", "hooks": [{"type": "command", "command": "H=\"$HOME/.hooks/gate\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo hi") },
		},
		{
			name: "a gate that is installed", event: "PreToolUse", denied: true, model: "closed", record: 1,
			group: `{"matcher": "", "hooks": [{"type": "command", "command": "H=\"$HOME/gate\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				script.Write(p, filepath.Join(p.dir, "gate"), "#!/bin/sh\ncat >$RECORD/gate.json\necho closed >&2; exit 2\n")
				return p.bash("echo hi")
			},
		},
		{
			name: "nested quotes", event: "PreToolUse", denied: true, model: "no rm here",
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash -c 'read -r event; case \"$event\" in *\"rm -rf\"*) echo \"no rm here\" >&2; exit 2;; esac'"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo a; rm -rf b") },
		},
		{
			name: "variables that never were", event: "PreToolUse", model: "hi", not: "TOOL_ARGS",
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "[ -z \"$TOOL_ARGS$CLAUDE_FILE_PATHS\" ] || exit 2"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo hi") },
		},
		{
			name: "a home directory", event: "PreToolUse", denied: true, model: "from home", record: 1,
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/home.sh"}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				script.Write(p, filepath.Join(p.dir, "home.sh"), "#!/bin/sh\ncat >$RECORD/home.json\necho from home >&2; exit 2\n")
				return p.bash("echo hi")
			},
		},
		{
			name: "a server that may only read", event: "PreToolUse", denied: true, model: "notes may only read", record: 1,
			group: `{"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "node .claude/hooks/servers.js"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.call("mcp__notes__write", map[string]string{}) },
		},
		{
			name: "a server that reads", event: "PreToolUse", model: "a note", record: 1,
			group: `{"matcher": "mcp__notes__.*", "hooks": [{"type": "command", "command": "node .claude/hooks/servers.js", "shell": "bash"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.call("mcp__notes__read", map[string]string{}) },
		},
		{
			name: "the content of a server", event: "PostToolUse", model: "text: a note", record: 1,
			group: `{"matcher": "mcp__notes__.*", "hooks": [{"type": "command", "command": "node", "args": ["-e", "const e = JSON.parse(require('fs').readFileSync(0, 'utf8')); require('fs').writeFileSync(process.env.RECORD + '/content.json', JSON.stringify(e)); console.log(JSON.stringify({hookSpecificOutput: {hookEventName: 'PostToolUse', additionalContext: e.tool_response[0].type + ': ' + e.tool_response[0].text}}))"]}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.call("mcp__notes__read", map[string]string{}) },
		},
		{
			name: "the suggestions for the person", event: "PermissionRequest", denied: true, model: "addRules Bash", record: 1,
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3", "args": ["-c", "import json, os, sys; e = json.load(sys.stdin); json.dump(e, open(os.environ['RECORD'] + '/suggestions.json', 'w')); s = e['permission_suggestions'][0]; print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PermissionRequest', 'decision': {'behavior': 'deny', 'message': s['type'] + ' ' + s['rules'][0]['toolName']}}}))"]}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("npm run deploy") },
		},
		{
			name: "a program with arguments", event: "PreToolUse", model: "--flag|a b|$HOME", record: 1,
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/.claude/hooks/argv.py", "--flag", "a b", "$HOME"]}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo hi") },
		},
		{
			name: "a failure", event: "PostToolUseFailure", model: "code 3 means: no such ticket", record: 1,
			group: `{"hooks": [{"type": "command", "command": "sh .claude/hooks/failure.sh"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("exit 3") },
		},
		{
			name: "a batch", event: "PostToolBatch", model: "1 calls", record: 1,
			group: `{"hooks": [{"type": "command", "command": "node .claude/hooks/batch.js"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo hi") },
		},
		{
			name: "beside the agent", event: "PostToolUse", record: 1, model: "the build is green",
			group: `{"hooks": [{"type": "command", "command": "sh .claude/hooks/later.sh", "async": true}]}`,
			run: func(p *project) (pegboard.Outcome, string) {
				out, model := p.bash("echo hi")
				require.NotContains(p, model, "green")
				for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					if news := p.session.News(); len(news) > 0 {
						return out, news[0].Text
					}
				}
				return out, model
			},
		},
		{
			name: "a rule", event: "PreToolUse", denied: true, model: "main is protected",
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(git push *)", "command": "echo main is protected >&2; exit 2"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("cd . && FOO=1 git push origin main") },
		},
		{
			name: "a rule about another command", event: "PreToolUse", model: "hi",
			group: `{"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(git push *)", "command": "exit 2"}]}`,
			run:   func(p *project) (pegboard.Outcome, string) { return p.bash("echo hi") },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, `{"`+tt.event+`": [`+tt.group+`]}`)
			out, model := tt.run(p)
			require.Equal(t, tt.denied, out.Decision.Behavior != pegboard.Allow, "%v: %s", out.Err, model)
			require.Contains(t, model, tt.model)
			if tt.not != "" {
				require.NotContains(t, model, tt.not)
			}
			p.checkRecord(tt.record)
		})
	}
}

// TestScriptsOfTheLoop fires events at scripts.
func TestScriptsOfTheLoop(t *testing.T) {
	t.Parallel()
	p := newProject(t, `{
		"SessionStart": [{"matcher": "startup|resume", "hooks": [{"type": "command", "command": "bash -c 'echo \"branch: $(cat branch)\"'"}]}],
		"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "python3 .claude/hooks/prompt.py"}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "python3 .claude/hooks/stop.py"}]}],
		"PreCompact": [{"matcher": "auto", "hooks": [{"type": "command", "command": "echo not now >&2; exit 2"}]}],
		"SessionEnd": [{"hooks": [{"type": "command", "command": "rm branch"}]}]
	}`)
	branch := filepath.Join(p.dir, "branch")
	require.NoError(t, os.WriteFile(branch, []byte("main\n"), 0o600))
	fire := func(event string, fields any) hooks.Answer {
		a, err := p.runner.Fire(context.Background(), p.session, event, fields)
		require.NoError(t, err)
		return a
	}
	type object = map[string]any
	require.Equal(t, []string{"branch: main"}, unlabelled(t, fire("SessionStart", object{"source": "resume"}).Context))
	require.Empty(t, fire("SessionStart", object{"source": "clear"}).Context)
	require.Equal(t, []string{"The time is noon."}, unlabelled(t, fire("UserPromptSubmit", object{"prompt": "what time is it?"}).Context))
	a := fire("UserPromptSubmit", object{"prompt": "use password: 1234"})
	require.True(t, a.Block)
	require.Equal(t, "the prompt holds a secret", a.Reason)
	a = fire("Stop", object{"stop_hook_active": false})
	require.True(t, a.Block)
	require.Equal(t, []string{"Run the tests first."}, unlabelled(t, []string{a.Reason}))
	require.False(t, fire("Stop", object{"stop_hook_active": true}).Block)
	require.True(t, fire("PreCompact", object{"trigger": "auto", "custom_instructions": ""}).Block)
	require.False(t, fire("PreCompact", object{"trigger": "manual", "custom_instructions": ""}).Block)
	fire("SessionEnd", object{"reason": "other"})
	require.NoFileExists(t, branch)
	p.checkRecord(4)
}

// A hook that changes every command is not asked about its own words, also when the call has
// no id, as those of a script.
func TestScriptRewritesOnce(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"call-1", ""} {
		p := newProject(t, `{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3", "args": ["-c", "import json, sys; c = json.load(sys.stdin)['tool_input']['command']; print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'allow', 'updatedInput': {'command': 'echo then; ' + c}}}))"]}]}]}`)
		var ex pegboard.Executor
		out := ex.Run(context.Background(), p.registry.AssemblePool(p.session, pegboard.PoolConfig{}), pegboard.Call{ID: id, Name: "Bash", Input: []byte(`{"command": "echo now"}`)})[0]
		require.NoError(t, out.Err, "%q: %s", id, out.Result.Text())
		require.Equal(t, "then\nnow", strings.TrimSpace(out.Result.Text()))
	}
}
