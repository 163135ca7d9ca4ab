//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// BenchmarkServers measures how long eight servers of npm take until each has listed its tools,
// beside the bare client of the SDK with the same eight, and beside the slowest of them alone.
// It needs PEGBOARD_MCP_PROGRAMS.
func BenchmarkServers(b *testing.B) {
	folder := os.Getenv("PEGBOARD_MCP_PROGRAMS")
	if folder == "" {
		b.Skip("PEGBOARD_MCP_PROGRAMS is unset; .ci/run programs_all installs them")
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
		report(b, func() (slowest start) {
			for _, one := range eight[:len(kinds)] {
				if s := startServers(b, one); s.ready > slowest.ready {
					slowest = s
				}
			}
			return slowest
		})
	})
	b.Run("Servers8/floor-gosdk", func(b *testing.B) {
		report(b, func() start { return startBareServers(b, eight...) })
	})
	b.Run("Servers8/pegboard", func(b *testing.B) {
		report(b, func() start { return startServers(b, eight...) })
	})
}

// A start is how long servers took to be ready, and to be closed, and the processor time that
// their processes took until they had ended.
type start struct{ ready, closing, processor time.Duration }

// report makes the time until the servers are ready that of the benchmark.
func report(b *testing.B, run func() start) {
	var sum start
	for b.Loop() {
		s := run()
		sum.ready, sum.closing, sum.processor = sum.ready+s.ready, sum.closing+s.closing, sum.processor+s.processor
	}
	mean := func(d time.Duration) float64 { return float64(d) / float64(b.N) }
	b.ReportMetric(mean(sum.ready), "ns/op")
	b.ReportMetric(mean(sum.closing)/1e6, "close-ms")
	b.ReportMetric(mean(sum.processor)/1e6, "childrenCPU-ms")
}

// startServers starts servers side by side.
func startServers(b *testing.B, servers ...mcpjson.Server) (took start) {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(b, err)
	before, began := processorOfChildren(b), time.Now()
	started := mcp.Start(s, new(pegboard.Registry), mcp.Options{Local: len(servers)}, servers...)
	require.NoError(b, started.Ready(b.Context()))
	took.ready = time.Since(began)
	closing := time.Now()
	require.NoError(b, s.Close(context.Background()))
	took.closing, took.processor = time.Since(closing), processorOfChildren(b)-before
	return took
}

// startBareServers is startServers with the bare client of the SDK.
func startBareServers(b *testing.B, servers ...mcpjson.Server) (took start) {
	sessions := make([]*sdk.ClientSession, len(servers))
	before, began := processorOfChildren(b), time.Now()
	sideBySide(len(servers), func(i int) {
		session, err := connectBare(b, exec.Command(servers[i].Command, servers[i].Args...))
		if err == nil {
			_, err = session.ListTools(b.Context(), nil)
		}
		if err != nil {
			b.Error(err)
		}
		sessions[i] = session
	})
	took.ready = time.Since(began)
	require.False(b, b.Failed())
	closing := time.Now()
	sideBySide(len(servers), func(i int) { _ = sessions[i].Close() }) // some must be terminated
	took.closing, took.processor = time.Since(closing), processorOfChildren(b)-before
	return took
}

func sideBySide(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// processorOfChildren returns the processor time of the processes that have ended.
func processorOfChildren(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
