package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	sessiontools "github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
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
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{
		Source: pegboard.SourceSession, Allow: []string{"REPL", "Skill", "mcp__office__add"}, Ask: []string{"Asked"}, Deny: []string{"Barred"},
	})
	require.NoError(t, err)
	h.session, err = pegboard.NewSession(pegboard.SessionConfig{
		Dir: dir, Permissions: perms, Ask: h.answer, Breaker: pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1},
		Hooks: pegboard.Hooks{Pre: func(_ context.Context, c *pegboard.HookCall) (pegboard.Decision, error) {
			h.note(&h.hooked, c.Call)
			if c.Call.ToolName() == "Refused" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the host does not want it"}, nil
			}
			return pegboard.Decision{}, nil
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
func (h *replHost) answer(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	h.note(&h.asked, q.Call)
	questions, ok := sessiontools.Asked(q)
	if !ok {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
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
		{name: "a tool that a rule takes away", tool: "Barred", input: `{"text": "hi"}`, refused: true, want: `{"kind":"unknown_tool","tool":"Barred"}`},
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
