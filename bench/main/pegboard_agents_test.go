package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// agentsAtOnce is how many agents run at once, and heapBudget how much the heap may have grown
// when all have ended.
const (
	agentsAtOnce = agents.DefaultMaxRunning
	heapBudget   = 8 << 20
)

// BenchmarkAgents measures an agent that has nothing to do, over 50 built-in and 1,000 attached
// tools. No peer has a case.
//
//   - Agent: one call of the Agent tool, beside what every agent needs: a fork of the session,
//     its pool, and the end of the fork;
//   - Agents1000: a thousand such calls, 20 at a time, with the growth of the heap.
func BenchmarkAgents(b *testing.B) {
	b.Run("Agent/floor-fork", func(b *testing.B) {
		o := newOffice(b)
		b.ReportAllocs()
		for b.Loop() {
			o.forkAlone(b)
		}
	})
	b.Run("Agent/pegboard", func(b *testing.B) {
		o := newOffice(b)
		b.ReportAllocs()
		for b.Loop() {
			o.start(b, 1)
		}
	})
	b.Run("Agents1000/pegboard", func(b *testing.B) {
		o := newOffice(b)
		o.start(b, agentsAtOnce)
		before := heapInUse()
		for b.Loop() {
			for range 1000 / agentsAtOnce {
				o.start(b, agentsAtOnce)
			}
		}
		grown := heapInUse() - before
		if grown > heapBudget {
			b.Errorf("the heap has grown by %d KiB", grown>>10)
		}
		b.ReportMetric(float64(max(grown, 0))/(1<<20), "heapMiB")
	})
}

// An office is a session whose agents have the fleet.
type office struct {
	registry *pegboard.Registry
	session  *pegboard.Session
	pool     *pegboard.Pool
	executor pegboard.Executor
}

// newOffice returns an office in which one agent has run.
func newOffice(b *testing.B) *office {
	f := newFleet(b)
	o := &office{
		registry: &pegboard.Registry{},
		session:  pegSession(b, pegboard.SessionConfig{Dir: b.TempDir(), Permissions: f.rules, Breaker: unbroken}),
		executor: pegboard.Executor{MaxParallel: agentsAtOnce},
	}
	require.NoError(b, o.registry.Add(f.builtins...))
	for i, tools := range f.servers {
		attach(b, o.registry, i, tools)
	}
	g, err := agents.New(agents.Options{
		Registry: o.registry,
		Loop: func(context.Context, *agents.Agent) (agents.Reply, error) {
			return agents.Reply{Text: "done"}, nil
		},
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: agents.GeneralPurpose, Description: "For anything."}}
		},
	})
	require.NoError(b, err)
	require.NoError(b, o.registry.Add(g.Tools()...))
	o.pool = o.registry.AssemblePool(o.session, pegboard.PoolConfig{})
	require.GreaterOrEqual(b, o.pool.Len(), 1050)
	o.start(b, 1)
	o.forkAlone(b)
	return o
}

// unbroken lets a session make the same call as often as it likes.
var unbroken = pegboard.BreakerLimits{Repeats: -1, Denials: -1}

// start makes n calls of the Agent tool in one message.
func (o *office) start(b *testing.B, n int) {
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = pegboard.Call{ID: strconv.Itoa(i), Name: "Agent", Input: []byte(`{"description":"a small task","prompt":"Do it."}`)}
	}
	for _, out := range o.executor.Run(b.Context(), o.pool, calls...) {
		if out.Err != nil {
			b.Fatal(out.Err)
		}
	}
}

// forkAlone makes the session and the pool of an agent, and ends the session.
func (o *office) forkAlone(b *testing.B) {
	fork, err := o.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "agent-1", AgentType: agents.GeneralPurpose})
	if err != nil {
		b.Fatal(err)
	}
	if pool := o.registry.AssemblePool(fork, pegboard.PoolConfig{}); pool.Len() < 1050 {
		b.Fatal(fmt.Errorf("the pool has %d tools", pool.Len()))
	}
	if err := fork.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
