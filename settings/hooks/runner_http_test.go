package hooks_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// The answers of addresses. Only JSON blocks.
func TestHTTPHook(t *testing.T) {
	t.Parallel()
	const deny = `{"decision": "block", "reason": "not today"}`
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, body) }
	}
	elsewhere := httptest.NewServer(text(200, deny))
	t.Cleanup(elsewhere.Close)
	tests := []struct {
		name    string
		handler http.HandlerFunc
		strict  bool
		denied  string
		problem string
	}{
		{name: "empty", handler: text(200, ""), strict: true},
		{name: "no content", handler: text(204, ""), strict: true},
		{name: "deny", handler: text(200, deny), denied: "not today"},
		{name: "HTML", handler: text(200, "<html>ok</html>"), problem: "no JSON object"},
		{name: "HTML, strict", handler: text(200, "<html>ok</html>"), strict: true, denied: "must be passed", problem: "no JSON object"},
		{name: "an array", handler: text(200, "[]"), problem: "no JSON object"},
		{name: "an error that denies", handler: text(500, deny), problem: "500"},
		{name: "an error, strict", handler: text(500, deny), strict: true, denied: "must be passed", problem: "500"},
		{name: "hangs", handler: hang, problem: "in time"},
		{name: "hangs, strict", handler: hang, strict: true, denied: "in time", problem: "in time"},
		{name: "hangs in the answer", handler: func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}, strict: true, denied: "in time", problem: "in time"},
		{name: "hangs after deny", handler: func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, deny)
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}, denied: "not today", problem: "in time"},
		{name: "closes after deny", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, deny)
		}, denied: "not today", problem: "EOF"},
		{name: "closes", handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, strict: true, denied: "could not be reached", problem: "EOF"},
		{name: "redirects on the host", handler: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/next" {
				body, _ := io.ReadAll(r.Body)
				if !json.Valid(body) {
					w.WriteHeader(400)
				}
				_, _ = io.WriteString(w, deny)
				return
			}
			http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
		}, denied: "not today"},
		{name: "redirects to another host", handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, problem: "another host"},
		{name: "redirects and drops the payload", handler: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusFound) }, problem: "drops the payload"},
		{name: "redirects for ever", handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}, problem: "more than 10"},
		{name: "too long", handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"systemMessage": "%s"}`, strings.Repeat("x", 20<<20))
		}, denied: "too long to be read", problem: "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.handler)
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			var o noteOptions
			o.Strict = tt.strict
			timeout := ""
			if strings.Contains(tt.name, "hangs") {
				timeout = `, "timeout": 0.5`
			}
			s := newNoteScene(t, fmt.Sprintf(`{"PreToolUse": [{"hooks": [{"type": "http", "url": %q%s}]}]}`, server.URL+"/", timeout), o)
			out := s.call("x")
			if tt.denied == "" {
				require.NoError(t, out.Err)
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.denied)
			}
			if tt.problem == "" {
				require.Empty(t, s.problemTexts())
			} else {
				require.Contains(t, s.problemTexts(), tt.problem)
			}
		})
	}
}

// hang answers nothing until the client has gone, which a server sees once the body is read.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// Only allowed addresses are posted to, with allowed variables.
func TestHTTPHookIsRestricted(t *testing.T) {
	t.Setenv("TOKEN", "t0ken")
	t.Setenv("SECRET", "s3cret")
	posted := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { posted <- r }))
	t.Cleanup(server.Close)
	tests := []struct {
		name    string
		path    string // of the hook; empty means /hook
		urls    []string
		vars    []string
		reaches bool
		header  string
	}{
		{name: "all", reaches: true, header: "Bearer t0ken,  and "},
		{name: "none", urls: []string{}},
		{name: "the address", urls: []string{server.URL + "/hook"}, reaches: true, header: "Bearer t0ken,  and "},
		{name: "a pattern", urls: []string{server.URL + "/*"}, reaches: true, header: "Bearer t0ken,  and "},
		{name: "the address with a slash", urls: []string{server.URL + "/hook/"}, path: "/hook/", reaches: true, header: "Bearer t0ken,  and "},
		{name: "another place behind two dots", urls: []string{server.URL + "/hook/*"}, path: "/hook/../other"},
		{name: "another place", urls: []string{server.URL + "/other"}},
		{name: "another host", urls: []string{"https://example.com/*", "http://*.example.com/*"}},
		{name: "no variables", vars: []string{}, reaches: true, header: "Bearer ,  and "},
		{name: "another variable", vars: []string{"SECRET"}, reaches: true, header: "Bearer ,  and "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var o noteOptions
			o.AllowedURLs, o.AllowedVars = tt.urls, tt.vars
			s := newNoteScene(t, fmt.Sprintf(`{"PreToolUse": [{"hooks": [{"type": "http", "url": %q,
				"headers": {"Authorization": "Bearer $TOKEN, ${SECRET} and $NOTHING"}, "allowedEnvVars": ["TOKEN"]}]}]}`, server.URL+cmp.Or(tt.path, "/hook")), o)
			require.NoError(t, s.call("x").Err)
			if !tt.reaches {
				require.Contains(t, s.problemTexts(), "allowedHttpHookUrls")
				require.Empty(t, posted)
				return
			}
			r := <-posted
			require.Equal(t, http.MethodPost, r.Method)
			require.Equal(t, "application/json", r.Header.Get("Content-Type"))
			require.Equal(t, strings.TrimSpace(tt.header), strings.TrimSpace(r.Header.Get("Authorization")))
		})
	}
}

// Hooks over funcs of the host, which may fail in any way.
func TestHostFuncs(t *testing.T) {
	t.Parallel()
	const tool = `{"type": "mcp_tool", "server": "guard", "tool": "check", "timeout": 0.5, "input": {"path": "at ${tool_input.text}", "all": ["${tool_name}", "${nothing}", 5]}}`
	const prompt = `{"type": "prompt", "prompt": "Is $ARGUMENTS worth \\$5?", "timeout": 0.5}`
	tests := []struct {
		name    string
		hook    string
		invoke  func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error)
		prompt  func(context.Context, hooks.Handler, string) (string, error)
		strict  bool
		denied  string
		problem string
		stops   bool
	}{
		{name: "no tools", hook: tool, strict: true, problem: "left out"},
		{name: "tool", hook: tool, invoke: func(_ context.Context, server, tool string, input json.RawMessage) (*pegboard.Result, error) {
			if server != "guard" || tool != "check" || string(input) != `{"all":["Note","",5],"path":"at x"}` {
				return nil, fmt.Errorf("%s %s %s", server, tool, input)
			}
			return pegboard.TextResult(`{"decision": "block", "reason": "not today"}`), nil
		}, denied: "not today"},
		{name: "tool with a long number", hook: strings.Replace(tool, "5]", "9007199254740993]", 1), invoke: func(_ context.Context, _, _ string, input json.RawMessage) (*pegboard.Result, error) {
			return pegboard.TextResult(fmt.Sprintf(`{"decision": "block", "reason": %q}`, input)), nil
		}, denied: "9007199254740993"},
		{name: "tool that fails", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			return &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: "broken"}}}, nil
		}, problem: "broken"},
		{name: "tool that is not there, strict", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			return nil, errors.New("not connected")
		}, strict: true, denied: "must be passed", problem: "not connected"},
		{name: "tool that answers nothing", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			return nil, nil
		}},
		{name: "tool that panics, strict", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			panic("oops")
		}, strict: true, denied: "must be passed", problem: "oops"},
		{name: "tool that ends its goroutine, strict", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			runtime.Goexit()
			return nil, nil
		}, strict: true, denied: "must be passed", problem: "goroutine"},
		{name: "tool that hangs, strict", hook: tool, invoke: func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
			select {}
		}, strict: true, denied: "must be passed", problem: "in time"},
		{name: "no model", hook: prompt, strict: true, problem: "left out"},
		{name: "model says yes", hook: prompt, prompt: func(_ context.Context, h hooks.Handler, prompt string) (string, error) {
			if h.Type != "prompt" || !strings.HasPrefix(prompt, `Is {"session_id":"session-1"`) || !strings.HasSuffix(prompt, "} worth $5?") {
				return "", errors.New(prompt)
			}
			return `{"ok": true}`, nil
		}, strict: true},
		{name: "model says no", hook: prompt, prompt: saying(`{"ok": false, "reason": "not today"}`), denied: "not today", stops: true},
		{name: "model says no, go on", hook: strings.Replace(prompt, "}", `, "continueOnBlock": true}`, 1), prompt: saying(`{"ok": false, "reason": "not today"}`), denied: "not today"},
		{name: "agent says no", hook: strings.Replace(prompt, `"prompt"`, `"agent"`, 1), prompt: saying("```json\n{\"ok\": false, \"reason\": \"not today\"}\n```"), denied: "not today"},
		{name: "model says no and why", hook: prompt, prompt: saying("{\"ok\": false, \"reason\": \"not today\"}\n\nThe {path} is wrong."), denied: "not today", problem: "could not be read", stops: true},
		{name: "model says that it says no", hook: prompt, prompt: saying("Here it is: {\"ok\": false, \"reason\": \"not today\"}"), denied: "not today", problem: "could not be read", stops: true},
		{name: "model says nothing", hook: prompt, prompt: saying("well"), problem: "could not be read"},
		{name: "model says nothing, strict", hook: prompt, prompt: saying(`{"reason": "well"}`), strict: true, denied: "must be passed", problem: "ok is missing"},
		{name: "model panics", hook: prompt, prompt: func(context.Context, hooks.Handler, string) (string, error) { panic("oops") }, problem: "oops"},
		{name: "model hangs", hook: prompt, prompt: func(context.Context, hooks.Handler, string) (string, error) { select {} }, problem: "in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			o.Invoke, o.Prompt, o.Strict = tt.invoke, tt.prompt, tt.strict
			s := newNoteScene(t, `{"PreToolUse": [{"hooks": [`+tt.hook+`]}]}`, o)
			out := s.call("x")
			if tt.denied == "" {
				require.NoError(t, out.Err)
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.denied)
			}
			require.Equal(t, tt.stops, out.StopTurn)
			if tt.problem == "" {
				require.Empty(t, s.problemTexts())
			} else {
				require.Contains(t, s.problemTexts(), tt.problem)
			}
		})
	}
}

