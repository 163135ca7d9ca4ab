//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/bench/harness"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// serverVariable makes the test binary an MCP server on its standard input and output.
const serverVariable = "PEGBOARD_BENCH_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true} // calls of others run one after another
	noop := func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }
	sdk.AddTool(s, &sdk.Tool{Name: "noop", Description: description, Annotations: reads}, goSDKText(noop))
	sdk.AddTool(s, &sdk.Tool{Name: "write", Description: description}, goSDKText(noop))
	sdk.AddTool(s, &sdk.Tool{Name: "meet", Description: description, Annotations: reads}, goSDKText(meet()))
	_ = s.Run(context.Background(), &sdk.StdioTransport{}) // ends with its input
}

// atOnce is how many calls are made at once.
const atOnce = 200

// meet returns a tool whose calls return when all of them are there.
func meet() func(context.Context, harness.Input) (string, error) {
	var here atomic.Int64
	all := make(chan struct{})
	return func(context.Context, harness.Input) (string, error) {
		if here.Add(1) == atOnce {
			close(all)
		}
		select {
		case <-all:
			return "", nil
		case <-time.After(time.Minute):
			return "", fmt.Errorf("only %d of %d calls run at once", here.Load(), atOnce)
		}
	}
}

var mcpInput = json.RawMessage(harness.Args)

// BenchmarkMCP measures calls of an MCP server that is a child process: by the bare client of
// the SDK, and by the bridge, through a pool and an executor.
func BenchmarkMCP(b *testing.B) {
	b.Run("MCP/floor-gosdk", func(b *testing.B) {
		session := bareSession(b)
		b.ReportAllocs()
		for b.Loop() {
			bareCall(b, session, "noop")
		}
	})
	b.Run("MCP/pegboard", func(b *testing.B) {
		pool := bridgePool(b)
		b.ReportAllocs()
		for b.Loop() {
			bridgeCalls(b, pool, "noop", 1)
		}
	})
	b.Run("MCP200/floor-gosdk", func(b *testing.B) {
		session := bareSession(b)
		bareCalls(b, session, "meet")
		for b.Loop() {
			bareCalls(b, session, "noop")
		}
	})
	b.Run("MCP200/pegboard", func(b *testing.B) {
		pool := bridgePool(b)
		bridgeCalls(b, pool, "meet", atOnce)
		for b.Loop() {
			bridgeCalls(b, pool, "noop", atOnce)
		}
	})
	b.Run("MCP200/floor-gosdk-in-order", func(b *testing.B) {
		session := bareSession(b)
		for b.Loop() {
			for range atOnce {
				bareCall(b, session, "write")
			}
		}
	})
	b.Run("MCP200/pegboard-in-order", func(b *testing.B) {
		pool := bridgePool(b)
		for b.Loop() {
			bridgeCalls(b, pool, "write", atOnce)
		}
	})
}

func bareSession(b *testing.B) *sdk.ClientSession {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serverVariable+"=1")
	session, err := connectBare(b, command)
	require.NoError(b, err)
	b.Cleanup(func() { _ = session.Close() })
	return session
}

// connectBare starts a server in a session of its own, as the bridge does: Linux gives each
// session the same share of a busy machine.
func connectBare(b *testing.B, command *exec.Cmd) (*sdk.ClientSession, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	transport := &sdk.CommandTransport{Command: command, TerminateDuration: 500 * time.Millisecond}
	return sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), transport, nil)
}

func bareCall(b *testing.B, session *sdk.ClientSession, tool string) {
	result, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: tool, Arguments: mcpInput})
	if err != nil || result.IsError {
		b.Errorf("%v %v", err, result)
	}
}

func bareCalls(b *testing.B, session *sdk.ClientSession, tool string) {
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { bareCall(b, session, tool) })
	}
	all.Wait()
}

func bridgePool(b *testing.B) *pegboard.Pool {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__bench"}})
	require.NoError(b, err)
	s := pegSession(b, pegboard.SessionConfig{Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}})
	var reg pegboard.Registry
	servers := mcp.Start(s, &reg, mcp.Options{Trusted: func(mcpjson.Server) bool { return true }},
		mcpjson.Server{Name: "bench", Type: mcpjson.Stdio, Command: os.Args[0], Env: map[string]string{serverVariable: "1"}})
	require.NoError(b, servers.Ready(b.Context()))
	servers.Sync(b.Context())
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

func bridgeCalls(b *testing.B, pool *pegboard.Pool, tool string, n int) {
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = pegboard.Call{ID: strconv.Itoa(i), Name: "mcp__bench__" + tool, Input: mcpInput}
	}
	ex := pegboard.Executor{MaxParallel: n}
	for _, out := range ex.Run(b.Context(), pool, calls...) {
		if out.Err != nil || out.Result.IsError {
			b.Errorf("%v %s", out.Err, out.Result.Text())
		}
	}
}
