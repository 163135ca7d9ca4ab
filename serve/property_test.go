package serve_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// A ledger counts what happened to each value that clients have put.
type ledger struct {
	mu         sync.Mutex
	runs, asks map[string]int
	stray      []string // questions that a client was asked about another's call
}

func (l *ledger) count(m map[string]int, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m[value]++
}

var putValue = regexp.MustCompile(`write (c\d+)-\d+-([a-z]+)`)

// answerer answers as the value of the call says, and notes questions of others.
func (l *ledger) answerer(name string) person {
	return func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		about := putValue.FindStringSubmatch(p.Message)
		if about == nil || about[1] != name {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.stray = append(l.stray, p.Message)
			return answering("Allow once")(p)
		}
		l.count(l.asks, strings.TrimPrefix(about[0], "write "))
		switch about[2] {
		case "allow":
			return answering("Allow once")(p)
		case "remember":
			return answering(answersOf(p)[2])(p) // the narrowest: for this value alone
		case "deny":
			return answering("Deny")(p)
		}
		return &mcp.ElicitResult{Action: about[2]}, nil
	}
}

// TestRandomClients lets clients of all kinds call at random, at once. Every call has one
// result; it ran once if its own client has allowed it, and not at all otherwise.
func TestRandomClients(t *testing.T) {
	t.Parallel()
	l := &ledger{runs: map[string]int{}, asks: map[string]int{}}
	type input struct {
		Value string `json:"value"`
	}
	put := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Put"}, Description: "Puts a value.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: in.Value}}, Concurrency: pegboard.PerTarget}
		},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) {
			l.count(l.runs, in.Value)
			time.Sleep(time.Duration(len(in.Value)) * 10 * time.Microsecond)
			return "put " + in.Value, nil
		},
	})
	s := served(t, serve.Options{Answer: time.Minute}, nil, put)
	answers := []string{"allow", "deny", "decline", "cancel", "remember"}
	var all sync.WaitGroup
	for i := range 2 * len(ways) {
		way, name := ways[i%len(ways)], fmt.Sprintf("c%d", i)
		session := way.connect(t, s.Server, client(name, l.answerer(name)), way.protocol)
		random := rand.New(rand.NewPCG(uint64(i), 1))
		for n := range effort.Of(t, 60) {
			value := fmt.Sprintf("%s-%d-%s", name, n, answers[random.IntN(len(answers))])
			all.Go(func() {
				r := callTool(t, session, "Put", `{"value":"`+value+`"}`)
				allowed := strings.HasSuffix(value, "allow") || strings.HasSuffix(value, "remember")
				if allowed == r.IsError || allowed && text(t, r) != "put "+value {
					t.Errorf("%s: %s", value, text(t, r))
				}
			})
		}
	}
	all.Wait()
	require.Empty(t, l.stray)
	for value, n := range l.asks {
		require.Equal(t, 1, n, value)
		allowed := slices.Contains([]string{"allow", "remember"}, value[strings.LastIndex(value, "-")+1:])
		require.Equal(t, allowed, l.runs[value] == 1, value)
	}
	for value, n := range l.runs {
		require.Equal(t, 1, n, value)
		require.Equal(t, 1, l.asks[value], value)
	}
}