func saying(text string) func(context.Context, hooks.Handler, string) (string, error) {
	return func(context.Context, hooks.Handler, string) (string, error) { return text, nil }
}

// Funcs of the host that are told something break nothing, whatever they do.
func TestToldHost(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context){
		"panics": func(context.Context) { panic("oops") }, "hangs": func(ctx context.Context) { <-ctx.Done() }, "ends its goroutine": func(context.Context) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var o noteOptions
				ended, end := context.WithCancel(context.Background())
				defer end()
				o.Transcript = func(*pegboard.Session) string { do(ended); return "" }
				o.Message = func(*pegboard.Session, string) { do(ended) }
				o.OnProblem = func(hooks.Handler, error) { do(ended) }
				o.Invoke = func(context.Context, string, string, json.RawMessage) (*pegboard.Result, error) {
					return pegboard.TextResult(`{"systemMessage": "hi", "continue": 5, "decision": "block", "reason": "not today"}`), nil
				}
				s := newNoteScene(t, `{"PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}]}`, o)
				out := s.call("x")
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), "not today")
			})
		})
	}
}

// A cell is one hook that answers in one way to one event of one caller.
type cell struct {
	event  string
	kind   string // type of the handler
	end    string // how the handler ends, see ends
	answer string // what it answers, see answerText
	mode   string // lax or strict
	caller string
}

