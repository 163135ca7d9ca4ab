package audit_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A host that must have a complete log makes no further calls after a lost line. Here the
// directory of the log is removed.
func ExampleLog_Lost() {
	dir, err := os.MkdirTemp("", "audit")
	check(err)
	defer func() { check(os.RemoveAll(dir)) }()
	logs := filepath.Join(dir, "logs")
	check(os.Mkdir(logs, 0o700))
	log, err := audit.Open(filepath.Join(logs, "audit.jsonl"), audit.Options{})
	check(err)
	var registry pegboard.Registry
	check(registry.Add(tooltest.FakeConfig{Name: "Deploy"}.New()))
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	executor := pegboard.Executor{OnEvent: log.Record}
	for turn := 1; turn <= 3 && log.Lost() == 0; turn++ {
		executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{Name: "Deploy"})
		fmt.Println("turn", turn, "lost", log.Lost())
		check(os.RemoveAll(logs))
	}
	err = log.Close()
	fmt.Println("the log is complete:", err == nil, errors.Is(err, fs.ErrNotExist))
	// Output:
	// turn 1 lost 0
	// turn 2 lost 1
	// the log is complete: false true
}
