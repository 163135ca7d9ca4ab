package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A noteScene is a session whose hooks stand in a file, with a tool Note that notes what it is
// called with.
type noteScene struct {
	*testing.T
	dir     string
	runner  *hooks.Runner
	session *pegboard.Session
	pool    *pegboard.Pool
	exec    pegboard.Executor

	mu       sync.Mutex
	noted    []string
	problems []error
	messages []string
	events   []string
}

type noteIn struct {
	Text string `json:"text"`
	Path string `json:"file_path,omitempty"`
}

type noteOut struct {
	Noted string `json:"noted"`
	Size  int    `json:"size"`
}

// noteOptions change what a scene is made of. All fields may be zero.
type noteOptions struct {
	hooks.Options
	config  pegboard.SessionConfig
	source  policy.Source // of the hooks; zero means those of the user
	tools   []pegboard.Tool
	mode    policy.Mode
	rules   policy.RuleSet
	asked   bool // Note is no tool that allows itself
	unheard bool // there is no OnProblem
}

// newNoteScene makes a scene of the hooks of a file. A script is run by writing @NAME in a command,
// for a file in the folder of the scene.
func newNoteScene(t *testing.T, file string, o noteOptions) *noteScene {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks of these tests are lines for sh")
	}
	s := &noteScene{T: t}
	var err error
	s.dir, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	if o.source == "" {
		o.source = policy.SourceUser
	}
	set, _, err := hooks.Parse(json.RawMessage(strings.ReplaceAll(file, "@DIR", s.dir)), o.source, "settings.json")
	require.NoError(t, err)
	if o.OnProblem == nil && !o.unheard {
		o.OnProblem = func(_ hooks.Handler, err error) { s.note(func() { s.problems = append(s.problems, err) }) }
	}
	if o.Message == nil {
		o.Message = func(_ *pegboard.Session, text string) { s.note(func() { s.messages = append(s.messages, text) }) }
	}
	s.runner = hooks.New(set, o.Options)
	if o.config.Dir == "" {
		o.config.Dir = s.dir
	}
	o.config.ID = "session-1"
	o.config.PromptDelay = time.Minute // a slow machine does not put the person first
	o.config.Hooks = s.runner.Hooks()
	if o.config.Permissions.Mode() == policy.ModeDefault {
		o.config.Permissions, err = policy.New(o.mode, o.rules)
		require.NoError(t, err)
	}
	o.config.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	s.session, err = pegboard.NewSession(o.config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.session.Close(context.WithoutCancel(t.Context()))) })
	var r pegboard.Registry
	require.NoError(t, r.Add(append(o.tools, s.noteTool(o.asked))...))
	s.pool = r.AssemblePool(s.session, pegboard.PoolConfig{})
	s.exec.OnEvent = func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			s.note(func() { s.events = append(s.events, e.Text) })
		}
	}
	return s
}

func (s *noteScene) note(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *noteScene) noteTool(asked bool) pegboard.Tool {
	d := pegboard.Definition[noteIn, noteOut]{
		Info: pegboard.Info{Name: "Note", Aliases: []string{"Jot"}}, Description: "Notes a text.",
		Observe: func(in noteIn, _ *pegboard.Call) map[string]any {
			if in.Path == "" || filepath.IsAbs(in.Path) {
				return nil
			}
			return map[string]any{"file_path": filepath.Join(s.dir, in.Path)}
		},
		Call: func(_ context.Context, in noteIn, _ *pegboard.Call) (noteOut, error) {
			s.note(func() { s.noted = append(s.noted, in.Text) })
			if in.Text == "fail" {
				return noteOut{}, fmt.Errorf("the pen is broken")
			}
			return noteOut{in.Text, len(in.Text)}, nil
		},
		Result: func(out noteOut) *pegboard.Result { return pegboard.TextResult("noted " + out.Noted) },
	}
	if !asked {
		d.Permit = func(context.Context, noteIn, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		}
	}
	return pegboard.Build(d)
}

// call calls Note.
func (s *noteScene) call(text string) pegboard.Outcome {
	s.Helper()
	input, err := json.Marshal(noteIn{Text: text})
	require.NoError(s, err)
	return s.exec.Run(s.Context(), s.pool, pegboard.Call{ID: "call-1", Name: "Note", Input: input})[0]
}

// read returns a file of the scene's folder.
func (s *noteScene) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(s, err)
	return string(text)
}

// problemTexts returns what Options.OnProblem was told, in one text.
func (s *noteScene) problemTexts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for _, err := range s.problems {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "\n")
}

// commandHook returns a file with one command for an event.
func commandHook(event, matcher, command string, more ...string) string {
	quoted, err := json.Marshal(command)
	if err != nil {
		panic(err)
	}
	extra := ""
	if len(more) > 0 {
		extra = ", " + strings.Join(more, ", ")
	}
	return fmt.Sprintf(`{%q: [{"matcher": %q, "hooks": [{"type": "command", "command": %s%s}]}]}`, event, matcher, quoted, extra)
}

// printing returns a command that prints a text.
func printing(text string) string {
	return "cat <<'END'\n" + text + "\nEND"
}