func (c cell) String() string {
	return strings.Join([]string{c.event, c.kind, c.end, c.answer, c.mode, c.caller}, " ")
}

// ends are the ways in which a handler of a type ends. The first is that all is well.
var ends = map[string][]string{
	"command":  {"0", "2", "1", "killed", "late", "missing"},
	"http":     {"0", "1", "late", "missing"}, // the status is 200 or 500
	"mcp_tool": {"0", "1", "late", "missing", "panic"},
	"prompt":   {"0", "late", "missing", "panic"},
	"agent":    {"0", "late", "missing", "panic"},
}

// answers are the names of all answers.
var answers = strings.Fields("none text broken wrong array two bom below empty system context stop block approve allow deny ask defer input only output retry accept decline cancel title display path ok notok impossible")

// blockers are the answers of each event that refuse in its own way, for those that only
// make sense with one.
var blockers = map[string]string{"PreToolUse": "deny", "PermissionRequest": "deny", "Elicitation": "decline", "ElicitationResult": "decline"}

// fields are what a program tells of the events of its loop.
var fields = map[string]any{
	"SessionStart":        map[string]any{"source": "startup"},
	"Setup":               map[string]any{"trigger": "init"},
	"UserPromptSubmit":    map[string]any{"prompt": "hello"},
	"UserPromptExpansion": map[string]any{"expansion_type": "slash_command", "command_name": "fix", "command_args": "it", "command_source": "user", "prompt": "/fix it"},
	"Notification":        map[string]any{"message": "look", "notification_type": "idle_prompt"},
	"MessageDisplay":      map[string]any{"turn_id": "1", "message_id": "2", "index": 0, "final": true, "delta": "text"},
	"SubagentStart":       map[string]any{"agent_id": "a", "agent_type": "reviewer"},
	"SubagentStop":        map[string]any{"stop_hook_active": false, "agent_id": "a", "agent_type": "reviewer", "agent_transcript_path": "/t"},
	"TaskCreated":         map[string]any{"task_id": "1", "task_subject": "test"},
	"TaskCompleted":       map[string]any{"task_id": "1", "task_subject": "test"},
	"Stop":                map[string]any{"stop_hook_active": false},
	"StopFailure":         map[string]any{"error": "rate_limit"},
	"TeammateIdle":        map[string]any{"teammate_name": "a", "team_name": "b"},
	"InstructionsLoaded":  map[string]any{"file_path": "/f", "memory_type": "project", "load_reason": "session_start"},
	"ConfigChange":        map[string]any{"source": "project_settings"},
	"CwdChanged":          map[string]any{"old_cwd": "/a", "new_cwd": "/b"},
	"DirectoryAdded":      map[string]any{"directory": "/a", "source": "slash_command"},
	"FileChanged":         map[string]any{"file_path": "/a/.env", "event": "change"},
	"WorktreeCreate":      map[string]any{"name": "w"},
	"WorktreeRemove":      map[string]any{"worktree_path": "/w"},
	"PreCompact":          map[string]any{"trigger": "auto", "custom_instructions": ""},
	"PostCompact":         map[string]any{"trigger": "auto"},
	"SessionEnd":          map[string]any{"reason": "other"},
}

