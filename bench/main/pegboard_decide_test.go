package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// line has five commands and names no file.
const line = `git status && npm run build; make -s test | tail -20 && echo "all done"`

// BenchmarkDecide measures the decision on a command line, from the bytes of the
// call to allow or ask, under more and more rules. Its floor only parses the line.
// No peer has a case.
//
// The floor allocates two thirds as much as a decision, in a fifth of its time. In a
// process with nothing alive the collector runs every 4 MB, and then decides the
// ratio: between 3.5 and 6, as the other core is free or not. So there is a heap here,
// as in every process that embeds the library.
func BenchmarkDecide(b *testing.B) {
	heap := make([]byte, 256<<20)
	defer runtime.KeepAlive(heap)
	b.Run("FiveCommands/floor-parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := syntax.NewParser().Parse(strings.NewReader(line), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("FiveCommands/pegboard-%drules", n), func(b *testing.B) {
			pool := deciding(b, n)
			input, err := json.Marshal(map[string]string{"command": line})
			require.NoError(b, err)
			call := pegboard.Call{ID: "1", Name: "Bash", Input: input}
			require.Equal(b, policy.Allow, pool.Decide(b.Context(), call).Behavior)
			b.ReportAllocs()
			for b.Loop() {
				if pool.Decide(b.Context(), call).Behavior != policy.Allow {
					b.Fatal("not allowed")
				}
			}
		})
	}
}

// deciding returns a pool with Bash under n rules of all kinds, of which three
// allow the line.
func deciding(tb testing.TB, n int) *pegboard.Pool {
	set := policy.RuleSet{Allow: []string{"Bash(npm run build)", "Bash(make:*)", "Bash(git status)"}}
	for i := len(set.Allow); i < n; i++ {
		switch i % 5 {
		case 0:
			set.Deny = append(set.Deny, fmt.Sprintf("Bash(tool%d delete:*)", i))
		case 1:
			set.Allow = append(set.Allow, fmt.Sprintf("Bash(tool%d run *)", i))
		case 2:
			set.Deny = append(set.Deny, fmt.Sprintf("Read(./secret%d/**)", i))
		case 3:
			set.Ask = append(set.Ask, fmt.Sprintf("Bash(npm publish pkg%d)", i))
		default:
			set.Allow = append(set.Allow, fmt.Sprintf("WebFetch(domain:host%d.example)", i))
		}
	}
	p, err := policy.New(policy.ModeDefault, set)
	require.NoError(tb, err)
	require.Len(tb, p.Rules(), n)
	return pegPool(tb, pegboard.SessionConfig{Permissions: p}, shell.Bash(shell.Options{}))
}
