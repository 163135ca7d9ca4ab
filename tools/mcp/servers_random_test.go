package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
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