// answerText returns what a hook of an event prints for an answer, and whether that answer has
// a meaning there.
func answerText(event, kind, answer string) (text string, ok bool) {
	if kind == "prompt" || kind == "agent" {
		text, ok = map[string]string{
			"none": "", "text": "hello", "broken": `{"ok": fal`, "wrong": `{"ok": "false"}`,
			"ok": `{"ok": true}`, "notok": `{"ok": false, "reason": "REASON"}`, "impossible": `{"ok": false, "reason": "REASON", "impossible": true}`,
		}[answer]
		return text, ok
	}
	specific := func(members string) string {
		return fmt.Sprintf(`{"hookSpecificOutput": {"hookEventName": %q, %s}}`, event, members)
	}
	common := map[string]string{
		"none": "", "text": "hello", "broken": `{"continue": fal`, "wrong": `{"continue": "false"}`, "empty": "{}",
		"system": `{"systemMessage": "SYSTEM"}`, "stop": `{"continue": false, "stopReason": "STOPPED"}`,
	}
	if text, ok := common[answer]; ok {
		return text, true
	}
	const deny = `"permissionDecision": "deny", "permissionDecisionReason": "REASON"`
	own := map[string]map[string]string{
		"PreToolUse": {
			"approve": `{"decision": "approve"}`,
			"allow":   specific(`"permissionDecision": "allow", "permissionDecisionReason": "REASON"`),
			"deny":    specific(deny), "bom": "\ufeff" + specific(deny),
			"array": "[" + specific(deny) + "]", "two": "{}\n" + specific(deny), "below": "Welcome!\n" + specific(deny),
			"ask":   specific(`"permissionDecision": "ask", "permissionDecisionReason": "REASON"`),
			"defer": specific(`"permissionDecision": "defer"`),
			"input": specific(`"permissionDecision": "allow", "updatedInput": {"word": "changed"}`),
			"only":  specific(`"updatedInput": {"word": "changed"}`),
		},
		"PermissionRequest": {
			"allow": specific(`"decision": {"behavior": "allow"}`),
			"deny":  specific(`"decision": {"behavior": "deny", "message": "REASON"}`),
			"defer": specific(`"decision": {"behavior": "deny", "message": "REASON", "interrupt": true}`),
			"input": specific(`"decision": {"behavior": "allow", "updatedInput": {"word": "changed"}}`),
		},
		"PermissionDenied": {"retry": specific(`"retry": true`)},
		"PostToolUse":      {"output": specific(`"updatedToolOutput": "OUTPUT"`)},
		"Elicitation": {
			"accept": specific(`"action": "accept", "content": {"a": "hook"}`), "decline": specific(`"action": "decline"`), "cancel": specific(`"action": "cancel"`),
		},
		"UserPromptSubmit": {"title": specific(`"sessionTitle": "TITLE"`)},
		"SessionStart":     {"title": specific(`"sessionTitle": "TITLE"`), "path": specific(`"watchPaths": ["/PATH"]`)},
		"MessageDisplay":   {"display": specific(`"displayContent": "OUTPUT"`)},
		"WorktreeCreate":   {"path": specific(`"worktreePath": "/PATH"`)},
		"CwdChanged":       {"path": specific(`"watchPaths": ["/PATH"]`)},
	}
	own["ElicitationResult"] = own["Elicitation"]
	if text, ok := own[event][answer]; ok {
		return text, true
	}
	takesContext := strings.Fields("PreToolUse PostToolUse PostToolUseFailure PostToolBatch SubagentStart Stop SubagentStop UserPromptSubmit UserPromptExpansion SessionStart Setup")
	takesBlock := strings.Fields("PreToolUse PostToolUse PostToolUseFailure PostToolBatch Stop SubagentStop TaskCreated TaskCompleted TeammateIdle UserPromptSubmit UserPromptExpansion Elicitation ElicitationResult ConfigChange PreCompact")
	switch {
	case answer == "context" && slices.Contains(takesContext, event):
		return specific(`"additionalContext": "CONTEXT"`), true
	case answer == "block" && slices.Contains(takesBlock, event):
		return `{"decision": "block", "reason": "REASON"}`, true
	}
	return "", false
}

