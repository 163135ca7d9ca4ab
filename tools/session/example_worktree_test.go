package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// A host has its own way to make worktrees. Without Create and Remove, git makes them.
func ExampleWorktree() {
	root, _ := os.MkdirTemp("", "example")
	defer func() { _ = os.RemoveAll(root) }()
	root, _ = filepath.EvalSymlinks(root)
	checkout := filepath.Join(root, "checkout")
	_ = os.Mkdir(checkout, 0o700)

	registry := new(pegboard.Registry)
	_ = registry.Add(session.Worktree(session.WorktreeOptions{
		Create: func(_ context.Context, name string) (string, error) {
			path := filepath.Join(root, name)
			return path, os.Mkdir(path, 0o700)
		},
		Remove: func(_ context.Context, path string) error { return os.RemoveAll(path) },
	})...)
	s, _ := pegboard.NewSession(session.Prepare(pegboard.SessionConfig{Dir: checkout}))
	defer func() { _ = s.Close(context.Background()) }()
	call := func(name, input string) {
		pool := registry.AssemblePool(s, pegboard.PoolConfig{})
		o := new(pegboard.Executor).Run(context.Background(), pool, pegboard.Call{ID: "1", Name: name, Input: json.RawMessage(input)})[0]
		fmt.Println(o.Result.Line)
	}
	call("EnterWorktree", `{"name":"copy"}`)
	fmt.Println(filepath.Base(s.Dir()))
	call("ExitWorktree", `{"action":"keep"}`)
	fmt.Println(filepath.Base(s.Dir()))
	// Output:
	// In the worktree copy
	// copy
	// Back in checkout
	// checkout
}

// Without Prepare, the tools are not offered.
func ExamplePrepare() {
	registry := new(pegboard.Registry)
	_ = registry.Add(session.Worktree(session.WorktreeOptions{})...)
	for _, cfg := range []pegboard.SessionConfig{{}, session.Prepare(pegboard.SessionConfig{})} {
		s, _ := pegboard.NewSession(cfg)
		fmt.Println(registry.AssemblePool(s, pegboard.PoolConfig{}).Len())
	}
	// Output:
	// 0
	// 2
}

// A conversation that is resumed was in a worktree, which is gone.
func ExampleInWorktree() {
	dir := filepath.Join(os.TempDir(), "gone", ".claude", "worktrees", "feature")
	if err := session.InWorktree(dir); err != nil {
		fmt.Println("stays at home:", errors.Is(err, session.ErrNoWorktree))
	}
	// Output: stays at home: true
}
