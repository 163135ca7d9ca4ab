package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

var errLeft = errors.New("the user has left")

// TestRandom connects servers, has them die, changes their lists and calls them, all at once
// and at random. Each call has one outcome, which says what has become of it; the built-in
// tools, with which the provider's prompt cache begins, stay the same bytes; and nothing is
// left.
func TestRandom(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	remote := newHTTPServer(t)
	first, second := own(t, "first", "usual"), own(t, "second", "usual")
	first.AlwaysLoad, second.AlwaysLoad = true, true
	b := newBridge(t, func(s *setup) { s.options.Begin = soon }, first, second, remote.config("remote"))
	require.NoError(t, b.registry.Add(b.servers.Tools()[:2]...))
	b.ready()
	r := &randomRun{b: b, remote: remote, events: map[string]int{}}
	b.executor.OnEvent = r.event
	r.prefix = r.builtIns(r.sync())
	require.NotEmpty(t, r.prefix)
	steps := effort.Of(t, 1500)
	var workers []<-chan error
	for worker := range 4 {
		random := rand.New(rand.NewPCG(seed, uint64(worker)))
		workers = append(workers, goroutine.Go(func() {
			for range steps {
				r.step(random)
			}
		}))
	}
	for _, done := range workers {
		require.NoError(t, <-done)
	}
	require.Empty(t, r.problems)
	require.Positive(t, r.answered)
	for id, ends := range r.events {
		require.Equal(t, 1, ends, id)
	}
	for _, name := range []string{"first", "second", "remote"} {
		ctx, cancel := context.WithTimeout(t.Context(), soon)
		require.NoError(t, b.servers.Reconnect(ctx, name))
		cancel()
		b.requireEcho(name)
	}
	require.Equal(t, r.prefix, r.builtIns(r.sync()))
}

// A randomRun is what the workers of TestRandom share.
type randomRun struct {
	b      *bridge
	remote *httpServer
	prefix string

	mu       sync.Mutex
	problems []string
	events   map[string]int // how often the end of a call was reported
	answered int
	calls    int
}

func (r *randomRun) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *randomRun) event(e pegboard.Event) {
	if e.Kind == pegboard.EventFinished {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events[e.Call.ID]++
	}
}

func (r *randomRun) sync() *pegboard.Pool {
	r.b.servers.Sync(context.Background())
	return r.b.registry.AssemblePool(r.b.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
}

// builtIns returns the part of the tools that are sent before those of servers.
func (r *randomRun) builtIns(pool *pegboard.Pool) string {
	all := anthropic.New(pool, anthropic.Config{}).Tools()
	at := bytes.Index(all, []byte(`"mcp__`))
	if at < 0 {
		at = len(all)
	}
	begin, _, _ := strings.Cut(strings.TrimRight(string(all[:at]), "]{ "), `,{"name":`+"\x00")
	begin, _ = strings.CutSuffix(begin, `,{"name":`)
	return strings.TrimRight(begin, ",")
}

// step does one thing at random.
func (r *randomRun) step(random *rand.Rand) {
	servers := []string{"first", "second", "remote"}
	name := servers[random.IntN(len(servers))]
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	switch n := random.IntN(100); {
	case n < 3:
		if err := r.b.servers.Reconnect(ctx, name); err != nil && ctx.Err() != nil {
			r.problem("reconnect: %v", err)
		}
	case n < 6:
		if name == "remote" {
			r.remote.die()
		} else {
			_, _ = r.b.servers.Invoke(ctx, name, "die", json.RawMessage(`{"text":"random"}`))
		}
		_ = r.b.servers.Reconnect(ctx, name)
	case n < 12 && name != "remote":
		_, _ = r.b.servers.Invoke(ctx, name, "change", fmt.Appendf(nil, `{"text":"tool-%d"}`, random.IntN(5)))
	case n < 25:
		if prefix := r.builtIns(r.sync()); prefix != r.prefix {
			r.problem("the built-in tools are now %s", prefix)
		}
	case n < 35:
		ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(random.IntN(20))*time.Millisecond, errLeft)
		defer cancel()
		r.call(ctx, name, "wait")
	default:
		r.call(ctx, name, "echo")
	}
}