// texts returns the texts of parts.
func texts(parts []pegboard.Part) []string {
	var list []string
	for _, p := range parts {
		list = append(list, p.Text)
	}
	return list
}

// label is the form in which the model reads the words of a hook.
var label = regexp.MustCompile(`(?s)^\[The \w+ hook( "[^"]*")?( of settings\.json)?(, about the call call-1 of Note,)? says, in words that are not the user's:\]\n<hook-words>\n(.*)\n</hook-words>$`)

// unlabelled returns the words of hooks in texts for the model, each of which must be labelled.
func unlabelled(t *testing.T, labelled []string) []string {
	t.Helper()
	var words []string
	for _, text := range labelled {
		if strings.HasSuffix(text, rewritten) {
			words = append(words, rewritten)
			continue
		}
		require.Regexp(t, label, text)
		words = append(words, label.FindStringSubmatch(text)[4])
	}
	return words
}

// rewritten is the end of what the model reads of an input that a hook has replaced.
const rewritten = "has replaced the input: the call as it was decided is not the one that you made.]"

const (
	waitTime = time.Minute
	pollTime = 5 * time.Millisecond
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestTaskHooks: the scripts of the user see the task, and refuse it through the tools.
func TestTaskHooks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		event   string
		command string
		strict  bool
		want    string // the text of the refusal; empty means that the change is made
		stops   bool
	}{
		{name: "created", event: "TaskCreated", command: "exit 0"},
		{name: "created, code 2", event: "TaskCreated", command: "echo too vague >&2; exit 2", want: "the task was not created: TaskCreated hook of settings.json: too vague"},
		{name: "created, block", event: "TaskCreated", command: printing(`{"decision": "block", "reason": "no"}`), want: "the task was not created: TaskCreated hook of settings.json: no"},
		{name: "created, without a reason", event: "TaskCreated", command: "exit 2", want: "the task was not created: a hook of the user refused it"},
		{name: "created, continue", event: "TaskCreated", command: printing(`{"continue": false}`)},
		{name: "created, failed", event: "TaskCreated", command: "exit 1"},
		{name: "created, failed, strict", event: "TaskCreated", command: "exit 1", strict: true, want: "the task was not created: TaskCreated hook of settings.json must be passed, and it ended with an error. Tell the user; repeating it will not help."},
		{name: "completed", event: "TaskCompleted", command: "exit 0"},
		{name: "completed, code 2", event: "TaskCompleted", command: "echo tests fail >&2; exit 2", want: "the task was not completed: TaskCompleted hook of settings.json: tests fail"},
		{name: "completed, continue", event: "TaskCompleted", command: printing(`{"continue": false, "stopReason": "lunch"}`), want: "the task was not completed: a hook of the user refused it", stops: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen := filepath.Join(t.TempDir(), "seen")
			file, err := json.Marshal(map[string]any{tt.event: []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "cat > " + seen + "; " + tt.command}}}}})
			require.NoError(t, err)
			set, problems, err := hooks.Parse(file, policy.SourceUser, "settings.json")
			require.NoError(t, err)
			require.Empty(t, problems)
			list, err := tasks.Open("", hooks.New(set, hooks.Options{Strict: tt.strict}).TaskHooks())
			require.NoError(t, err)
			s, err := tooltest.NewSession(t.TempDir())
			require.NoError(t, err)
			out := tooltest.Run(t.Context(), list.Tools()[0], s, `{"subject":"Fix it","description":"All of it"}`)
			if tt.event == "TaskCompleted" {
				require.NoError(t, out.Err)
				out = tooltest.Run(t.Context(), list.Tools()[3], s, `{"taskId":"1","status":"completed"}`)
			}
			require.Equal(t, tt.want != "", out.Result.IsError, out.Result.Text())
			if tt.want != "" {
				require.Equal(t, tt.want, out.Result.Text())
			}
			require.Equal(t, tt.stops, out.StopTurn)
			var payload map[string]any
			text, err := os.ReadFile(seen)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &payload))
			require.Equal(t, []any{tt.event, "1", "Fix it", "All of it"}, []any{payload["hook_event_name"], payload["task_id"], payload["task_subject"], payload["task_description"]})
			all, err := list.All(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.event == "TaskCreated" && tt.want != "", len(all) == 0)
			require.NoError(t, s.Close(t.Context()))
		})
	}
}

// TestTaskHooksWithoutASession: a change of the host's is refused if a hook should see it.
func TestTaskHooksWithoutASession(t *testing.T) {
	t.Parallel()
	list, err := tasks.Open("", guard(hooks.Options{}).TaskHooks())
	require.NoError(t, err)
	_, err = list.Create(t.Context(), tasks.Task{Subject: "a"})
	require.NoError(t, err, "no hook is about tasks")
	set, _, err := hooks.Parse([]byte(`{"TaskCompleted": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}`), policy.SourceUser, "settings.json")
	require.NoError(t, err)
	list, err = tasks.Open("", hooks.New(set, hooks.Options{}).TaskHooks())
	require.NoError(t, err)
	_, err = list.Create(t.Context(), tasks.Task{Subject: "a"})
	require.NoError(t, err)
	complete := func(t *tasks.Task) error { t.Status = tasks.Completed; return nil }
	_, err = list.Update(t.Context(), "1", complete)
	require.ErrorContains(t, err, "hooks need a session")
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	_, err = list.Update(pegboard.WithSession(t.Context(), s), "1", complete)
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
}