// wrongAnswers are those that no schema accepts.
var wrongAnswers = []string{"text", "broken", "wrong", "array", "two", "bom", "below"}

// allCells generates the matrix.
func allCells() []cell {
	var all []cell
	for _, event := range documentedEvents() {
		for _, kind := range []string{"command", "http", "mcp_tool", "prompt", "agent"} {
			set, _, err := hooks.Parse(fmt.Appendf(nil, `{%q: [{"hooks": [%s]}]}`, event, handlerOf(kind)), "", "")
			if err != nil || len(set.Handlers(event)) == 0 {
				continue // the event does not run hooks of the type
			}
			for _, end := range ends[kind] {
				for _, answer := range answers {
					if _, ok := answerText(event, kind, answer); !ok || !sensible(event, end, answer) {
						continue
					}
					for _, mode := range []string{"lax", "strict"} {
						for _, caller := range callersOf(event) {
							all = append(all, cell{event, kind, end, answer, mode, caller})
						}
					}
				}
			}
		}
	}
	return all
}

// sensible reports whether a handler can give an answer and end so.
func sensible(event, end, answer string) bool {
	switch end {
	case "missing", "panic":
		return answer == "none"
	case "killed", "late":
		return answer == "none" || answer == blockers[event]
	}
	return true
}

func callersOf(event string) []string {
	switch {
	case fields[event] != nil, strings.HasPrefix(event, "Elicitation"):
		return []string{"main", "agent"}
	}
	return callers
}

// handlerOf returns a handler of a type without its place.
func handlerOf(kind string) string {
	return map[string]string{
		"command": `{"type": "command", "command": "true"}`, "http": `{"type": "http", "url": "http://localhost"}`,
		"mcp_tool": `{"type": "mcp_tool", "server": "s", "tool": "t"}`, "prompt": `{"type": "prompt", "prompt": "$ARGUMENTS"}`, "agent": `{"type": "agent", "prompt": "$ARGUMENTS"}`,
	}[kind]
}

// A row says what is expected in some cells: each column is a word, words with commas between
// them, or *.
type row struct {
	line    int
	columns [][]string // nil for *
	want    string
	won     int
}

func (r *row) covers(c cell) bool {
	for i, value := range []string{c.event, c.kind, c.end, c.answer, c.mode, c.caller} {
		if r.columns[i] != nil && !slices.Contains(r.columns[i], value) {
			return false
		}
	}
	return true
}