// call makes a call and checks its outcome.
func (r *randomRun) call(ctx context.Context, name, tool string) {
	r.mu.Lock()
	r.calls++
	id := fmt.Sprintf("call-%d", r.calls)
	r.mu.Unlock()
	c := newCall(r.b.t, name, tool, scriptedInput{Text: id})
	c.ID = id
	outcomes := r.b.executor.Run(ctx, r.sync(), c)
	if len(outcomes) != 1 {
		r.problem("%d outcomes", len(outcomes))
		return
	}
	o := outcomes[0]
	var lost *mcp.ServerError
	switch {
	case o.Err == nil && tool == "echo" && textOf(o) == id:
		r.mu.Lock()
		r.answered++
		r.mu.Unlock()
	case o.Err == nil:
		r.problem("%s: %s of %s returned %q", id, tool, name, textOf(o))
	case errors.As(o.Err, &lost), errors.Is(o.Err, errLeft), errors.Is(o.Err, pegboard.ErrUnknownTool):
	default:
		r.problem("%s: %s of %s failed: %v", id, tool, name, o.Err)
	}
}

// TestConnectsAndDeaths connects to servers a thousand times at full effort. Nothing is left:
// no goroutine, file descriptor, process or session. It is not parallel, because it counts.
func TestConnectsAndDeaths(t *testing.T) {
	remote := newHTTPServer(t)
	b := newBridge(t, nil, remote.config("remote"), own(t, "process", "usual")).ready()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	reconnect := func(times, processes int) {
		for n := range times {
			if n%3 == 0 {
				remote.die()
			}
			require.NoError(t, b.servers.Reconnect(ctx, "remote"))
			if n%10 == 0 {
				b.requireEcho("remote")
			}
		}
		for n := range processes {
			if n%2 == 0 {
				_, err := b.servers.Invoke(ctx, "process", "die", json.RawMessage(`{"text":"again"}`))
				require.Error(t, err)
			}
			require.NoError(t, b.servers.Reconnect(ctx, "process"))
		}
		b.requireEcho("process")
	}
	reconnect(3, 1)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	reconnect(effort.Of(t, 1000), effort.Of(t, 50))
	for begin := time.Now(); runtime.NumGoroutine() > goroutines+2 || openFiles() > files+2; time.Sleep(poll) {
		if time.Since(begin) > soon {
			require.Fail(t, "something is left", "%d goroutines and %d files after %d and %d:\n%s", runtime.NumGoroutine(), openFiles(), goroutines, files,
				strings.Join(bridgeGoroutines(), "\n\n"))
		}
	}
	remote.mu.Lock()
	defer remote.mu.Unlock()
	require.LessOrEqual(t, remote.sessions, 1)
}

// openFiles returns the number of open file descriptors, 0 where the system does not list them.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// process returns a server of others that is a process.
func process(t testing.TB, name string, p reference.Program, args ...string) mcpjson.Server {
	t.Helper()
	args = reference.Args(t, p, args...)
	return mcpjson.Server{Name: name, Type: mcpjson.Stdio, Command: args[0], Args: args[1:]}
}

// everythingTools are the tools of server-everything for a client with roots, forms and a model.
var everythingTools = []string{
	"echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference", "get-roots-list", "get-structured-content",
	"get-sum", "get-tiny-image", "gzip-file-as-resource", "simulate-research-query", "toggle-simulated-logging", "toggle-subscriber-updates",
	"trigger-elicitation-request", "trigger-long-running-operation", "trigger-sampling-request", "trigger-url-elicitation",
}

// TestEverything uses all that server-everything has, over each transport.
func TestEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		server func(t *testing.T) mcpjson.Server
	}{
		{name: "stdio", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "every", reference.Everything) }},
		{name: "HTTP", server: func(t *testing.T) mcpjson.Server {
			t.Helper()
			return mcpjson.Server{Name: "every", Type: mcpjson.HTTP, URL: "http://" + reference.Serve(t, reference.Everything, "streamableHttp") + "/mcp"}
		}},
		{name: "SSE", server: func(t *testing.T) mcpjson.Server {
			t.Helper()
			return mcpjson.Server{Name: "every", Type: mcpjson.SSE, URL: "http://" + reference.Serve(t, reference.Everything, "sse") + "/sse"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				if f.URL != "" {
					return pegboard.ElicitResult{Action: pegboard.ElicitAccept}, nil
				}
				return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"name":"Ada"}`)}, nil
			}}
			b := newBridge(t, func(s *setup) {
				u.setup(s)
				s.options.Begin = soon
				s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"the model says"}}`), nil
				}
			}, tt.server(t))
			require.NoError(t, b.registry.Add(b.servers.Tools()[:2]...))
			b.ready()
			requireEverythingTools(t, b)
			requireEverythingCalls(t, b, u)
			requireEverythingRest(t, b)
		})
	}
}