// A slowHook is a tool of a server that answers after a while.
type slowHook struct {
	takes  time.Duration
	answer string // %s stands for the text of the call
}

// slowScene makes a scene whose hooks of an event are tools, each with its answers.
func slowScene(t *testing.T, event string, seconds float64, strict bool, slow ...slowHook) *noteScene {
	t.Helper()
	var list []map[string]any
	for i := range slow {
		h := map[string]any{"type": "mcp_tool", "server": "s", "tool": fmt.Sprint(i), "input": map[string]any{"text": "${tool_input.text}"}}
		if seconds > 0 {
			h["timeout"] = seconds
		}
		list = append(list, h)
	}
	file, err := json.Marshal(map[string]any{event: []any{map[string]any{"hooks": list}}})
	require.NoError(t, err)
	return newNoteScene(t, string(file), noteOptions{Options: hooks.Options{
		Strict: strict,
		Invoke: func(_ context.Context, _, tool string, input json.RawMessage) (*pegboard.Result, error) {
			var i int
			var in struct{ Text string }
			if _, err := fmt.Sscan(tool, &i); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, err
			}
			time.Sleep(slow[i].takes) // it does not heed its context
			if in.Text != "hello" && in.Text != "" {
				return pegboard.TextResult(""), nil
			}
			return pegboard.TextResult(slow[i].answer), nil
		},
	}})
}

// TestHooksTakeTime: a call waits for the last of its hooks and for no hook longer than its
// limit, and of several changed inputs that of the last hook counts.
func TestHooksTakeTime(t *testing.T) {
	t.Parallel()
	decide := func(members string) string {
		return `{"hookSpecificOutput": {"hookEventName": "PreToolUse", ` + members + `}}`
	}
	changeTo := func(text string) string { return decide(`"updatedInput": {"text": "` + text + `"}`) }
	deny := decide(`"permissionDecision": "deny"`)
	allow := decide(`"permissionDecision": "allow"`)
	tests := []struct {
		name    string
		hooks   []slowHook
		seconds float64 // limit; 0 means the default
		strict  bool
		noted   []string
		takes   time.Duration
	}{
		{name: "side by side", hooks: []slowHook{{time.Second, allow}, {3 * time.Second, allow}, {2 * time.Second, ""}}, noted: []string{"hello"}, takes: 3 * time.Second},
		{name: "the last to end denies", hooks: []slowHook{{time.Second, allow}, {3 * time.Second, deny}}, takes: 3 * time.Second},
		{name: "the first to end denies", hooks: []slowHook{{time.Second, deny}, {3 * time.Second, allow}}, takes: 3 * time.Second},
		{name: "the last in the file changes last", hooks: []slowHook{{time.Second, changeTo("a")}, {2 * time.Second, changeTo("b")}}, noted: []string{"b"}, takes: 3 * time.Second},
		{name: "the first in the file changes last", hooks: []slowHook{{2 * time.Second, changeTo("a")}, {time.Second, changeTo("b")}}, noted: []string{"a"}, takes: 3 * time.Second},
		{name: "late", hooks: []slowHook{{time.Hour, deny}}, seconds: 2, noted: []string{"hello"}, takes: 2 * time.Second},
		{name: "late, strict", hooks: []slowHook{{time.Hour, allow}}, seconds: 2, strict: true, takes: 2 * time.Second},
		{name: "one is late, another denies", hooks: []slowHook{{time.Hour, allow}, {time.Second, deny}}, seconds: 5, takes: 5 * time.Second},
		{name: "a part of a second", hooks: []slowHook{{time.Hour, allow}}, seconds: 0.25, noted: []string{"hello"}, takes: 250 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := slowScene(t, "PreToolUse", tt.seconds, tt.strict, tt.hooks...)
				began := time.Now()
				out := s.call("hello")
				require.Equal(t, tt.takes, time.Since(began))
				require.Equal(t, tt.noted, s.noted)
				require.Equal(t, tt.noted == nil, out.Err != nil)
				time.Sleep(2 * time.Hour) // the hooks that were abandoned return
			})
		})
	}
}

// TestSessionEndTakesTime: hooks at the end of a session have 1.5 seconds together, or the
// longest of their limits.
func TestSessionEndTakesTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		seconds float64
		takes   time.Duration
	}{
		{name: "no limits", takes: 1500 * time.Millisecond},
		{name: "their own", seconds: 7, takes: 7 * time.Second},
		{name: "at most a minute", seconds: 600, takes: time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := slowScene(t, "SessionEnd", tt.seconds, false, slowHook{takes: time.Hour}, slowHook{takes: time.Hour})
				began := time.Now()
				_, err := s.runner.Fire(t.Context(), s.session, "SessionEnd", nil)
				require.NoError(t, err)
				require.Equal(t, tt.takes, time.Since(began))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}
