package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The host rules calls by what they do, whatever the tools are called.
func ExamplePermissions_WithFactRules() {
	p, err := pegboard.Permissions{}.WithFactRules(
		pegboard.FactRule{Behavior: pegboard.Deny, Source: pegboard.SourcePolicy, ReadOnly: pegboard.FactNo, OpenWorld: pegboard.FactYes},
		pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: pegboard.FactYes},
	)

	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.WithTrustedSources("tickets") // its server tells what its tools do
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	tool := func(name string, tr pegboard.Traits) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For an example.", Traits: tr,
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
		})
	}
	var registry pegboard.Registry
	if err := registry.Add(tool("Post", pegboard.Traits{OpenWorld: true})); err != nil {
		fmt.Println(err)
		return
	}
	for _, source := range []string{"tickets", "news"} {
		if _, err := registry.Attach(source, tool("list", pegboard.Traits{ReadOnly: true, OpenWorld: true})); err != nil {
			fmt.Println(err)
			return
		}
	}
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	for _, name := range []string{"Post", "mcp__tickets__list", "mcp__news__list"} {
		d := pool.Decide(context.Background(), pegboard.Call{Name: name})
		fmt.Printf("%s: %v, %s\n", name, d.Behavior, d.Reason)
	}
	// Output:
	// Post: deny, deny rule on calls that are "not read-only, open-world" from policySettings covers it
	// mcp__tickets__list: allow, allow rule on calls that are "read-only" covers it
	// mcp__news__list: deny, deny rule on calls that are "not read-only, open-world" from policySettings covers it
}

// A page of settings shows what decides calls beside the rules on tools.
func ExamplePermissions_FactRules() {
	p, err := pegboard.Permissions{}.WithFactRules(
		pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: pegboard.FactYes},
		pegboard.FactRule{Behavior: pegboard.Deny, Source: pegboard.SourcePolicy, Destructive: pegboard.FactYes},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.WithTrustedSources("tickets", "calendar")
	for _, r := range p.FactRules() {
		fmt.Printf("%v: %v\n", r.Behavior, r)
	}
	fmt.Println("trusted:", p.TrustedSources())
	// Output:
	// deny: destructive
	// allow: read-only
	// trusted: [calendar tickets]
}