// requireEverythingTools expects the tools that the server lists only after it was told what
// the client can do.
func requireEverythingTools(t *testing.T, b *bridge) {
	t.Helper()
	began := time.Now()
	var tools []string
	for len(tools) != len(everythingTools) && time.Since(began) < soon {
		b.servers.Sync(t.Context())
		tools = nil
		for _, name := range names(b.registry.AssemblePool(b.session, pegboard.PoolConfig{})) {
			tools = append(tools, name[len("mcp__every__"):])
		}
		time.Sleep(poll)
	}
	slices.Sort(tools)
	require.Equal(t, everythingTools, tools)
}

func requireEverythingCalls(t *testing.T, b *bridge, u *user) {
	t.Helper()
	call := func(tool, input string) string {
		t.Helper()
		o := b.call("every", tool, json.RawMessage(input))
		require.NoError(t, o.Err, tool)
		require.False(t, o.Result.IsError, textOf(o))
		return textOf(o)
	}
	require.Equal(t, "Echo: hi", call("echo", `{"message":"hi"}`))
	require.Contains(t, call("get-sum", `{"a":1,"b":2}`), "3")
	require.Contains(t, call("get-roots-list", `{}`), filepath.Base(b.session.Dir()))
	require.Contains(t, call("trigger-long-running-operation", `{"duration":0.5,"steps":5}`), "5")
	require.Contains(t, b.progress(), "5/5")
	require.Contains(t, call("trigger-sampling-request", `{"prompt":"a"}`), "the model says")
	require.Contains(t, call("trigger-elicitation-request", `{}`), "Ada")
	require.Contains(t, string(u.shown()[0].Schema), `"name"`)
	call("trigger-url-elicitation", `{"url":"https://example.com/a"}`)
	call("trigger-url-elicitation", `{"url":"https://example.com/b","errorPath":true}`) // with the error -32042
	forms := u.shown()
	require.Equal(t, "https://example.com/a", forms[1].URL)
	require.Equal(t, "https://modelcontextprotocol.io", forms[2].URL)
	call("get-annotated-message", `{"messageType":"error","includeImage":true}`)
	require.Contains(t, call("get-resource-links", `{}`), "ReadMcpResource")
	require.Contains(t, call("get-resource-reference", `{"resourceType":"Text","resourceId":1}`), "demo://resource/dynamic/text/1")
	o := b.call("every", "get-tiny-image", json.RawMessage(`{}`))
	require.NoError(t, o.Err)
	require.True(t, slices.ContainsFunc(o.Result.Parts, func(p pegboard.Part) bool { return p.MIME == "image/png" && len(p.Data) > 0 }))
	o = b.call("every", "get-structured-content", json.RawMessage(`{"location":"New York"}`))
	require.NoError(t, o.Err)
	require.NoError(t, o.OutputErr)
	require.NotNil(t, o.Result.Data)
	require.Contains(t, call("gzip-file-as-resource", `{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}`), "gzip")

	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("the user has left"))
	defer cancel()
	began := time.Now()
	o = b.callContext(ctx, "every", "trigger-long-running-operation", json.RawMessage(`{"duration":60,"steps":60}`))
	require.ErrorContains(t, o.Err, "the user has left")
	require.Less(t, time.Since(began), 10*time.Second)
	require.Equal(t, "Echo: after", call("echo", `{"message":"after"}`))
}

