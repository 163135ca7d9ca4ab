package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

var reindex = pegboard.Build(pegboard.Definition[struct{}, string]{
	Info:        pegboard.Info{Name: "Reindex"},
	Description: "Builds the index anew.",
	Traits:      pegboard.Traits{ReadOnly: true},
	Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		c.Emit("reading")
		c.EmitData("1 of 2 files", 0.5) // data of your own, such as a share
		return "the index is new", nil
	},
})

// show is the OnEvent of an Executor.
func show(e pegboard.Event) {
	switch e.Kind {
	case pegboard.EventProgress:
		fmt.Println(e.Call.Name, "reports:", e.Text, e.Data)
	case pegboard.EventFinished:
		fmt.Println(e.Call.Name, "ended:", e.Outcome.View().After)
	}
}

func Example_progress() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(reindex); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{OnEvent: show}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Reindex"})
	// Output:
	// Reindex reports: reading <nil>
	// Reindex reports: 1 of 2 files 0.5
	// Reindex ended: the index is new
}