// expectations reads testdata/matrix.txt: of several rows that cover a cell, the last counts.
func expectations(t *testing.T) []*row {
	t.Helper()
	f, err := os.Open("testdata/matrix.txt")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var rows []*row
	var groups []string // names of groups of events, and their events
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if name, list, ok := strings.Cut(text, ":"); ok && !strings.Contains(name, " ") {
			groups = append(groups, name, strings.Join(strings.Fields(list), ","))
			continue
		}
		left, want, ok := strings.Cut(strings.NewReplacer(groups...).Replace(text), "=")
		require.True(t, ok, "line %d", n)
		columns := strings.Fields(left)
		require.Len(t, columns, 6, "line %d", n)
		r := &row{line: n, columns: make([][]string, len(columns)), want: strings.Join(strings.Fields(want), " ")}
		for i, column := range columns {
			if column != "*" {
				r.columns[i] = strings.Split(column, ",")
			}
		}
		rows = append(rows, r)
	}
	require.NoError(t, lines.Err())
	return rows
}

func rowOf(rows []*row, c cell) *row {
	for _, r := range slices.Backward(rows) {
		if r.covers(c) {
			return r
		}
	}
	return nil
}

// TestMatrixIsComplete checks that each cell has an expectation, that each row has cells, and
// that each answer is right or wrong as its name says.
func TestMatrixIsComplete(t *testing.T) {
	t.Parallel()
	rows := expectations(t)
	cells := allCells()
	t.Logf("%d cells, %d rows", len(cells), len(rows))
	for _, c := range cells {
		r := rowOf(rows, c)
		if r == nil {
			t.Errorf("no row for the cell %v", c)
			continue
		}
		r.won++
		if c.mode != "lax" || c.caller != "main" {
			continue
		}
		text, _ := answerText(c.event, c.kind, c.answer)
		var value any
		right := text == "" || json.Unmarshal([]byte(text), &value) == nil && answerSchemas()[answerSchema(c)].Validate(value) == nil
		require.Equal(t, !slices.Contains(wrongAnswers, c.answer), right, "%v: %s", c, text)
	}
	for _, r := range rows {
		if r.won == 0 {
			t.Errorf("testdata/matrix.txt:%d: the row is about no cell", r.line)
		}
	}
}

func answerSchema(c cell) string {
	if c.kind == "prompt" || c.kind == "agent" {
		return "prompt"
	}
	return c.event
}

// TestMatrix runs the cells. Most start a process or wait for a time-out, so that less than full
// effort runs a quarter of its share.
func TestMatrix(t *testing.T) {
	t.Parallel()
	rows := expectations(t)
	server := httptest.NewServer(http.HandlerFunc(serveHook))
	t.Cleanup(server.Close)
	cells := make(chan cell)
	var workers sync.WaitGroup
	for range 8 { // more than there are processors: most of the time a cell waits for its hook
		workers.Go(func() {
			for c := range cells {
				t.Run(c.String(), func(t *testing.T) { require.Equal(t, rowOf(rows, c).want, c.observe(t, server.URL)) })
			}
		})
	}
	for i, c := range effort.Sample(t, allCells()) {
		if (i%4 == 0 || effort.Full(t)) && rowOf(rows, c) != nil { // else TestMatrixIsComplete fails
			cells <- c
		}
	}
	close(cells)
	workers.Wait()
}