// requireEverythingRest uses the resources and the prompts.
func requireEverythingRest(t *testing.T, b *bridge) {
	t.Helper()
	pool := b.registry.AssemblePool(b.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
	run := func(name, input string) pegboard.Outcome {
		return b.executor.Run(t.Context(), pool, pegboard.Call{Name: name, Input: json.RawMessage(input)})[0]
	}
	o := run("ListMcpResources", `{"server":"every"}`)
	require.NoError(t, o.Err)
	listed, ok := o.Result.Data.([]mcp.Resource)
	require.True(t, ok)
	require.Greater(t, len(listed), 5)
	require.True(t, slices.ContainsFunc(listed, func(r mcp.Resource) bool { return r.URITemplate != "" }))
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://resource/dynamic/text/1"}`)
	require.NoError(t, o.Err)
	require.Contains(t, textOf(o), "Resource 1")
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://resource/dynamic/blob/1"}`)
	require.NoError(t, o.Err)
	require.Contains(t, textOf(o), "is in /")
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://none"}`)
	require.ErrorContains(t, o.Err, "demo://none")

	prompts, err := b.servers.Prompts(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, prompts)
	for _, p := range prompts {
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = "1"
		}
		if p.Name == "resource-prompt" {
			args = map[string]string{"resourceType": "Text", "resourceId": "1"}
		}
		parts, err := b.servers.Prompt(t.Context(), "every", p.Name, args)
		require.NoError(t, err, p.Name)
		require.NotEmpty(t, parts)
	}
	_, err = b.servers.Prompt(t.Context(), "every", "none", nil)
	require.Error(t, err)
}

