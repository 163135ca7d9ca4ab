package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func Example_auditing() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.jsonl")
	record, err := audit.Open(path, audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"CloseTicket(WEB-*)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "session-1", Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(closeTicket(tickets{"WEB-7": "open", "OPS-1": "open"})); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{
		TraceID: func(context.Context) string { return "turn-1" },
		OnEvent: record.Record, // a host with a listener of its own calls both
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, input := range []string{`{"ticket": "WEB-7"}`, `{"ticket": "OPS-1"}`} {
		executor.Run(context.Background(), pool, tooltest.Call("CloseTicket", input))
	}
	fmt.Println(record.Close())
	lines, err := os.ReadFile(path)
	fmt.Print(string(regexp.MustCompile(`"time":"[^"]*",`).ReplaceAll(lines, nil)), err)
	// Output:
	// <nil>
	// {"trace":"turn-1","session":"session-1","tool":"CloseTicket","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"CloseTicket(WEB-*)","source":"userSettings"},"targets":["resource:write"]}
	// {"trace":"turn-1","session":"session-1","tool":"CloseTicket","behavior":"deny","by":"nobody","mode":"default","targets":["resource:write"]}
	// <nil>
}
