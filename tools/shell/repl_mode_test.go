package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	sessiontools "github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A replHost is a program in REPL mode with tools of many families.
type replHost struct {
	replBench
	registry pegboard.Registry

	mu     sync.Mutex
	asked  []string // tool, id and parent of each question
	hooked []string // the same of each call that a hook before it has seen
	events []string // kind, tool, id and parent of each event of a call in code
}

// replPrelude defines show, which calls a tool and prints its value, or the kind of its failure, as
// JSON that is the same in both languages.
var replPrelude = map[string]string{
	shell.Python: `import json, asyncio
def show(name, given, *keys):
    try:
        value = tools[name](given)
        if keys: value = {k: value[k] for k in keys}
        out = {"value": value}
    except ToolError as e:
        out = {"kind": e.kind, "tool": e.tool}
    print(json.dumps(out, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
`,
	shell.JavaScript: `const sorted = v => Array.isArray(v) ? v.map(sorted) : v && typeof v === "object" ? Object.fromEntries(Object.keys(v).sort().map(k => [k, sorted(v[k])])) : v
async function show(name, given, ...keys) {
  let out
  try {
    let value = await tools[name](given)
    if (keys.length) value = Object.fromEntries(keys.map(k => [k, value[k]]))
    out = {value}
  } catch (e) {
    if (!(e instanceof ToolError)) throw e
    out = {kind: e.kind, tool: e.tool}
  }
  console.log(JSON.stringify(sorted(out)))
}
`,
}

// openHost makes the program. The user allows what is asked, and chooses the first option.
func openHost(b *replBench) *replHost {
	t := b.t
	t.Helper()
	h := &replHost{replBench: *b}
	dir := tempDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600))
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceSession, Allow: []string{"REPL", "Skill", "mcp__office__add"}, Ask: []string{"Asked"}, Deny: []string{"Barred"},
	})
	require.NoError(t, err)
	h.session, err = pegboard.NewSession(pegboard.SessionConfig{
		Dir: dir, Permissions: perms, Ask: h.answer, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
		Hooks: pegboard.Hooks{Pre: func(_ context.Context, c *pegboard.HookCall) (policy.Decision, error) {
			h.note(&h.hooked, c.Call)
			if c.Call.ToolName() == "Refused" {
				return policy.Decision{Behavior: policy.Deny, Reason: "the host does not want it"}, nil
			}
			return policy.Decision{}, nil
		}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.session.Close(context.Background())) })
	h.register()
	h.pool = h.registry.AssemblePool(h.session, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
	return h
}

