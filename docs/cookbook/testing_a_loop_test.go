package cookbook_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// converse is the loop under test. Its model is a func, so that a test can play it.
func converse(ctx context.Context, pool *pegboard.Pool, model func([]pegboard.Outcome) (tooltest.Turn, error)) (string, error) {
	var executor pegboard.Executor
	turn, err := model(nil)
	for err == nil && len(turn.Calls) > 0 {
		turn, err = model(executor.Run(ctx, pool, turn.Calls...))
	}
	return turn.Text, err
}

func Example_testingALoop() {
	session, err := tooltest.NewSession("")
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	errDown := errors.New("the service is down")
	weather := tooltest.NewFake("Weather", tooltest.Reply{Text: "rain"}, tooltest.Reply{Err: errDown})
	var registry pegboard.Registry
	if err := registry.Add(weather); err != nil {
		log.Fatal(err)
	}
	model := tooltest.NewModel(
		tooltest.Turn{
			Calls:  []pegboard.Call{tooltest.Call("Weather", `{"city": "Ulm"}`), tooltest.Call("Wether", `{}`)},
			Expect: tooltest.WantErrors(nil, pegboard.ErrUnknownTool),
		},
		tooltest.Turn{
			Calls:  []pegboard.Call{tooltest.Call("Weather", `{"city": "Bonn"}`)},
			Expect: tooltest.WantErrors(errDown),
		},
		tooltest.Turn{Text: "Take an umbrella."},
	)
	fmt.Println(converse(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), model.Reply))
	fmt.Println(model.Done()) // every turn was played
	fmt.Println(string(weather.Calls()[0].Input))
	// Output:
	// Take an umbrella. <nil>
	// <nil>
	// {"city": "Ulm"}
}
