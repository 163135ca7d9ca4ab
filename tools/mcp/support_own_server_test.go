package mcp_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// world is a conversation with servers of this process.
type world struct {
	t        *testing.T
	session  *pegboard.Session
	registry *pegboard.Registry
	servers  *mcp.Servers
	executor pegboard.Executor

	mu     sync.Mutex
	states []mcp.State
}

// ownServer is a server of this process. Each connection gets a new one.
type ownServer struct {
	setup func(*sdk.Server)     // adds tools
	fail  func(tries int) error // an error of connecting, by the number of the attempt from 1
	opts  *sdk.ServerOptions

	mu     sync.Mutex
	tries  int
	server *sdk.Server
	end    *serverEnd // of the newest connection
}

// serverEnd is the server's end of a connection, which a test can cut.
type serverEnd struct {
	sdk.Transport
	conn sdk.Connection
}

func (e *serverEnd) Connect(ctx context.Context) (_ sdk.Connection, err error) {
	e.conn, err = e.Transport.Connect(ctx)
	return e.conn, err
}

func (o *ownServer) connect() (sdk.Transport, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tries++
	if o.fail != nil {
		if err := o.fail(o.tries); err != nil {
			return nil, err
		}
	}
	o.server = sdk.NewServer(&sdk.Implementation{Name: "own", Version: "1"}, o.opts)
	if o.setup != nil {
		o.setup(o.server)
	}
	client, server := sdk.NewInMemoryTransports()
	o.end = &serverEnd{Transport: server}
	_, err := o.server.Connect(context.Background(), o.end, nil)
	return client, err
}

// die cuts the newest connection, as the end of a process does.
func (o *ownServer) die() {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.end.conn.Close()
}

func (o *ownServer) attempts() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tries
}

// newWorld starts the servers.
func newWorld(t *testing.T, cfg pegboard.SessionConfig, o mcp.Options, own map[string]*ownServer, configs ...mcpjson.Server) *world {
	t.Helper()
	return startWorld(t, cfg, o, func(name string) (sdk.Transport, error) { return own[name].connect() }, configs)
}

// newWorldOf starts servers that are connected by a func.
func newWorldOf(t *testing.T, o mcp.Options, connect func(string) (sdk.Transport, error), configs ...mcpjson.Server) *world {
	t.Helper()
	return startWorld(t, pegboard.SessionConfig{}, o, connect, configs)
}

func startWorld(t *testing.T, cfg pegboard.SessionConfig, o mcp.Options, connect func(string) (sdk.Transport, error), configs []mcpjson.Server) *world {
	t.Helper()
	w := &world{t: t, registry: &pegboard.Registry{}}
	var err error
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Permissions, err = policy.New(policy.ModeBypass)
	require.NoError(t, err)
	w.session, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	host := o.OnState
	o.OnState = func(s mcp.State) {
		w.mu.Lock()
		w.states = append(w.states, s)
		w.mu.Unlock()
		if host != nil {
			host(s)
		}
	}
	w.servers = mcp.StartWith(w.session, w.registry, o, connect, configs...)
	return w
}

// close ends the conversation.
func (w *world) close() { require.NoError(w.t, w.session.Close(context.Background())) }

// run applies what has changed and makes a call.
func (w *world) run(tool, input string) pegboard.Outcome {
	w.t.Helper()
	return w.runIn(w.t.Context(), w.session, tool, input)
}

func (w *world) runIn(ctx context.Context, s *pegboard.Session, tool, input string) pegboard.Outcome {
	w.t.Helper()
	pool := w.registry.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
	out := w.executor.Run(ctx, pool, pegboard.Call{ID: "call", Name: tool, Input: json.RawMessage(input)})
	require.Len(w.t, out, 1)
	return out[0]
}

// statuses returns the statuses of a server in the order in which the host was told, without
// repetitions.
func (w *world) statuses(server string) (all []mcp.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.states {
		if s.Server == server && (len(all) == 0 || all[len(all)-1] != s.Status) {
			all = append(all, s.Status)
		}
	}
	return all
}

// names returns the names of the attached tools of a new pool.
func (w *world) names() (names []string) {
	for t := range w.registry.AssemblePool(w.session, pegboard.PoolConfig{}).All() {
		names = append(names, t.Info().Name)
	}
	return names
}

// addTool adds a tool that takes any object.
func addTool(s *sdk.Server, name string, call func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
	s.AddTool(&sdk.Tool{Name: name, Description: "The tool " + name, InputSchema: json.RawMessage(`{"type":"object"}`)}, call)
}

// answer returns the result of a call with one text.
func answer(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// stdioServer returns the configuration of a server that counts as local.
func stdioServer(name string) mcpjson.Server { return mcpjson.Server{Name: name, Type: mcpjson.Stdio} }
