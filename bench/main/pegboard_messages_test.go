package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// teammates is how many agents write to each other, and lettersOfRequest how many calls of
// SendMessage each message of their models has.
const (
	teammates        = 8
	lettersOfRequest = 5
)

// BenchmarkMessages measures a message between two of eight teammates that all write at once:
// the call of SendMessage, its decision, the mailbox, and the reading before the next request of
// the receiver. Each must arrive once. No peer has a case.
func BenchmarkMessages(b *testing.B) {
	b.Run("Messages/pegboard-memory", func(b *testing.B) { benchMessages(b, "") })
	b.Run("Messages/pegboard-disk", func(b *testing.B) { benchMessages(b, b.TempDir()) })
}

// A post counts the messages that the teammates write and read.
type post struct {
	messages int64 // that are to be written
	drawn    atomic.Int64
	read     []atomic.Int64 // how often each was read
	arrived  atomic.Int64
	lost     chan error // the first call that failed
	all      chan struct{}
	executor pegboard.Executor
}

func benchMessages(b *testing.B, dir string) {
	p := &post{messages: int64(b.N), read: make([]atomic.Int64, b.N), lost: make(chan error, 1), all: make(chan struct{})}
	begin := make(chan struct{})
	s := pegSession(b, pegboard.SessionConfig{Dir: b.TempDir(), Breaker: unbroken})
	registry := &pegboard.Registry{}
	g, err := agents.New(agents.Options{
		Registry: registry, Dir: dir, Teams: true,
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			select {
			case <-begin:
			case <-ctx.Done():
			}
			return p.write(ctx, a)
		},
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: agents.GeneralPurpose, Description: "For anything."}}
		},
	})
	require.NoError(b, err)
	require.NoError(b, registry.Add(g.Tools()...))
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	calls := []pegboard.Call{{ID: "team", Name: "TeamCreate", Input: []byte(`{"team_name":"post"}`)}}
	for i := range teammates {
		calls = append(calls, pegboard.Call{ID: name(i), Name: "Agent", Input: fmt.Appendf(nil,
			`{"description":"write","prompt":"Write to all.","name":%q,"team_name":"post","run_in_background":true}`, name(i))})
	}
	for _, c := range calls {
		require.NoError(b, p.executor.Run(b.Context(), pool, c)[0].Err)
	}
	b.ResetTimer()
	close(begin)
	select {
	case <-p.all:
	case err := <-p.lost:
		b.Fatal(err)
	case <-time.After(10 * time.Minute):
		b.Fatalf("%d of %d messages have arrived", p.arrived.Load(), b.N)
	}
	b.StopTimer()
	for i := range p.read {
		if n := p.read[i].Load(); n != 1 {
			b.Fatalf("message %d was read %d times", i, n)
		}
	}
}

func name(teammate int) string { return fmt.Sprintf("mate%d", teammate) }

// write is the loop of a teammate. When there is no more to write it is idle, and called again
// when there is something to read.
func (p *post) write(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	pool, err := a.Pool()
	if err != nil {
		return agents.Reply{}, err
	}
	for {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		for _, part := range parts {
			p.count(part.Text)
		}
		if err := a.Append([]byte(`{"role":"user","content":"…"}`)); err != nil {
			return agents.Reply{}, err
		}
		calls := p.draw(a.Name)
		if len(calls) == 0 {
			return agents.Reply{Text: "All is written."}, nil
		}
		for _, out := range p.executor.Run(ctx, pool, calls...) {
			if out.Err == nil {
				continue
			}
			select {
			case p.lost <- out.Err:
			default: // one is enough
			}
		}
	}
}

// draw returns the next calls of a teammate, none if all messages are written.
func (p *post) draw(from string) (calls []pegboard.Call) {
	for len(calls) < lettersOfRequest {
		n := p.drawn.Add(1) - 1
		if n >= p.messages {
			break
		}
		to := name(int(n) % teammates)
		if to == from {
			to = name(int(n+1) % teammates)
		}
		calls = append(calls, pegboard.Call{ID: fmt.Sprint(n), Name: "SendMessage", Input: fmt.Appendf(nil, `{"to":%q,"message":"Number «%d» is done, and its tests pass."}`, to, n)})
	}
	return calls
}

// count counts the messages in a text that a teammate reads.
func (p *post) count(text string) {
	for {
		_, rest, found := strings.Cut(text, "«")
		if !found {
			return
		}
		number, rest, _ := strings.Cut(rest, "»")
		text = rest
		var n int
		if _, err := fmt.Sscan(number, &n); err != nil {
			continue
		}
		p.read[n].Add(1)
		if p.arrived.Add(1) == p.messages {
			close(p.all)
		}
	}
}
