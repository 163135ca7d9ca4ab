package main

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

type tideInput struct {
	Port string `json:"port" jsonschema:"description=The port's name"`
	Days int    `json:"days,omitempty" jsonschema:"minimum=1,maximum=7,description=How many days from today"`
}

type ferryInput struct {
	From       string `json:"from"`
	To         string `json:"to"`
	Passengers int    `json:"passengers,omitempty" jsonschema:"minimum=1,maximum=9"`
}

// addTools adds the tools of a harbour office. All providers get the same definitions.
func addTools(registry *pegboard.Registry) error {
	lookUp := pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
	return registry.Add(
		pegboard.Build(pegboard.Definition[tideInput, string]{
			Info:        pegboard.Info{Name: "Tide"},
			Description: `Tells when the water is high & how high; a height < 0 is below "chart datum".`,
			Traits:      lookUp,
			Call: func(_ context.Context, in tideInput, _ *pegboard.Call) (string, error) {
				return fmt.Sprintf("%s: high water at 13:04, 2.7 m", in.Port), nil
			},
		}),
		pegboard.Build(pegboard.Definition[ferryInput, string]{
			Info:        pegboard.Info{Name: "Ferry", Strict: true},
			Description: "Finds the next ferry from one port to another.",
			Traits:      lookUp,
			Call: func(_ context.Context, in ferryInput, _ *pegboard.Call) (string, error) {
				if in.To != "Skjervøy" {
					return "", fmt.Errorf("no ferry goes from %s to %s; ask for Skjervøy", in.From, in.To)
				}
				return "16:30 from the north quay", nil
			},
		}),
	)
}