// TestServersOfOthers lists and calls tools of servers that others wrote.
func TestServersOfOthers(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "a.txt"), []byte("hello"), 0o600))
	sdk := func(t *testing.T, stateless string) mcpjson.Server {
		t.Helper()
		return mcpjson.Server{Name: "srv", Type: mcpjson.HTTP, URL: "http://" + reference.Serve(t, reference.SDKServer, "-http="+reference.Address, "-stateless="+stateless) + "/"}
	}
	tests := []struct {
		name     string
		server   func(t *testing.T) mcpjson.Server
		env      map[string]string
		tool     string
		input    string
		want     string
		protocol string
		tools    int // at least
	}{
		{name: "filesystem", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Filesystem, files) },
			tool: "read_text_file", input: `{"path":"` + filepath.Join(files, "a.txt") + `"}`, want: "hello", tools: 10},
		{name: "memory", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Memory) },
			env:  map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")},
			tool: "create_entities", input: `{"entities":[{"name":"Ada","entityType":"person","observations":["x"]}]}`, want: "Ada", tools: 9},
		{name: "thinking", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.SequentialThinking) },
			tool: "sequentialthinking", input: `{"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, want: "thoughtNumber", tools: 1},
		{name: "GitHub", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.GitHub) },
			env: map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "none"}, protocol: "2024-11-05", tools: 20},
		{name: "gopls", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Gopls, "mcp") },
			tool: "go_workspace", input: `{}`, want: "", tools: 5},
		{name: "SDK, stateless", server: func(t *testing.T) mcpjson.Server { t.Helper(); return sdk(t, "true") },
			tool: "test_simple_text", input: `{}`, want: "simple text", protocol: "2026-07-28", tools: 10},
		{name: "SDK, stateful", server: func(t *testing.T) mcpjson.Server { t.Helper(); return sdk(t, "false") },
			tool: "test_simple_text", input: `{}`, want: "simple text", tools: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config := tt.server(t)
			config.Env = tt.env
			b := newBridge(t, func(s *setup) { s.options.Begin, s.session.Dir = soon, files }, config).ready()
			b.servers.Sync(t.Context())
			s := b.now("srv")
			require.GreaterOrEqual(t, s.Tools, tt.tools)
			require.Empty(t, s.Registration.Quarantined)
			require.NotEmpty(t, s.Protocol)
			if tt.protocol != "" {
				require.Equal(t, tt.protocol, s.Protocol)
			}
			if tt.tool == "" {
				return
			}
			o := b.call("srv", tt.tool, json.RawMessage(tt.input))
			require.NoError(t, o.Err)
			require.Contains(t, textOf(o), tt.want)
			require.False(t, o.Result.IsError, textOf(o))
		})
	}
}

const sizeLimit = 32 << 20

// TestHugeAnswer streams an answer of 1 GiB at full effort. It is not kept, its call fails, and
// the next one works. It is not parallel, because it measures the memory.
func TestHugeAnswer(t *testing.T) {
	b := newBridge(t, func(s *setup) { s.options.MaxMessage = sizeLimit }, own(t, "srv", "usual")).ready()
	b.requireEcho("srv")
	var o error
	grown := reference.HeapGrowth(func() { o = b.call("srv", "huge", scriptedInput{Bytes: effort.Of(t, 1<<30)}).Err })
	require.ErrorContains(t, o, "longer than 33554432 bytes")
	require.Less(t, grown, uint64(3*sizeLimit))
	b.requireEcho("srv")
	require.Equal(t, mcp.Ready, b.now("srv").Status)
	require.Zero(t, b.now("srv").Strays)
}

// TestAnswerWithoutEnd has an answer begin and not end. The limit of time ends its call; the
// server can be connected again.
func TestAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, func(s *setup) { s.options.MaxMessage, s.options.Idle = 1<<20, 3*time.Second }, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
	o := b.call("srv", "endless", scriptedInput{Bytes: 10 << 20})
	require.ErrorIs(t, o.Err, mcp.ErrIdle)
	b.requireEcho("other")
	ctx, cancel := context.WithTimeoutCause(t.Context(), soon, errors.New("the test has ended"))
	defer cancel()
	require.NoError(t, b.servers.Reconnect(ctx, "srv"))
	b.requireEcho("srv")
}

// TestServersThatDoNotBegin starts servers that cannot be connected beside one that can. The
// error of each says why.
func TestServersThatDoNotBegin(t *testing.T) {
	tests := []struct {
		mode   string
		status mcp.Status // of the first failure
		err    string
		slow   bool // the time for the beginning is used up
	}{
		{mode: "missing", status: mcp.Failed, err: "cannot be started"},
		{mode: "exit", status: mcp.Pending, err: "exit code 3; the end of its stderr: no configuration found"},
		{mode: "usage", status: mcp.Pending, err: "did not begin in time", slow: true},
		{mode: "shut", status: mcp.Pending, err: "closed its output"},
		{mode: "ignore", status: mcp.Pending, err: "did not begin in time", slow: true},
		{mode: "refuse", status: mcp.Pending, err: "the license has expired"},
		{mode: "version", status: mcp.Pending, err: `unsupported protocol version: "1999-01-01"`},
		{mode: "nolist", status: mcp.Pending, err: "its tools are no list"},
		{mode: "faultylist", status: mcp.Pending, err: "the database is down"},
		{mode: "stubborn", status: mcp.Ready},
		{mode: "fork", status: mcp.Ready},
		{mode: "banner", status: mcp.Ready},
		{mode: "early", status: mcp.Ready},
	}
	configs := []mcpjson.Server{own(t, "good", "usual")}
	for _, tt := range tests {
		config := own(t, tt.mode, tt.mode)
		if tt.mode == "missing" {
			config.Command = "pegboard-no-such-command"
		}
		if !tt.slow {
			configs = append(configs, config)
		}
	}
	all := newBridge(t, func(s *setup) { s.options.Begin, s.options.Local = soon, len(tests) }, configs...)
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			b := all
			if tt.slow {
				b = newBridge(t, func(s *setup) { s.options.Begin = time.Second }, own(t, tt.mode, tt.mode))
			}
			s := b.until(tt.mode, func(s mcp.State) bool { return s.Err != nil || s.Status == mcp.Ready })
			require.Equal(t, tt.status, s.Status, s.Err)
			if tt.err == "" {
				b.requireEcho(tt.mode)
				return
			}
			require.ErrorContains(t, s.Err, tt.err)
			if !tt.slow {
				require.NotErrorIs(t, s.Err, mcp.ErrSlowStart)
			}
		})
	}
	all.ready("good").requireEcho("good")
	require.Equal(t, 6, all.now("banner").Strays)
	require.Equal(t, "starting server on stdio…", all.now("banner").FirstStray)
}

// TestShellThatForks starts a server by a shell that stays, and one whose helper outlives it.
func TestShellThatForks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	shell := func(name, script string) mcpjson.Server {
		s := own(t, name, "usual")
		s.Command, s.Args = "sh", []string{"-c", script, s.Command}
		return s
	}
	b := newBridge(t, nil, shell("stays", `"$0"; true`), shell("helper", `sleep 600 & "$0"`), shell("holds", `(trap "" TERM; sleep 600) & "$0"`))
	b.ready()
	for _, name := range []string{"stays", "helper", "holds"} {
		b.requireEcho(name)
	}
	began := time.Now()
	b.close()
	require.Less(t, time.Since(began), maxClose)
}

// TestServersThatEnd has servers end while calls run. The calls fail at once with the name of
// the server, and the server is connected again.
func TestServersThatEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool string
		err  string
	}{
		{tool: "die", err: "exit code 3; the end of its stderr: fatal: disk full"},
		{tool: "shut", err: "closed its output"},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, nil, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
			b.servers.Sync(t.Context())
			pool := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
			waiting, call := make(chan pegboard.Outcome, 1), newCall(t, "srv", "wait", scriptedInput{})
			ctx, cancel := context.WithTimeout(t.Context(), soon) // it may reach the next process, which does not end
			defer cancel()
			go func() { waiting <- b.executor.Run(ctx, pool, call)[0] }()
			input, err := json.Marshal(scriptedInput{Text: "disk full"})
			require.NoError(t, err)
			_, err = b.servers.Invoke(t.Context(), "srv", tt.tool, input)
			for _, err := range []error{err, (<-waiting).Err} {
				var fault *mcp.ServerError
				require.ErrorAs(t, err, &fault)
				require.Equal(t, "srv", fault.Server)
				require.ErrorContains(t, err, tt.err)
			}
			b.requireEcho("other")
			b.ready("srv").requireEcho("srv")
		})
	}
}

// TestServerThatDoesNotRead has a server read nothing while calls are made, cancelled, and
// made again. Closing does not wait for it.
func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
	short := func(patience time.Duration, tool string, size int) error {
		ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("the user has left"))
		defer cancel()
		return b.callContext(ctx, "srv", tool, scriptedInput{Text: string(make([]byte, size))}).Err
	}
	require.ErrorContains(t, short(2*time.Second, "deaf", 0), "the user has left")
	for n := range 3 {
		began := time.Now()
		require.ErrorContains(t, short(200*time.Millisecond, "echo", 300<<10+n), "the user has left")
		require.Less(t, time.Since(began), soon)
	}
	b.requireEcho("other")
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	require.NoError(t, b.servers.Reconnect(ctx, "srv"))
	b.requireEcho("srv")
	require.Less(t, time.Since(began), maxClose)
}

// TestRedirects expects that nothing is sent to another host than that of the configuration.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(foreign.Close)
	serve := func(handler http.HandlerFunc) string {
		s := httptest.NewServer(handler)
		t.Cleanup(s.Close)
		return s.URL
	}
	redirect := serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, foreign.URL, http.StatusTemporaryRedirect)
	})
	endpoint := serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: endpoint\ndata: " + foreign.URL + "/messages\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	html := serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>Please log in to the network</html>"))
	})
	tests := []struct {
		name, url string
		kind      mcpjson.Type
		err       string
	}{
		{name: "redirect", url: redirect, kind: mcpjson.HTTP, err: "another host"},
		{name: "redirect-sse", url: redirect, kind: mcpjson.SSE, err: "another host"},
		{name: "endpoint", url: endpoint, kind: mcpjson.SSE, err: "another host"},
		{name: "html", url: html, kind: mcpjson.HTTP, err: "did not answer with a message of the protocol"},
		{name: "html-sse", url: html, kind: mcpjson.SSE, err: "malformed line"},
		{name: "closed", url: "http://127.0.0.1:1", kind: mcpjson.HTTP, err: "refused"},
	}
	var configs []mcpjson.Server
	for _, tt := range tests {
		configs = append(configs, mcpjson.Server{Name: tt.name, Type: tt.kind, URL: tt.url})
	}
	b := newBridge(t, func(s *setup) { s.options.Begin = 10 * time.Second }, configs...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := b.until(tt.name, func(s mcp.State) bool { return s.Err != nil })
			require.ErrorContains(t, s.Err, tt.err)
			require.NotErrorIs(t, s.Err, mcp.ErrSlowStart)
		})
	}
	require.Zero(t, reached.Load())
}
