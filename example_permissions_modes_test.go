package pegboard_test

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The host decides which lax modes a conversation may ever enter.
func ExamplePermissions_WithAvailable() {
	p := pegboard.Permissions{}
	_, err := p.WithMode(pegboard.ModeAuto)
	fmt.Println(errors.Is(err, pegboard.ErrModeUnavailable))

	p = p.WithAvailable(pegboard.ModeAuto)
	q, err := p.WithMode(pegboard.ModeAuto)
	fmt.Println(q.Mode(), err)
	fmt.Println(p.Offers(pegboard.ModeAuto), p.Offers(pegboard.ModeBypass))
	// Output:
	// true
	// auto <nil>
	// true false
}

// A policy takes modes away for good.
func ExamplePermissions_Without() {
	p, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.Without(pegboard.ModeBypass)
	fmt.Println(p.Mode())
	_, err = p.WithAvailable(pegboard.ModeBypass).WithMode(pegboard.ModeBypass)
	fmt.Println(err)
	// Output:
	// default
	// permission mode not available: the permissions withhold bypassPermissions
}

// An agent's definition may ask for a mode that its parent does not have. The parent's holds.
func ExampleMode_Laxer() {
	parent := begin(pegboard.SessionConfig{}).Permissions().Mode()
	for _, wanted := range []pegboard.Mode{pegboard.ModePlan, pegboard.ModeAcceptEdits} {
		if wanted.Laxer(parent) {
			wanted = parent
		}
		fmt.Println(wanted)
	}
	// Output:
	// plan
	// default
}

// When the user approves a plan, the conversation goes on in the mode it had before.
func ExamplePermissions_AfterPlan() {
	p, err := pegboard.Permissions{}.WithMode(pegboard.ModeAcceptEdits)
	if err != nil {
		fmt.Println(err)
		return
	}
	planning, err := p.WithMode(pegboard.ModePlan)
	fmt.Println(planning.Mode(), err)
	fmt.Println(planning.AfterPlan().Mode())
	// Output:
	// plan <nil>
	// acceptEdits
}