func (h *replHost) register() {
	t := h.t
	g, err := agents.New(agents.Options{
		Registry: &h.registry,
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			parts, err := a.Next(ctx, agents.Usage{})
			if err != nil {
				return agents.Reply{}, err
			}
			return agents.Reply{Text: "read: " + parts[len(parts)-1].Text}, nil
		},
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: agents.GeneralPurpose, Description: "For anything."}}
		},
	})
	require.NoError(t, err)
	k, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill {
		return []skills.Skill{{Name: "greet", Description: "Greets.", Body: "Say hello to $ARGUMENTS."}}
	}})
	require.NoError(t, err)
	list, err := tasks.Open("", tasks.Hooks{})
	require.NoError(t, err)
	tools := slices.Concat(g.Tools(), list.Tools(), []pegboard.Tool{
		files.Read(files.ReadOptions{}), k.Tool(), sessiontools.AskUserQuestion(), replEcho("Refused"), replEcho("Barred"), replEcho("Asked"),
		shell.REPL(shell.REPLOptions{Env: proc.Quiet(os.Environ())}),
	})
	require.NoError(t, h.registry.Add(tools...))
	add, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`),
		pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: "add"}, Description: "Adds.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
				var of struct{ A, B int }
				if err := json.Unmarshal(in, &of); err != nil {
					return nil, err
				}
				return pegboard.TextResult(fmt.Sprint(of.A + of.B)), nil
			},
		})
	require.NoError(t, err)
	_, err = h.registry.Attach("office", add)
	require.NoError(t, err)
}

// note records a call and the call that has made it.
func (h *replHost) note(list *[]string, c *pegboard.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line := c.ToolName() + " " + c.ID
	if p := c.Parent(); p != nil {
		line += " of " + p.ToolName() + " " + p.ID
	}
	*list = append(*list, line)
}

// answer is the user.
func (h *replHost) answer(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	h.note(&h.asked, q.Call)
	questions, ok := sessiontools.Asked(q)
	if !ok {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	answers := map[string]string{}
	for _, q := range questions {
		answers[q.Question] = q.Options[0].Label
	}
	return sessiontools.Answer(q, sessiontools.Answers{Answers: answers})
}

// runIn runs code after the prelude in a pool, and returns what it prints.
func (h *replHost) runIn(pool *pegboard.Pool, code string) string {
	h.t.Helper()
	raw, err := json.Marshal(map[string]any{"code": replPrelude[h.language] + code, "language": h.language, "restart": true})
	require.NoError(h.t, err)
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call != nil && e.Call.Parent() != nil {
			h.note(&h.events, e.Call)
		}
	}}
	out := ex.Run(h.t.Context(), pool, pegboard.Call{ID: "outer", Name: "REPL", Input: raw})[0]
	require.NoError(h.t, out.Err)
	require.False(h.t, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

// show returns the code that calls a tool and prints what becomes of it.
func (h *replHost) show(name, input string, keys ...string) string {
	args := fmt.Sprintf("%q, %s", name, input)
	for _, key := range keys {
		args += fmt.Sprintf(", %q", key)
	}
	return h.code("", "await ") + "show(" + args + ")\n"
}

// askOne is the input of a question.
const askOne = `{"questions": [{"question": "Which one?", "header": "Choice", "options": [{"label": "Left", "description": "l"}, {"label": "Right", "description": "r"}]}]}`

// TestREPLMode: code of both languages reaches tools of every family, with the same results.
func TestREPLMode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, input string
		keys              []string // of the value; none means all of it
		want              string
		asked, refused    bool
	}{
		{name: "a hidden tool", tool: "Read", input: `{"file_path": "a.txt"}`, want: `{"value":"one\ntwo\n"}`},
		{name: "an agent", tool: "Agent", input: `{"description": "a task", "prompt": "Do it."}`, keys: []string{"status", "content"}, want: `{"value":{"content":[{"text":"read: Do it.","type":"text"}],"status":"completed"}}`},
		{name: "a skill", tool: "Skill", input: `{"skill": "greet", "args": "Ann"}`, want: `{"value":{"skill":"greet","status":"loaded","text":"Skill greet:\n\nSay hello to Ann."}}`},
		{name: "a new task", tool: "TaskCreate", input: `{"subject": "Look", "description": "Look at it."}`, want: `{"value":{"task":{"description":"Look at it.","id":"1","subject":"Look"}}}`},
		{name: "a changed task", tool: "TaskUpdate", input: `{"taskId": "1", "status": "in_progress"}`, want: `{"value":{"statusChange":{"from":"pending","to":"in_progress"},"success":true,"taskId":"1","updatedFields":["status"]}}`},
		{name: "a task", tool: "TaskGet", input: `{"taskId": "1"}`, want: `{"value":{"task":{"blockedBy":[],"blocks":[],"description":"Look at it.","id":"1","status":"in_progress","subject":"Look"}}}`},
		{name: "the tasks", tool: "TaskList", input: `{}`, want: `{"value":{"tasks":[{"blockedBy":[],"id":"1","status":"in_progress","subject":"Look"}]}}`},
		{name: "a question of the model", tool: "AskUserQuestion", input: askOne, keys: []string{"answers"}, asked: true, want: `{"value":{"answers":{"Which one?":"Left"}}}`},
		{name: "an asked call", tool: "Asked", input: `{"text": "hi"}`, asked: true, want: `{"value":"hi"}`},
		{name: "a denied call", tool: "Refused", input: `{"text": "hi"}`, refused: true, want: `{"kind":"denied","tool":"Refused"}`},
		{name: "a tool that a rule takes away", tool: "Barred", input: `{"text": "hi"}`, refused: true, want: `{"kind":"denied","tool":"Barred"}`},
		{name: "an attached tool", tool: "mcp__office__add", input: `{"a": 2, "b": 3}`, want: `{"value":"5"}`},
		{name: "REPL itself", tool: "REPL", input: `{"code": "1"}`, refused: true, want: `{"kind":"unknown_tool","tool":"REPL"}`},
		{name: "no tool", tool: "Nothing", input: `{}`, refused: true, want: `{"kind":"unknown_tool","tool":"Nothing"}`},
		{name: "a wrong input", tool: "mcp__office__add", input: `{"a": 2}`, refused: true, want: `{"kind":"invalid_input","tool":"mcp__office__add"}`},
	}
	eachLanguage(t, func(b *replBench) {
		h := openHost(b)
		var code strings.Builder
		var want, ids, asked []string
		for i, tt := range tests {
			code.WriteString(h.show(tt.tool, tt.input, tt.keys...))
			want = append(want, tt.want)
			line := fmt.Sprintf("%s outer/%d of REPL outer", tt.tool, i+1)
			if !tt.refused {
				ids = append(ids, line)
			}
			if tt.asked {
				asked = append(asked, line)
			}
		}
		require.Equal(b.t, want, strings.Split(strings.TrimSpace(h.runIn(h.pool, code.String())), "\n"))
		require.Equal(b.t, asked, h.asked, "a question names the call of REPL")
		for _, line := range ids {
			require.Contains(b.t, h.hooked, line, "hooks")
			require.Contains(b.t, h.events, line, "events")
		}
	})
}

// TestREPLModeManyCalls of several tools at once, some of which are asked about.
func TestREPLModeManyCalls(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		h := openHost(b)
		got := h.runIn(h.pool, h.code(`
