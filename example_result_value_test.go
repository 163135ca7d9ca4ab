package pegboard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that runs code gives the code data: not the text that is worded for the model.
func ExampleOutcome_Value() {
	type city struct {
		Name string `json:"name"`
	}
	type weather struct {
		Degrees float64 `json:"degrees"`
	}
	look := pegboard.Build(pegboard.Definition[city, weather]{
		Info: pegboard.Info{Name: "Weather"}, Description: "Says how warm it is in a city.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in city, _ *pegboard.Call) (weather, error) {
			if in.Name != "Rome" {
				return weather{}, errors.New("there is no such city; write its English name")
			}
			return weather{21.5}, nil
		},
		Result: func(w weather) *pegboard.Result {
			return pegboard.TextResult(fmt.Sprintf("It is pleasant: %.1f degrees.", w.Degrees))
		},
	})
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Compares cities.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, out := range c.Run(ctx,
				pegboard.Call{Name: "Weather", Input: []byte(`{"name":"Rome"}`)},
				pegboard.Call{Name: "Weather", Input: []byte(`{"name":"Rom"}`)},
				pegboard.Call{Name: "Weather", Input: []byte(`{"city":"Rome"}`)}) {
				v, err := out.Value()
				if failed := (*pegboard.CodeError)(nil); errors.As(err, &failed) {
					fmt.Println(failed.Tool, failed.Kind)
					continue
				}
				fmt.Println(v)
			}
			return "compared", nil
		},
	})
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: "."})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(look, script); err != nil {
		fmt.Println(err)
		return
	}
	pool := reg.AssemblePool(session, pegboard.PoolConfig{})
	var ex pegboard.Executor
	fmt.Println(ex.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Script"})[0].Result.Text())
	// Output:
	// {21.5}
	// Weather failed
	// Weather invalid_input
	// compared
}
