package policy_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard/policy"
)

// parameters are those of a tool that the host knows.
type parameters struct{}

func (parameters) Declares(name string) bool { return name == "environment" || name == "account" }

func (parameters) Defaults() map[string]json.RawMessage {
	return map[string]json.RawMessage{"environment": []byte(`"test"`)}
}

func (parameters) Hidden() []string { return []string{"account"} }

// A rule on a parameter is compared with the input of the call, and with what counts if the model
// leaves it out.
func ExampleSchema() {
	perms, err := policy.New(policy.ModeBypass, policy.RuleSet{Deny: []string{"Deploy(environment:production)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	here, err := policy.Dirs{Dir: "/usr"}.Place()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, input := range []string{`{"environment": "production"}`, `{}`} {
		d := perms.Decide(context.Background(), policy.Request{
			Tool: policy.Builtin("Deploy"), Targets: []policy.Target{{Kind: policy.Resource, Value: "cluster"}}, Place: here,
			Input: json.RawMessage(input), Schema: parameters{},
		})
		fmt.Println(d.Behavior, d.Reason)
	}
	// Output:
	// deny deny rule "Deploy(environment:production)" covers it
	// allow mode bypassPermissions
}
