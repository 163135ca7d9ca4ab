package cookbook_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// crawl returns a tool that works until its context ends.
func crawl(started func()) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Crawl", Interrupt: pegboard.InterruptCancel}, // a message of the user stops it, too
		Description: "Reads all pages of a site.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			started()
			<-ctx.Done() // a real one passes ctx on to each request
			return "3 of 20 pages were read", context.Cause(ctx)
		},
	})
}

func Example_cancelling() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	for _, cause := range []error{pegboard.ErrUserInterrupt, pegboard.ErrNewMessage} {
		ctx, cancel := context.WithCancelCause(context.Background())
		var registry pegboard.Registry
		if err := registry.Add(crawl(func() { cancel(cause) })); err != nil { // the user is quick
			log.Fatal(err)
		}
		var executor pegboard.Executor
		pool := registry.AssemblePool(session, pegboard.PoolConfig{})
		out := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "Crawl"})[0]
		fmt.Println(out.Result.Text())
		fmt.Println("-", errors.Is(out.Err, pegboard.ErrCancelled), errors.Is(out.Err, cause))
	}
	// Output:
	// Crawl was stopped before it finished; it may have done part of its work: the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it.
	// 3 of 20 pages were read
	// - true true
	// Crawl was stopped before it finished; it may have done part of its work: the user sent a new message. Read that first, and repeat the call only if it is still wanted.
	// 3 of 20 pages were read
	// - true true
}
