package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A wire makes its form of a definition once. It is remembered with the tool.
func ExampleDeclaration_Encoded() {
	for d := range pool(pegboard.SessionConfig{}, greet).Declarations(pegboard.Builtin) {
		for range 2 {
			form := d.Encoded("my-provider", func(d pegboard.Declaration) []byte {
				fmt.Println("encoding", d.Name)
				return []byte(`{"function":"` + d.Name + `"}`)
			})
			fmt.Println(string(form))
		}
	}
	// Output:
	// encoding Greet
	// {"function":"Greet"}
	// {"function":"Greet"}
}

// The schema of an output is derived from its type. A wire declares it where a provider
// takes it, and a host may read it.
func ExampleDeclaration_output() {
	type rate struct {
		Rate float64 `json:"rate" jsonschema:"description=How many of the second for one of the first"`
		Date string  `json:"date,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[struct{}, rate]{
		Info:        pegboard.Info{Name: "ExchangeRate"},
		Description: "Returns a rate.",
		Call:        func(context.Context, struct{}, *pegboard.Call) (rate, error) { return rate{Rate: 2}, nil },
	})
	d, _ := tool.Declare(pegboard.Scope{})
	fmt.Println(string(d.OutputSchema))
	// Output:
	// {"type":"object","properties":{"rate":{"type":"number","description":"How many of the second for one of the first"},"date":{"type":"string"}},"required":["rate"],"additionalProperties":false}
}
