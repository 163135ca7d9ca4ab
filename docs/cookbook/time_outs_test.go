package cookbook_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// lookup returns a tool that asks a server which does not answer.
func lookup(name string, wait func(context.Context) error) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: name, Timeout: 20 * time.Millisecond}, // Traits.Timeout: of one call, by its input
		Description: "Asks the server.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			return "", wait(ctx)
		},
	})
}

func Example_timeOuts() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	answered := make(chan struct{})
	good := lookup("Ask", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	bad := lookup("AskDeaf", func(context.Context) error { <-answered; return nil }) // does not heed ctx
	var registry pegboard.Registry
	if err := registry.Add(good, bad); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{Grace: 30 * time.Millisecond} // zero means 2 seconds
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, out := range executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Ask"}, pegboard.Call{ID: "2", Name: "AskDeaf"}) {
		fmt.Println(out.Result.Text())
		fmt.Println("-", errors.Is(out.Err, pegboard.ErrTimeout), errors.Is(out.Err, pegboard.ErrDetached))
	}
	fmt.Println("still running:", session.Detached())
	close(answered)
	// Output:
	// Ask was stopped before it finished; it may have done part of its work: it took too long (timed out after 20ms). Do less at once, or give it more time if its input can.
	// - true false
	// AskDeaf goes on in the background: it took too long (timed out after 20ms). Do less at once, or give it more time if its input can. Its result will not be shown; look at what it did before you do it again.
	// - true true
	// still running: [AskDeaf]
}
