package pegboard_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A tool stores a long response while it is being read.
func ExampleCall_Store() {
	fetch := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Fetch"}, Description: "Fetches the log.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			body := strings.NewReader(strings.Repeat(log100(), 1000)) // of a response
			part, err := c.Store(ctx, body)
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		},
	})
	var reg pegboard.Registry
	if err := reg.Add(fetch); err != nil {
		log.Fatal(err)
	}
	session := begin(pegboard.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Fetch"})
	fmt.Println(out[0].Result.Text()[:58])
	// Output: [Result too long to show: 1900000 bytes, 100000 lines. All
}
