package cookbook_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// pagesLeft counts down for all agents of a conversation.
var pagesLeft = pegboard.NewKey[*atomic.Int64]("pages left")

var printPage = pegboard.Build(pegboard.Definition[struct{}, string]{
	Info:        pegboard.Info{Name: "PrintPage"},
	Description: "Prints a page.",
	Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "printer"}}}
	},
	Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		left, ok := pagesLeft.Get(c.Session())
		if !ok || left.Add(-1) < 0 {
			return "", errors.New("no page is left in this conversation; show the text instead")
		}
		return "printed", nil
	},
})

func Example_state() {
	for _, pages := range []int64{2, 1} { // two conversations share the tool and nothing else
		session, err := tooltest.NewSession("")
		if err != nil {
			log.Fatal(err)
		}
		defer session.Close(context.Background())
		left := new(atomic.Int64)
		left.Store(pages)
		pagesLeft.Set(session, left)
		agent, err := session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "writer"})
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range []*pegboard.Session{session, agent} {
			fmt.Println(tooltest.Run(context.Background(), printPage, s, `{}`).Result.Text())
		}
	}
	// Output:
	// printed
	// printed
	// printed
	// no page is left in this conversation; show the text instead
}
