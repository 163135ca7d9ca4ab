package hooks_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
