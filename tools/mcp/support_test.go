package mcp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// maxClose is how long closing may take: two seconds on an idle machine.
const maxClose = time.Minute

// A bridge is a conversation with MCP servers.
type bridge struct {
	t        testing.TB
	session  *pegboard.Session
	registry *pegboard.Registry
	servers  *mcp.Servers
	executor *pegboard.Executor

	mu     sync.Mutex
	states []mcp.State
	events []pegboard.Event
}

// A setup changes what a bridge is made with.
type setup struct {
	session pegboard.SessionConfig
	options mcp.Options
}

// newBridge starts servers. They are closed at the end of the test, when nothing may be left.
func newBridge(t testing.TB, change func(*setup), servers ...mcpjson.Server) *bridge {
	t.Helper()
	permissions, err := policy.New(policy.ModeBypass)
	require.NoError(t, err)
	b := &bridge{t: t, registry: new(pegboard.Registry)}
	s := setup{session: pegboard.SessionConfig{Dir: t.TempDir(), Permissions: permissions, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}}, options: mcp.Options{OnState: b.state}}
	if change != nil {
		change(&s)
	}
	b.session, err = pegboard.NewSession(s.session)
	require.NoError(t, err)
	b.executor = &pegboard.Executor{OnEvent: b.event}
	mark := markName + "=" + t.Name()
	for i := range servers {
		env := map[string]string{markName: t.Name()}
		for name, value := range servers[i].Env {
			env[name] = value
		}
		servers[i].Env = env
	}
	b.servers = mcp.Start(b.session, b.registry, s.options, servers...)
	t.Cleanup(func() {
		b.close()
		require.Eventually(t, func() bool { return len(withMark(t, mark)) == 0 }, soon, poll, "processes are left")
	})
	return b
}

func (b *bridge) close() {
	ctx, cancel := context.WithTimeout(context.Background(), maxClose)
	defer cancel()
	if err := b.servers.Close(ctx); err != nil {
		require.NoError(b.t, err, strings.Join(bridgeGoroutines(), "\n\n"))
	}
	require.NoError(b.t, b.session.Close(ctx))
}

func (b *bridge) state(s mcp.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.states = append(b.states, s)
}

func (b *bridge) event(e pegboard.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// progress returns what calls have reported so far.
func (b *bridge) progress() (texts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Kind == pegboard.EventProgress {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// now returns the present state of a server.
func (b *bridge) now(server string) mcp.State {
	for _, s := range b.servers.States() {
		if s.Server == server {
			return s
		}
	}
	b.t.Fatalf("there is no server %s", server)
	return mcp.State{}
}

// until waits for a state of a server that OnState was told, and returns it.
func (b *bridge) until(server string, what func(mcp.State) bool) (found mcp.State) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, s := range b.states {
			if s.Server == server && what(s) {
				found = s
				return true
			}
		}
		return false
	}, soon, poll)
	return found
}

// ready waits until the servers are connected.
func (b *bridge) ready(names ...string) *bridge {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), soon)
	defer cancel()
	require.NoError(b.t, b.servers.Ready(ctx, names...))
	return b
}

// call calls a tool with an input through pool and executor, after a Sync.
func (b *bridge) call(server, tool string, input any) pegboard.Outcome {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), soon)
	defer cancel()
	return b.callContext(ctx, server, tool, input)
}

func (b *bridge) callContext(ctx context.Context, server, tool string, input any) pegboard.Outcome {
	b.t.Helper()
	b.servers.Sync(ctx)
	outcomes := b.executor.Run(ctx, b.registry.AssemblePool(b.session, pegboard.PoolConfig{}), newCall(b.t, server, tool, input))
	require.Len(b.t, outcomes, 1)
	return outcomes[0]
}

func newCall(t testing.TB, server, tool string, input any) pegboard.Call {
	t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	return pegboard.Call{Name: "mcp__" + server + "__" + tool, Input: raw}
}

// requireEcho expects that a server answers.
func (b *bridge) requireEcho(server string) {
	b.t.Helper()
	text := rand.Text() // the same call again and again is asked about
	o := b.call(server, "echo", scriptedInput{Text: text})
	require.NoError(b.t, o.Err)
	require.Equal(b.t, text, textOf(o))
}

// textOf returns the text of an outcome.
func textOf(o pegboard.Outcome) string {
	var texts []string
	for _, p := range o.Result.Parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// lines returns an input of the tool say.
func lines(texts ...string) scriptedInput {
	var in scriptedInput
	for _, text := range texts {
		in.Lines = append(in.Lines, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return in
}

// own returns a server that this binary plays.
func own(t testing.TB, name, mode string) mcpjson.Server {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return mcpjson.Server{Name: name, Type: mcpjson.Stdio, Command: path, Env: map[string]string{modeName: mode}}
}

// withMark returns the folders in /proc of the living processes whose environment has a
// variable. Elsewhere than on Linux there is none.
func withMark(t testing.TB, mark string) (all []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err == nil && bytes.Contains(environ, []byte(mark+"\x00")) {
			all = append(all, filepath.Dir(file))
		}
	}
	return all
}
