package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/policy"
)

const (
	roleName = "AUDIT_TEST_ROLE" // what the test binary does instead of testing
	fileName = "AUDIT_TEST_FILE" // to which file
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		if err := play(role, os.Getenv(fileName)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// noon is when everything is decided that no executor decided.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 5, time.UTC)

// decided is a decision about a call that no executor admitted.
func decided(id string) pegboard.Event {
	return pegboard.Event{
		Kind: pegboard.EventDecided, Time: noon,
		Call:     &pegboard.Call{ID: id, Name: "T"},
		Decision: &policy.Decision{Behavior: policy.Allow},
	}
}

// sized is a decision whose line has n bytes.
func sized(n int) pegboard.Event {
	const empty = `{"time":"2026-07-01T12:00:00.000000005Z","call":"","tool":"T","behavior":"allow","by":"default"}` + "\n"
	const more = `,"rule":{"behavior":"allow","text":""}`
	if n <= 200 {
		return decided(strings.Repeat("x", n-len(empty)))
	}
	e := decided(strings.Repeat("x", 201-len(empty)-len(more)))
	e.Decision.Rule = &policy.Rule{Behavior: policy.Allow, Tool: strings.Repeat("x", n-201)}
	return e
}

// opened returns a log in a folder of its own. What goes wrong fails the test.
func opened(t testing.TB, o audit.Options) (log *audit.Log, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log, path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// entries returns the lines of a log that are JSON, and how many others there are.
func entries(t testing.TB, path string) (all []map[string]any, torn int) {
	t.Helper()
	data := []byte(read(t, path))
	require.True(t, len(data) == 0 || bytes.HasSuffix(data, []byte("\n")), "the last line has an end")
	for line := range bytes.Lines(data) {
		var entry map[string]any
		if json.Unmarshal(line, &entry) != nil {
			torn++
			continue
		}
		all = append(all, entry)
	}
	return all, torn
}

// calls returns the ids of the calls in a log, in order.
func calls(t testing.TB, path string) (ids []string) {
	t.Helper()
	all, torn := entries(t, path)
	require.Zero(t, torn)
	for _, entry := range all {
		id, ok := entry["call"].(string)
		require.True(t, ok)
		ids = append(ids, id)
	}
	return ids
}

// session returns a session that is closed with the test.
func session(t testing.TB, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func rules(t testing.TB, sets ...policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New("", sets...)
	require.NoError(t, err)
	return p
}

func pool(t testing.TB, s *pegboard.Session, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// order is the input of the tool that the tests use.
type order struct {
	Path    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"`
	Note    string `json:"note,omitempty"`
	Later   string `json:"later,omitempty"` // a path that turns up in mid-call
}

// worker returns a tool that acts on what it is told and, in mid-call, on Later.
func worker(name string, aliases ...string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[order, string]{
		Info:        pegboard.Info{Name: name, Aliases: aliases},
		Description: "Acts on what it is told.",
		Inspect: func(in order, _ *pegboard.Call) pegboard.Traits {
			var tr pegboard.Traits
			if in.Path != "" {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Path, Value: in.Path})
			}
			if in.Command != "" {
				tr.Targets = append(tr.Targets,
					policy.Target{Kind: policy.Command, Access: policy.Run, Value: in.Command, Shell: policy.ShellFacts{Simple: true}},
					policy.Target{Kind: policy.Path, Access: policy.Read, Value: in.Command, Shell: policy.ShellFacts{Guess: true}},
					policy.Target{Kind: policy.Path, Access: policy.Read, Value: "./" + in.Command, Shell: policy.ShellFacts{Guess: true}})
			}
			return tr
		},
		Validate: func(_ context.Context, in order, _ *pegboard.Call) error {
			if in.Note == "refuse" {
				return fmt.Errorf("%s must not be written", in.Path)
			}
			return nil
		},
		Call: func(ctx context.Context, in order, c *pegboard.Call) (string, error) {
			if in.Later == "" {
				return "done", nil
			}
			return "done", c.Check(ctx, policy.Target{Kind: policy.Path, Access: policy.Read, Value: in.Later})
		},
	})
}
