package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A sandbox hides what deny rules name. Where a rule has a wildcard it cannot know all files,
// and has to leave the decision to a person.
func ExampleRule_Place() {
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(//srv/keys/**)", "Read(//srv/*.pem)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	for _, r := range s.Permissions().Rules() {
		path, exact := r.Place()
		fmt.Println(r, path, exact)
	}
	// Output:
	// Read(//srv/keys/**) /srv/keys true
	// Read(//srv/*.pem) /srv false
}

// A rule that names an absolute path has one place, wherever the session has moved.
func ExampleRule_Places() {
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(//srv/keys/**)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	for _, r := range s.Permissions().Rules() {
		fmt.Println(r.Places())
	}
	// Output:
	// [/srv/keys] true
}