// serveHook answers as the query says.
func serveHook(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	body, _ := io.ReadAll(r.Body)
	file := filepath.Join(q.Get("record"), strconv.FormatInt(time.Now().UnixNano(), 10))
	_ = errors.Join(os.WriteFile(file, body, 0o600), os.Rename(file, file+".json"))
	if q.Get("end") == "late" {
		<-r.Context().Done()
		return
	}
	if q.Get("end") == "1" {
		w.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = io.WriteString(w, q.Get("answer"))
}

// hookOf returns the cell's hook, and the funcs of the host that it needs.
func (c cell) hookOf(t *testing.T, address, record string) (string, hooks.Options) {
	t.Helper()
	text, _ := answerText(c.event, c.kind, c.answer)
	o := hooks.Options{Strict: c.mode == "strict"}
	h := map[string]any{"type": c.kind}
	if c.end == "late" {
		h["timeout"] = 0.4
		if c.answer != "none" {
			h["timeout"] = 4 // enough to print the answer
		}
	}
	switch c.kind {
	case "command":
		file := filepath.Join(record, "answer")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		exit := map[string]string{"killed": "kill -9 $$", "late": "exec sleep 30"}[c.end]
		read := fmt.Sprintf("cat >%s/$$.json", record)
		if c.end == "late" {
			read = fmt.Sprintf("cat >%s/$$; mv %[1]s/$$ %[1]s/$$.json", record) // it may be killed on the way
		}
		h["command"] = fmt.Sprintf("%s; cat %s; echo STDERR >&2; %s", read, file, cmp.Or(exit, "exit "+c.end))
		if c.end == "missing" {
			h["command"], h["args"] = "/nowhere/at-all", []string{}
		}
	case "http":
		h["url"] = address + "/?" + url.Values{"end": {c.end}, "answer": {text}, "record": {record}}.Encode()
		if c.end == "missing" {
			h["url"] = "http://127.0.0.1:1/"
		}
	case "mcp_tool":
		h["server"], h["tool"] = "s", "t"
	default:
		h["prompt"] = "$ARGUMENTS"
	}
	respond := func(ctx context.Context) (string, error) {
		switch c.end {
		case "late":
			<-ctx.Done()
			return text, ctx.Err()
		case "missing":
			return "", errors.New("not connected")
		case "panic":
			panic("the host is broken")
		}
		return text, nil
	}
	o.Invoke = func(ctx context.Context, _, _ string, _ json.RawMessage) (*pegboard.Result, error) {
		text, err := respond(ctx)
		r := pegboard.TextResult(text)
		r.IsError = c.end == "1"
		return r, err
	}
	o.Prompt = func(ctx context.Context, _ hooks.Handler, prompt string) (string, error) {
		file := filepath.Join(record, strconv.FormatInt(time.Now().UnixNano(), 10))
		if err := errors.Join(os.WriteFile(file, []byte(prompt), 0o600), os.Rename(file, file+".json")); err != nil && c.end != "late" {
			return "", err
		}
		return respond(ctx)
	}
	group := map[string]any{"hooks": []any{h}}
	if fields[c.event] == nil && !strings.HasPrefix(c.event, "Elicitation") && c.event != "PostToolBatch" {
		group["matcher"] = "^(mcp__far__)?(Free|Asked|Broken)$" // not the tool that calls them
	}
	data, err := json.Marshal(map[string]any{c.event: []any{group}})
	require.NoError(t, err)
	return string(data), o
}

// observe runs the cell and returns what came of it, in words.
func (c cell) observe(t *testing.T, address string) string {
	t.Helper()
	record := t.TempDir()
	text, o := c.hookOf(t, address, record)
	set, problems, err := hooks.Parse([]byte(text), policy.SourceUser, "f")
	require.NoError(t, err)
	require.Empty(t, problems)
	cfg := pegboard.SessionConfig{}
	if c.event == "PermissionDenied" {
		cfg.Classifier = func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "it looks dangerous"}, nil
		}
		cfg.Permissions, err = policy.New(policy.ModeAuto, policy.RuleSet{Allow: []string{"Script"}})
		require.NoError(t, err)
	}
	sc := newScene(t, set, o, cfg)
	sc.record = record
	var what seen
	switch {
	case fields[c.event] != nil:
		what = c.fire(sc)
	case strings.HasPrefix(c.event, "Elicitation"):
		what = c.fill(sc)
	case c.event == "PreToolUse":
		what = pair(c.callTool(sc, "Free"), c.callTool(sc, "Asked"))
	case c.event == "PostToolUse", c.event == "PostToolBatch":
		what = c.callTool(sc, "Free")
	case c.event == "PostToolUseFailure":
		what = c.callTool(sc, "Broken")
	default:
		what = c.callTool(sc, "Asked")
	}
	sc.cleanup()
	ran := c.kind != "mcp_tool" && (c.end != "missing" || c.kind == "prompt" || c.kind == "agent")
	payloads := 0
	for _, p := range sc.payloads() {
		require.Equal(t, c.event, p["hook_event_name"])
		if own, _ := fields[c.event].(map[string]any); own["agent_id"] != nil {
			require.Equal(t, own["agent_id"], p["agent_id"])
		} else if c.caller == "agent" || c.caller == "background" {
			require.Equal(t, "agent-1", p["agent_id"])
		} else if fields[c.event] == nil {
			require.NotContains(t, p, "agent_id")
		}
		payloads++
	}
	if c.end != "late" || payloads > 0 { // else it may have been stopped before it could write
		require.Equal(t, ran, payloads > 0, "the hook has run")
	}
	return what.String()
}

// seen are words for what was seen of a cell, each once, the decision first.
type seen []string

func (s seen) String() string {
	if len(s) == 0 {
		return ""
	}
	rest := slices.Compact(slices.Sorted(slices.Values(s[1:])))
	return strings.Join(append([]string{s[0]}, rest...), " ")
}

func (s *seen) add(when bool, word string) {
	if when {
		*s = append(*s, word)
	}
}

