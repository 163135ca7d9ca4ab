package pegboard_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that ignores its end keeps what it may still write. The host has asked the user, who
// says that the program is gone.
func ExampleSession_Forget() {
	release := make(chan struct{})
	deploy := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Deploy", Timeout: time.Millisecond}, Description: "Puts the program on the server.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { <-release; return "late", nil },
	})
	permissions, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		panic(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(deploy); err != nil {
		panic(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	executor := pegboard.Executor{Grace: time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}

	executor.Run(context.Background(), pool, pegboard.Call{ID: "first", Name: "Deploy"})
	fmt.Println(session.Detached())
	fmt.Println(executor.Run(context.Background(), pool, pegboard.Call{ID: "second", Name: "Deploy"})[0].Err)
	fmt.Println(session.Forget("first"))

	close(release)
	_ = session.Close(context.Background())
	// Output:
	// [Deploy]
	// targets Deploy: call did not return: Deploy; Session.Forget("first") gives back what it holds
	// true
}
