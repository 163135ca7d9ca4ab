package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleSession_SetPermissions() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the user said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "notes.md")

	p, err := s.Permissions().WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Allow: []string{"Edit(notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SetPermissions(p); err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(s, "notes.md")
	// Output:
	// notes.md: deny, the user said no
	// notes.md: allow by Edit(notes.md)
}

// An approval dialog or a hook script describes a change of the permissions in the
// documented form.
func ExamplePermissions_Apply() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Bash(npm test)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := p.Apply(
		pegboard.PermissionUpdate{
			Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: pegboard.SourceSession,
			Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: "npm run *"}},
		},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeBypass, Destination: pegboard.SourceSession}, // it was not available before
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(more.Mode())
	for _, r := range more.Rules() {
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	fmt.Println("and before:", p.Mode(), len(p.Rules()))

	_, err = more.Apply(
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModePlan, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateRemoveRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: " "}}})
	fmt.Println(err)
	// Output:
	// acceptEdits
	// allow Bash(npm test) from userSettings
	// allow Bash(npm run *) from session
	// and before: default 1
	// update removeRules: rule "Bash( )": the parentheses are empty; leave them out to mean the whole tool
}