// pair returns what was seen of a call that is allowed and of one that is asked about, with
// one word for the decision.
func pair(free, asked seen) seen {
	verdict := map[string]string{
		"ran/asked": "pass", "ran/ran": "allow", "asked/asked": "ask", "denied/denied": "deny", "deferred/deferred": "defer",
	}
	both := free[0] + "/" + asked[0]
	return append(seen{cmp.Or(verdict[both], both)}, append(free[1:], asked[1:]...)...)
}

// callTool calls a tool and returns what was seen.
func (c cell) callTool(sc *scene, tool string) seen {
	sc.Helper()
	sc.ran, sc.asked = nil, nil
	out, model := sc.call(c.caller, tool)
	var s seen
	switch {
	case len(sc.asked) > 0 || errors.Is(out.Err, pegboard.ErrNoApprover):
		s.add(true, "asked")
	case errors.Is(out.Err, pegboard.ErrDeferred):
		s.add(true, "deferred")
	case errors.Is(out.Err, pegboard.ErrDenied):
		s.add(true, "denied")
	case len(sc.ran) == 1:
		s.add(true, "ran")
	default:
		s.add(true, fmt.Sprint("?", out.Err))
	}
	require.Equal(sc, s[0] == "ran", len(sc.ran) > 0, "the tool ran, or was refused")
	s.add(slices.Contains(sc.ran, tool+" changed"), "changed")
	s.add(out.StopTurn, "stop")
	c.addTexts(sc, &s, model)
	return s
}

// addTexts adds which texts of the hook have reached whom.
func (c cell) addTexts(sc *scene, s *seen, model string) {
	for word, text := range map[string]string{"context": "CONTEXT", "reason": "REASON", "stderr": "STDERR", "output": "OUTPUT", "retry": "tried again"} {
		s.add(strings.Contains(model, text), word)
	}
	require.NotContains(sc, model, "SYSTEM", "what is for the person")
	require.NotContains(sc, model, "STOPPED", "what is for the person")
	s.add(strings.Contains(fmt.Sprint(sc.told, sc.asked), "REASON") || strings.Contains(fmt.Sprint(sc.told), "S"), "person")
	s.add(len(sc.problems) > 0, "problem")
}

// fill shows a form and returns what was seen.
func (c cell) fill(sc *scene) seen {
	sc.Helper()
	ctx, session := context.Background(), sc.session
	if c.caller == "agent" {
		fork, err := session.Fork(pegboard.SessionConfig{AgentID: "agent-1", AgentType: "reviewer"})
		require.NoError(sc, err)
		defer func() { require.NoError(sc, fork.Close(ctx)) }()
		session = fork
	}
	filled, err := session.Elicit(ctx, pegboard.Elicitation{From: "far", Message: "Who?", Schema: json.RawMessage(`{"type": "object", "properties": {"a": {"type": "string"}}}`)})
	s := seen{string(filled.Action)}
	if err != nil {
		s = seen{fmt.Sprint("?", err)}
	}
	s.add(len(sc.asked) > 0, "asked")
	s.add(strings.Contains(string(filled.Content), "hook"), "changed")
	c.addTexts(sc, &s, "")
	return s
}

// fire fires an event of the loop and returns what was seen.
func (c cell) fire(sc *scene) seen {
	sc.Helper()
	ctx, session := context.Background(), sc.session
	if c.caller == "agent" {
		fork, err := session.Fork(pegboard.SessionConfig{AgentID: "agent-1", AgentType: "reviewer"})
		require.NoError(sc, err)
		defer func() { require.NoError(sc, fork.Close(ctx)) }()
		session = fork
	}
	a, err := sc.runner.Fire(ctx, session, c.event, fields[c.event])
	s := seen{"goes"}
	if a.Block {
		s = seen{"blocked"}
	}
	if err != nil {
		s = seen{"failed"}
	}
	s.add(a.Stop, "stop")
	s.add(a.SessionTitle == "TITLE", "title")
	s.add(slices.Contains(a.WatchPaths, "/PATH") || a.WorktreePath == "/PATH", "path")
	s.add(a.Display != nil && *a.Display == "OUTPUT", "output")
	s.add(slices.ContainsFunc(a.Context, func(text string) bool { return strings.Contains(text, "hello") }), "text")
	c.addTexts(sc, &s, a.Reason+strings.Join(a.Context, "\n"))
	return s
}
