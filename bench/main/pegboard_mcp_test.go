package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/bench/harness"
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
	goSDKStandard(s)
	_ = s.Run(context.Background(), &sdk.StdioTransport{}) // ends with its input
}

var mcpInput = json.RawMessage(harness.Args)

// BenchmarkMCP measures calls of an MCP server that is a child process: by the bare client of
// the SDK, and by the bridge, through a pool and an executor.
func BenchmarkMCP(b *testing.B) {
	b.Run("MCP/floor-gosdk", func(b *testing.B) {
		session := bareSession(b)
		b.ReportAllocs()
		for b.Loop() {
			bareCall(b, session)
		}
	})
	b.Run("MCP/pegboard", func(b *testing.B) {
		pool := bridgePool(b)
		b.ReportAllocs()
		for b.Loop() {
			bridgeCall(b, pool, 1)
		}
	})
	b.Run("MCP200/floor-gosdk", func(b *testing.B) {
		session := bareSession(b)
		for b.Loop() {
			var all sync.WaitGroup
			for range 200 {
				all.Go(func() { bareCall(b, session) })
			}
			all.Wait()
		}
	})
	b.Run("MCP200/pegboard", func(b *testing.B) {
		pool := bridgePool(b)
		for b.Loop() {
			bridgeCall(b, pool, 200)
		}
	})
}

func bareSession(b *testing.B) *sdk.ClientSession {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serverVariable+"=1")
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), &sdk.CommandTransport{Command: command}, nil)
	require.NoError(b, err)
	b.Cleanup(func() { _ = session.Close() })
	return session
}

func bareCall(b *testing.B, session *sdk.ClientSession) {
	result, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "noop", Arguments: mcpInput})
	if err != nil || result.IsError {
		b.Errorf("%v %v", err, result)
	}
}

func bridgePool(b *testing.B) *pegboard.Pool {
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"mcp__bench"}})
	require.NoError(b, err)
	s := pegSession(b, pegboard.SessionConfig{Permissions: perms, Breaker: pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}})
	var reg pegboard.Registry
	servers := mcp.Start(s, &reg, mcp.Options{Trusted: func(mcpjson.Server) bool { return true }},
		mcpjson.Server{Name: "bench", Type: mcpjson.Stdio, Command: os.Args[0], Env: map[string]string{serverVariable: "1"}})
	require.NoError(b, servers.Ready(b.Context()))
	servers.Sync(b.Context())
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

func bridgeCall(b *testing.B, pool *pegboard.Pool, n int) {
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = pegboard.Call{ID: strconv.Itoa(i), Name: "mcp__bench__noop", Input: mcpInput}
	}
	ex := pegboard.Executor{MaxParallel: n}
	for _, out := range ex.Run(b.Context(), pool, calls...) {
		if out.Err != nil || out.Result.IsError {
			b.Errorf("%v %s", out.Err, out.Result.Text())
		}
	}
}

// BenchmarkServers measures how long eight servers of npm take to start, beside the slowest of
// them alone, and to close. It needs PEGBOARD_MCP_PROGRAMS.
func BenchmarkServers(b *testing.B) {
	folder := os.Getenv("PEGBOARD_MCP_PROGRAMS")
	if folder == "" {
		b.Skip("PEGBOARD_MCP_PROGRAMS is unset; .ci/run programs installs them")
	}
	script := func(name string, args ...string) mcpjson.Server {
		return mcpjson.Server{Type: mcpjson.Stdio, Command: "node", Args: append([]string{filepath.Join(folder, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")}, args...)}
	}
	kinds := []mcpjson.Server{
		script("server-everything"), script("server-filesystem", b.TempDir()), script("server-memory"), script("server-sequential-thinking"),
	}
	var eight []mcpjson.Server
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		one := kinds[i%len(kinds)]
		one.Name = name
		eight = append(eight, one)
	}
	b.Run("Servers8/floor-slowest", func(b *testing.B) {
		for b.Loop() {
			var slowest time.Duration
			for _, one := range eight[:len(kinds)] {
				slowest = max(slowest, startServers(b, 1, one))
			}
			b.ReportMetric(float64(slowest.Milliseconds()), "start-ms")
		}
	})
	b.Run("Servers8/pegboard", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(float64(startServers(b, len(eight), eight...).Milliseconds()), "start-ms")
		}
	})
}

// startServers returns how long the servers take to be ready.
func startServers(b *testing.B, atOnce int, servers ...mcpjson.Server) time.Duration {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(b, err)
	began := time.Now()
	started := mcp.Start(s, new(pegboard.Registry), mcp.Options{Local: atOnce}, servers...)
	require.NoError(b, started.Ready(b.Context()))
	elapsed := time.Since(began)
	closing := time.Now()
	require.NoError(b, s.Close(context.Background()))
	b.ReportMetric(float64(time.Since(closing).Milliseconds()), "close-ms")
	return elapsed
}
