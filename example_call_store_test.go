package pegboard_test

import (
	"context"
	"fmt"
	"io"
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

// A tool that knows its form writes a better preview than the first lines. The preview ends
// with how to read on, and the host opens the whole.
func ExampleCall_StoreRaw() {
	var kept pegboard.StoredResult
	query := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Query"}, Description: "Asks the database.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			table := "name,city\n" + strings.Repeat("Ada,London\n", 5000)
			var err error
			kept, err = c.StoreRaw(ctx, "text/csv", strings.NewReader(table))
			return fmt.Sprintf("5000 rows with the columns name, city. All are in %s; %s.", kept.Ref, c.Session().ReadMoreHint()), err
		},
	})
	tools := pool(pegboard.SessionConfig{
		Results: &memoryStore{held: map[string][]byte{}},
		Limits:  pegboard.ResultLimits{ReadMoreHint: "read on with ReadResult"},
	}, query)
	var executor pegboard.Executor
	fmt.Println(executor.Run(context.Background(), tools, pegboard.Call{ID: "1", Name: "Query"})[0].Result.Text())

	whole, err := tools.Session().ResultStore().Open(context.Background(), kept.Ref)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = whole.Close() }()
	size, err := io.Copy(io.Discard, whole)
	fmt.Println(size == kept.Size, err)
	// Output:
	// 5000 rows with the columns name, city. All are in memory:c8cdd5300cbb6142df375157eadc20b1; read on with ReadResult.
	// true <nil>
}
