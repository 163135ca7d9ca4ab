package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// Every decision becomes a line that says who decided what, and nothing of the
// input.
func Example() {
	dir, err := os.MkdirTemp("", "audit")
	check(err)
	defer func() { check(os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	check(err)

	permissions, err := policy.New(policy.ModeDefault,
		policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Edit(notes/**)"}, Deny: []string{"Edit(.env)"}})
	check(err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "session-1", Dir: dir, Permissions: permissions})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	var registry pegboard.Registry
	check(registry.Add(tooltest.FakeConfig{Name: "Write", Targets: func(input json.RawMessage) []policy.Target {
		var in struct{ Path string }
		check(json.Unmarshal(input, &in))
		return []policy.Target{{Kind: policy.Path, Value: in.Path}}
	}}.New()))

	executor := &pegboard.Executor{
		TraceID: func(context.Context) string { return "turn-1" },
		OnEvent: func(e pegboard.Event) {
			e.Time = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) // for the example's output
			log.Record(e)
		},
	}
	for i, input := range []string{`{"path":"notes/a.md"}`, `{"path":".env"}`} {
		executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
			pegboard.Call{ID: fmt.Sprint("call-", i+1), Name: "Write", Input: json.RawMessage(input)})
	}
	check(log.Close())

	lines, err := os.ReadFile(path)
	check(err)
	fmt.Print(string(lines))
	// Output:
	// {"time":"2026-07-01T12:00:00.000000000Z","trace":"turn-1","session":"session-1","call":"call-1","tool":"Write","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"Edit(notes/**)","source":"projectSettings"},"targets":["path:write"]}
	// {"time":"2026-07-01T12:00:00.000000000Z","trace":"turn-1","session":"session-1","call":"call-2","tool":"Write","behavior":"deny","by":"rule","mode":"default","rule":{"behavior":"deny","text":"Edit(.env)","source":"projectSettings"},"targets":["path:write"]}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