def one(i):
    match i % 4:
        case 0: return tools.TaskCreate(subject=str(i), description="-")["task"]["subject"]
        case 1: return tools.Agent(description="-", prompt=str(i))["content"][0]["text"].removeprefix("read: ")
        case 2: return tools.Asked(text=str(i))
        case _: return tools.mcp__office__add(a=i, b=0)
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(100) as p: print(list(p.map(one, range(100))) == [str(i) for i in range(100)])
print(len({t["id"] for t in tools.TaskList({})["tasks"]}))
`, `
const one = async i => {
  switch (i % 4) {
  case 0: return (await tools.TaskCreate({subject: String(i), description: "-"})).task.subject
  case 1: return (await tools.Agent({description: "-", prompt: String(i)})).content[0].text.replace("read: ", "")
  case 2: return await tools.Asked({text: String(i)})
  default: return await tools.mcp__office__add({a: i, b: 0})
  }
}
const all = await Promise.all(Array.from({length: 100}, (_, i) => one(i)))
console.log(all.every((v, i) => v === String(i)) && all.length === 100 ? "True" : all)
console.log(new Set((await tools.TaskList({})).tasks.map(t => t.id)).size)
`))
		require.Equal(b.t, "True\n25", strings.TrimSpace(got))
		require.Len(b.t, h.asked, 25)
		for _, line := range h.asked {
			require.Contains(b.t, line, " of REPL outer")
		}
	})
}

// TestREPLModeOfRoles: what the model of an agent has, and what its code may call.
func TestREPLModeOfRoles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		role   pegboard.Role
		direct string // of Read, Agent, AskUserQuestion, TaskCreate and REPL
		code   string // the same; empty if there is no REPL
	}{
		{pegboard.RoleMain, "Agent AskUserQuestion TaskCreate REPL", "Read Agent AskUserQuestion TaskCreate"},
		{pegboard.RoleSubAgent, "TaskCreate REPL", "Read TaskCreate"},
		{pegboard.RoleAsyncAgent, "Read", ""},
		{pegboard.RoleTeammate, "Read Agent TaskCreate", ""},
		{pegboard.RoleCoordinator, "Agent", ""},
	}
	names := []string{"Read", "Agent", "AskUserQuestion", "TaskCreate", "REPL"}
	for _, tt := range tests {
		t.Run(tt.role.String(), func(t *testing.T) {
			t.Parallel()
			eachLanguage(t, func(b *replBench) {
				h := openHost(b)
				s := h.session
				var err error
				switch tt.role {
				case pegboard.RoleMain:
				case pegboard.RoleCoordinator:
					s, err = pegboard.NewSession(pegboard.SessionConfig{Role: tt.role, Dir: s.Dir()})
					require.NoError(b.t, err)
					b.t.Cleanup(func() { require.NoError(b.t, s.Close(context.Background())) })
				default:
					s, err = s.Fork(pegboard.SessionConfig{Role: tt.role, AgentID: "agent-1"})
					require.NoError(b.t, err)
				}
				pool := h.registry.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
				var direct, code []string
				for _, name := range names {
					if _, ok := pool.Lookup(name); ok {
						direct = append(direct, name)
					}
				}
				require.Equal(b.t, tt.direct, strings.Join(direct, " "))
				if tt.code == "" {
					return
				}
				inputs := map[string]string{"Read": `{"file_path": "a.txt"}`, "Agent": `{"description": "-", "prompt": "-"}`, "AskUserQuestion": askOne, "TaskCreate": `{"subject": "-", "description": "-"}`, "REPL": `{"code": "1"}`}
				for _, name := range names {
					if got := h.runIn(pool, h.show(name, inputs[name])); strings.Contains(got, `"value"`) {
						code = append(code, name)
					} else {
						require.JSONEq(b.t, fmt.Sprintf(`{"kind": "unknown_tool", "tool": %q}`, name), got)
					}
				}
				require.Equal(b.t, tt.code, strings.Join(code, " "))
			})
		})
	}
}

// TestREPLOptions: languages, programs that are missing, times.
func TestREPLOptions(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	for _, tt := range []struct {
		name   string
		o      shell.REPLOptions
		input  map[string]any
		says   string
		failed bool
	}{
		{name: "the first language is the default", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1 if True else 2"}, says: "1"},
		{name: "not offered", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1", "language": "javascript"}, says: "write the code in python", failed: true},
		{name: "unknown", input: map[string]any{"code": "1", "language": "ruby"}, says: "language", failed: true},
		{name: "blank", input: map[string]any{"code": " \n"}, says: "the code is blank", failed: true},
		{name: "missing", o: shell.REPLOptions{Python: []string{"no-such-python"}}, input: map[string]any{"code": "1"}, says: "the interpreter of python could not be started", failed: true},
		{name: "not an interpreter", o: shell.REPLOptions{Python: []string{"false"}}, input: map[string]any{"code": "1"}, says: "exit code 1", failed: true},
		{name: "slow to start", o: shell.REPLOptions{Python: []string{"sh", "-c", `sleep 4.5; exec python3 -u "$@"`, "sh"}}, input: map[string]any{"code": "'beg' + 'un'", "timeout": 1000}, says: "'begun'"},
		{name: "time is cut", o: shell.REPLOptions{MaxTimeout: 200 * time.Millisecond}, input: map[string]any{"code": "while True: pass", "timeout": 600_000_000}, says: "longer than 200ms", failed: true},
		{name: "begins again and again", o: shell.REPLOptions{MaxTimeout: 300 * time.Millisecond}, input: map[string]any{"code": "import os, time\nwhile True: os.write(1, (tools._link.token + '.{\"begun\":1}\\n').encode()); time.sleep(0.01)", "timeout": 300}, says: "longer than 300ms", failed: true},
		{name: "environment", o: shell.REPLOptions{Env: []string{"A=b", "PATH=" + os.Getenv("PATH")}}, input: map[string]any{"code": "import os\nos.environ['A']"}, says: "'b'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &replBench{t: t}
			b.open(tt.o)
			out := b.run(t.Context(), tt.input)
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
		})
	}
	require.Panics(t, func() { shell.REPL(shell.REPLOptions{Languages: []string{"ruby"}}) })
	require.NoError(t, tooltest.Check(shell.REPL(shell.REPLOptions{}), `{"code":"1"}`, `{"code":"","restart":true}`, `{"code":"1","language":"javascript","timeout":1000,"description":"One"}`))
	tool := shell.REPL(shell.REPLOptions{Languages: []string{shell.JavaScript}})
	d, _ := tool.Declare(pegboard.Scope{})
	require.Contains(t, d.Description, "await tools.NAME(")
	require.NotContains(t, d.Description, "Python")
	_, err := tool.Call(t.Context(), &pegboard.Call{Name: "REPL", Input: []byte(`{"code":"1"}`)})
	require.ErrorIs(t, err, pegboard.ErrDenied)
}

// replLanguages are the languages and their programs.
var replLanguages = []struct{ name, program string }{
	{shell.Python, "python3"},
	{shell.JavaScript, "node"},
}

// replPatience is far more than anything here takes.
const replPatience = 30 * time.Second

func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed; the tool has nothing to run")
	}
}

// replBench is a session with REPL, other tools, and everything allowed but a tool
// called Refused.
type replBench struct {
	t        *testing.T
	language string
	session  *pegboard.Session
	pool     *pegboard.Pool
	mark     string // in the environment of its processes
}

// eachLanguage runs a test with each language that is installed.
func eachLanguage(t *testing.T, test func(b *replBench)) {
	t.Helper()
	for _, l := range replLanguages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			needProgram(t, l.program)
			test(&replBench{t: t, language: l.name})
		})
	}
}

// open makes the session.
func (b *replBench) open(o shell.REPLOptions, tools ...pegboard.Tool) {
	t := b.t
	t.Helper()
	b.mark = "REPL_TEST_MARK=" + t.Name() + t.TempDir()
	t.Cleanup(func() { // after the session is closed
		require.Eventually(t, func() bool { return !b.marked() }, replPatience, 5*time.Millisecond, "processes are left")
	})
	allow := []string{"REPL"}
	for _, tool := range tools {
		if name := tool.Info().Name; name != "Refused" {
			allow = append(allow, name)
		}
	}
	b.session = session(t, tempDir(t), allow...)
	if o.Env == nil {
		o.Env = append(proc.Quiet(os.Environ()), b.mark)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(append(tools, shell.REPL(o))...))
	b.pool = reg.AssemblePool(b.session, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
}

// code returns the one of two that is in the language of the bench.
func (b *replBench) code(python, javascript string) string {
	if b.language == shell.Python {
		return python
	}
	return javascript
}

// marked reports whether a process of the bench lives.
func (b *replBench) marked() bool {
	files, err := filepath.Glob("/proc/[0-9]*/environ") // none but on Linux
	require.NoError(b.t, err)
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(b.mark+"\x00")) {
			return true
		}
	}
	return false
}

// run makes one call of REPL.
func (b *replBench) run(ctx context.Context, input map[string]any) pegboard.Outcome {
	b.t.Helper()
	if _, ok := input["language"]; !ok && b.language != "" {
		input["language"] = b.language
	}
	raw, err := json.Marshal(input)
	require.NoError(b.t, err)
	var ex pegboard.Executor
	return ex.Run(ctx, b.pool, pegboard.Call{ID: "1", Name: "REPL", Input: raw})[0]
}

// must makes a call that succeeds and returns what the model reads.
func (b *replBench) must(code string) string {
	b.t.Helper()
	out := b.run(b.t.Context(), map[string]any{"code": code})
	require.NoError(b.t, out.Err)
	require.False(b.t, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the child process of this test is a Unix program")
	}
}

// replEcho is a tool that returns its text.
func replEcho(name string) pegboard.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: name}, Description: "Says what it is told.",
		Traits: pegboard.Traits{ReadOnly: name != "Refused", Concurrency: pegboard.Shared},
		Call:   func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return in.Text, nil },
	})
}

// TestREPLValues: code gets what the prompt of the tool promises, and whole: no line
// numbers, previews or notices.
func TestREPLValues(t *testing.T) {
	t.Parallel()
	needUnix(t)
	eachLanguage(t, func(b *replBench) {
		tools := append(files.Tools(), shell.Bash(shell.Options{}), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(), replEcho("Refused"))
		b.open(shell.REPLOptions{}, append(tools, externalTools(b.t)...)...)
		replFiles(b.t, b.session.Dir())
		for _, tt := range replValues {
			code := b.code(tt.python, tt.javascript)
			if code == "" {
				continue
			}
			b.t.Run(tt.name, func(t *testing.T) {
				out := b.run(t.Context(), map[string]any{"code": code})
				require.NoError(t, out.Err)
				require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
				if tt.want != "" {
					require.Equal(t, tt.want, out.Result.Text())
				}
				for _, says := range tt.says {
					require.Contains(t, out.Result.Text(), says)
				}
			})
		}
	})
}

// replValues are what code does in both languages, and what it prints then.
var replValues = []struct {
	name               string
	python, javascript string
	want               string
	says               []string
	failed             bool
}{
	{name: "a text", python: "tools.Read({'file_path': 'a.txt'})", javascript: "await tools.Read({file_path: 'a.txt'})", want: `'one\r\ntwo\n'`},
	{name: "again", python: "tools.Read({'file_path': 'a.txt'})\ntools.Read({'file_path': 'a.txt'})", javascript: "await tools.Read({file_path: 'a.txt'}); await tools.Read({file_path: 'a.txt'})", want: `'one\r\ntwo\n'`},
	{name: "lines", python: "tools.Read({'file_path': 'a.txt', 'offset': 2, 'limit': 5})", javascript: "await tools.Read({file_path: 'a.txt', offset: 2, limit: 5})", want: `'two\n'`},
	{name: "no lines", python: "tools.Read({'file_path': 'a.txt', 'offset': 9})", javascript: "await tools.Read({file_path: 'a.txt', offset: 9})", want: `''`},
	{name: "an empty file", python: "tools.Read({'file_path': 'empty'})", javascript: "await tools.Read({file_path: 'empty'})", want: `''`},
	{name: "long lines, and many", python: "s = tools.Read({'file_path': 'long.txt'})\nlen(s), s.count('\\n')", javascript: "const s = await tools.Read({file_path: 'long.txt'}); [s.length, s.split('\\n').length - 1]", says: []string{"603000", "3000"}},
	{
		name:   "a text that is long",
		python: "f = tools.Read({'file_path': 'huge.txt'})\nassert f.read() == open(f.path).read() == open(f).read()\nf.size, len(list(f.lines())), next(f.lines()), sum(1 for _ in f), type(f).__name__", want: "(5600000, 700000, '1234567', 700000, 'ToolFile')",
	},
	{
		name:       "a text that is long, in JavaScript",
		javascript: "const f = await tools.Read({file_path: 'huge.txt'}); let n = 0; for await (const line of f.lines()) n += line.length; for await (const line of f) n += line.length; [f.size, n, (await f.read()).length, f instanceof ToolFile, require('fs').statSync(f.path).size]", want: "[ 5600000, 9800000, 5600000, true, 5600000 ]",
	},
	{name: "a long range", python: "tools.Read({'file_path': 'huge.txt', 'offset': 2})", javascript: "await tools.Read({file_path: 'huge.txt', offset: 2})", failed: true, says: []string{"ToolError", "Ask for fewer lines with limit, or for the whole file without offset and limit"}},
	{name: "Latin-1", python: "tools.Read({'file_path': 'latin1.txt'}).read()", javascript: "(await (await tools.Read({file_path: 'latin1.txt'})).read()).toString('latin1')", says: []string{"'", "n"}},
	{name: "UTF-16", python: "tools.Read({'file_path': 'utf16.txt'})", javascript: "await tools.Read({file_path: 'utf16.txt'})", want: `'hé\n'`},
	{name: "an image", python: "f = tools.Read({'file_path': 'p.png'})\nf.read()[1:4], f.mime", javascript: "const f = await tools.Read({file_path: 'p.png'}); [(await f.read()).toString('latin1', 1, 4), f.mime]", says: []string{"PNG'", "'image/png'"}},
	{name: "a notebook", python: "[c['source'] for c in tools.Read({'file_path': 'n.ipynb'})['cells']]", javascript: "(await tools.Read({file_path: 'n.ipynb'})).cells.map((c) => c.source)", says: []string{"'x = 1'"}},
	{name: "long outputs of a notebook", python: "len(tools.Read({'file_path': 'n.ipynb'})['cells'][0]['outputs'][0]['text'])", javascript: "(await tools.Read({file_path: 'n.ipynb'})).cells[0].outputs[0].text.length", want: "50000"},
	{name: "a missing file", python: "try: tools.Read({'file_path': 'none'})\nexcept ToolError as e: print(e.tool, e.kind, e.value, e)", javascript: "try { await tools.Read({file_path: 'none'}) } catch (e) { console.log(e.tool, e.kind, e.value, e.message) }", says: []string{"Read failed", "does not exist"}},
	{name: "a wrong input", python: "try: tools.Read({'path': 'none'})\nexcept ToolError as e: print(e.tool, e.kind, e.value)", javascript: "try { await tools.Read({path: 'none'}) } catch (e) { console.log(e.tool, e.kind, e.value) }", says: []string{"Read invalid_input "}},
	{name: "a refusal", python: "try: tools.Refused(text='a')\nexcept ToolError as e: print(e.tool, e.kind)", javascript: "try { await tools.Refused({text: 'a'}) } catch (e) { console.log(e.tool, e.kind) }", want: "Refused denied"},
	{name: "no such tool", python: "try: tools.Nothing()\nexcept ToolError as e: print(e.tool, e.kind)", javascript: "try { await tools.Nothing() } catch (e) { console.log(e.tool, e.kind) }", want: "Nothing unknown_tool"},
	{name: "files by name", python: "g = tools.Glob({'pattern': 'many/*.txt'})\nlen(g['filenames']), not g['truncated']", javascript: "const g = await tools.Glob({pattern: 'many/*.txt'}); [g.filenames.length, !g.truncated]", says: []string{"300", "rue"}},
	{name: "files by content", python: "len(tools.Grep({'pattern': 'needle'})['filenames'])", javascript: "(await tools.Grep({pattern: 'needle'})).filenames.length", want: "300"},
	{name: "lines by content", python: "m = tools.Grep({'pattern': '^needle', 'path': 'many', 'output_mode': 'content'})['matches']\nlen(m), m[0]['file'][-7:], m[0]['line'], len(m[0]['text'])", javascript: "const m = (await tools.Grep({pattern: '^needle', path: 'many', output_mode: 'content'})).matches; [m.length, m[0].file.slice(-7), m[0].line, m[0].text.length]", says: []string{"300, '000.txt', 2, 5006"}},
	{name: "context", python: "[(m['line'], m.get('context', False) is True) for m in tools.Grep({'pattern': 'two', 'path': 'a.txt', 'output_mode': 'content', '-B': 1})['matches']]", javascript: "(await tools.Grep({pattern: 'two', path: 'a.txt', output_mode: 'content', '-B': 1})).matches.map((m) => [m.line, m.context ?? false])", says: []string{"1, ", "rue", "2, "}},
	{name: "numbers of lines", python: "c = tools.Grep({'pattern': 'needle', 'output_mode': 'count'})\nc['counts']['many/000.txt'], c['numMatches']", javascript: "const c = await tools.Grep({pattern: 'needle', output_mode: 'count'}); [c.counts['many/000.txt'], c.numMatches]", says: []string{"1, 300"}},
	{name: "a limit of the call", python: "len(tools.Grep({'pattern': 'needle', 'head_limit': 7})['filenames'])", javascript: "(await tools.Grep({pattern: 'needle', head_limit: 7})).filenames.length", want: "7"},
	{name: "nothing searched", python: "tools.Grep({'pattern': 'a', 'glob': '*.none'})['unsearched']", javascript: "(await tools.Grep({pattern: 'a', glob: '*.none'})).unsearched", says: []string{"*.none"}},
	{name: "a command", python: "r = tools.Bash({'command': 'echo out; echo err >&2'})\nr['stdout'], r['exitCode'], r['stderr'], not r['interrupted']", javascript: "const r = await tools.Bash({command: 'echo out; echo err >&2'}); [r.stdout, r.exitCode, r.stderr, !r.interrupted]", says: []string{`'out\nerr\n', 0, '', `, "rue"}},
	{name: "a command that fails", python: "r = tools.Bash({'command': 'echo out; exit 3'})\nr['stdout'], r['exitCode'], r['stderr']", javascript: "const r = await tools.Bash({command: 'echo out; exit 3'}); [r.stdout, r.exitCode, r.stderr]", says: []string{`'out\n', 3, ''`}},
	{name: "an escape", python: "tools.Bash({'command': \"printf 'a\\\\rb\\\\033[1m'\"})['stdout']", javascript: "(await tools.Bash({command: \"printf 'a\\\\rb\\\\033[1m'\"})).stdout", says: []string{`'a\rb\x1`, `[1m'`}},
	{name: "a long output", python: "r = tools.Bash({'command': 'seq 100000'})\nlen(r['stdout']), r['stdout'][-7:]", javascript: "const r = await tools.Bash({command: 'seq 100000'}); [r.stdout.length, r.stdout.slice(-7)]", says: []string{`588895, '100000\n'`}},
	{name: "a long output of a command that fails", python: "r = tools.Bash({'command': 'seq 100000; exit 1'})\nlen(r['stdout']), r['exitCode']", javascript: "const r = await tools.Bash({command: 'seq 100000; exit 1'}); [r.stdout.length, r.exitCode]", says: []string{`588895, 1`}},
	{name: "a very long output", python: "f = tools.Bash({'command': 'seq 1000000'})['stdout']\nf.size, sum(map(int, f.lines()))", javascript: "const f = (await tools.Bash({command: 'seq 1000000'})).stdout; let n = 0; for await (const l of f.lines()) n += Number(l); [f.size, n]", says: []string{"6888896, 500000500000"}},
	{name: "a binary output", python: "tools.Bash({'command': 'cat p.png'})['stdout'].read()[1:4]", javascript: "(await (await tools.Bash({command: 'cat p.png'})).stdout.read()).toString('latin1', 1, 4)", says: []string{"PNG'"}},
	{name: "a command that takes too long", python: "try: tools.Bash({'command': 'sleep 1000', 'timeout': 200})\nexcept ToolError as e: print(e.tool, e.kind, e.value['exitCode'], e)", javascript: "try { await tools.Bash({command: 'sleep 1000', timeout: 200}) } catch (e) { console.log(e.tool, e.kind, e.value.exitCode, e.message) }", says: []string{"Bash timeout -1", "longer than 200ms"}},
	{name: "a command that moves to the background", python: "try: tools.Bash({'command': 'echo a; until [ -e gone ]; do sleep 0.01; done', 'timeout': 200})\nexcept ToolError as e: tools.TaskStop({'task_id': e.value['backgroundTaskId']}); print(e.tool, e.kind, e)", javascript: "try { await tools.Bash({command: 'echo a; until [ -e gone ]; do sleep 0.01; done', timeout: 200}) } catch (e) { await tools.TaskStop({task_id: e.value.backgroundTaskId}); console.log(e.tool, e.kind, e.message) }", says: []string{"Bash timeout", "moved to the background"}},
	{name: "a task", python: "r = tools.Bash({'command': 'until [ -e go ]; do sleep 0.01; done; seq 50000', 'run_in_background': True})\nopen('go', 'w').close()\nt = tools.TaskOutput({'task_id': r['backgroundTaskId']})\nr['exitCode'], t['task']['status'], len(t['task']['output'])", javascript: "const r = await tools.Bash({command: 'until [ -e go ]; do sleep 0.01; done; seq 50000', run_in_background: true}); require('fs').writeFileSync('go', ''); const t = await tools.TaskOutput({task_id: r.backgroundTaskId}); [r.exitCode, t.task.status, t.task.output.length]", says: []string{"'completed', 288894"}},
	{name: "a help for what is not there", python: "tools.Read({'file_path': 'huge.txt'}).splitlines()", failed: true, says: []string{".lines()", ".read()"}},
	{name: "a help for what has no items", python: "tools.Much()['rows']", failed: true, says: []string{".read()"}},
	{name: "structured content", python: "tools.Weather()", javascript: "await tools.Weather()", says: []string{"temperature", "21.5"}},
	{name: "content", python: "[b['type'] for b in tools.Picture()]", javascript: "(await tools.Picture()).map((b) => b.type)", says: []string{"'text', 'image'"}},
	{name: "structured content that is long", python: "f = tools.Much()\nf.mime, len(f.read()['rows'])", javascript: "const f = await tools.Much(); [f.mime, (await f.read()).rows.length]", says: []string{"'application/json', 200000"}},
	{name: "nothing", python: "tools.Nil()", javascript: "await tools.Nil()", want: "''"},
	{name: "write, then edit", python: "w = tools.Write({'file_path': 'w.txt', 'content': 'a'})\ne = tools.Edit({'file_path': 'a.txt', 'old_string': 'two', 'new_string': '2'}) if tools.Read({'file_path': 'a.txt'}) else 0\nw['type'], e['structuredPatch'][0]['lines']", javascript: "const w = await tools.Write({file_path: 'w.txt', content: 'a'}); await tools.Read({file_path: 'a.txt'}); const e = await tools.Edit({file_path: 'a.txt', old_string: 'two', new_string: '2'}); [w.type, e.structuredPatch[0].lines]", says: []string{"'create'", "'+2'"}},
	{name: "a cell", python: "tools.Read({'file_path': 'n.ipynb'})\nr = tools.NotebookEdit({'notebook_path': 'n.ipynb', 'cell_id': 'c0', 'new_source': 'y'})\nr['cell_id'], r['notebook_path'][-7:]", javascript: "await tools.Read({file_path: 'n.ipynb'}); const r = await tools.NotebookEdit({notebook_path: 'n.ipynb', cell_id: 'c0', new_source: 'y'}); [r.cell_id, r.notebook_path.slice(-7)]", says: []string{"'c0', 'n.ipynb'"}},
}

// replFiles writes what the code of TestREPLValues reads.
func replFiles(t *testing.T, dir string) {
	t.Helper()
	write := func(name string, data []byte) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	write("a.txt", []byte("\xEF\xBB\xBFone\r\ntwo\n"))
	write("empty", nil)
	write("long.txt", []byte(strings.Repeat(strings.Repeat("x", 200)+"\n", 3000)))
	write("huge.txt", []byte(strings.Repeat("1234567\n", 700_000)))
	write("latin1.txt", []byte("se\xF1or\n"))
	write("utf16.txt", []byte("\xFF\xFEh\x00\xE9\x00\n\x00"))
	output, err := json.Marshal(strings.Repeat("1234567 9\n", 5000))
	require.NoError(t, err)
	write("n.ipynb", []byte(`{"cells":[{"id":"c0","cell_type":"code","execution_count":1,"metadata":{},"source":"x = 1","outputs":[{"output_type":"stream","name":"stdout","text":`+string(output)+`}]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`))
	for i := range 300 {
		write("many/"+strings.Repeat("0", 3-len(itoa(i)))+itoa(i)+".txt", []byte("hay\nneedle"+strings.Repeat("é", 5000)+"\n"))
	}
	f, err := os.Create(filepath.Join(dir, "p.png"))
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, image.NewGray(image.Rect(0, 0, 2, 2))))
	require.NoError(t, f.Close())
}

func itoa(i int) string {
	raw, _ := json.Marshal(i)
	return string(raw)
}

// externalTools are tools as an MCP server has them.
func externalTools(t *testing.T) (all []pegboard.Tool) {
	t.Helper()
	rows := make([]int, 200_000)
	for name, r := range map[string]*pegboard.Result{
		"Weather": {Parts: []pegboard.Part{{Text: "It is warm."}}, Data: map[string]any{"temperature": 21.5}},
		"Picture": {Parts: []pegboard.Part{{Text: "Here it is."}, {MIME: "image/png", Data: []byte("\x89PNG")}}},
		"Much":    {Parts: []pegboard.Part{{Text: "There is much."}}, Data: map[string]any{"rows": rows, "more": strings.Repeat("x", 4<<20)}},
		"Nil":     {},
	} {
		tool, err := pegboard.BuildRaw([]byte(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: "Returns " + name + ".",
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return r, nil },
		})
		require.NoError(t, err)
		all = append(all, tool)
	}
	return all
}

// TestWhatCodeReadsIsNotShown: the model gets a text that only a script has read, and may
// edit the file, since its agent has read it.
func TestWhatCodeReadsIsNotShown(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	b := &replBench{t: t, language: shell.Python}
	b.open(shell.REPLOptions{}, files.Tools()...)
	replFiles(t, b.session.Dir())
	var reg pegboard.Registry
	require.NoError(t, reg.Add(append(files.Tools(), shell.REPL(shell.REPLOptions{}))...))
	b.pool = reg.AssemblePool(b.session, pegboard.PoolConfig{})
	b.must("print(len(tools.Read({'file_path': 'long.txt', 'limit': 5})), len(tools.Read({'file_path': 'long.txt', 'limit': 5})))")
	var ex pegboard.Executor
	for _, want := range []string{"xxx", "has not changed"} {
		read := ex.Run(t.Context(), b.pool, pegboard.Call{ID: "2", Name: "Read", Input: []byte(`{"file_path":"long.txt","limit":5}`)})[0]
		require.NoError(t, read.Err)
		require.Contains(t, read.Result.Text(), want)
	}
	b.must("tools.Read({'file_path': 'a.txt'})")
	edit := ex.Run(t.Context(), b.pool, pegboard.Call{ID: "3", Name: "Edit", Input: []byte(`{"file_path":"a.txt","old_string":"one","new_string":"1"}`)})[0]
	require.NoError(t, edit.Err)
}
