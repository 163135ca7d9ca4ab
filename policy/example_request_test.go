package policy_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard/policy"
)

// A command that goes on in the background may still move a directory away. Until it has ended, the
// user is asked about what lies there.
func ExampleHolds_Add() {
	here := placeOf("/usr")
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Allow: []string{"Bash"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	perms = perms.In(here)
	var holds policy.Holds
	moved := policy.Writes("share/old")
	moved.Shell.MovesNames = true
	release := holds.Add("mv share/old share/new", perms.Resolve([]policy.Target{moved}))

	line, file := policy.Runs("touch share/old/a"), policy.Writes("share/old/a")
	line.Shell.Simple, file.Shell.FromCommand = true, line.Value
	r := policy.Request{Tool: policy.Builtin("Bash"), Targets: []policy.Target{line, file}, Place: here, Holds: &holds}
	fmt.Println(perms.Decide(context.Background(), r).Behavior)
	release()
	fmt.Println(perms.Decide(context.Background(), r).Behavior)
	// Output:
	// ask
	// allow
}

// A loop that keeps calls for later refuses at once what no answer could change.
func ExamplePermissions_DeniesForGood() {
	perms, err := policy.New(policy.ModePlan, policy.RuleSet{Deny: []string{"Read(.env)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range []policy.Target{policy.Reads(".env"), policy.Writes("a.go"), policy.Runs("make")} {
		d := perms.DeniesForGood(policy.Request{Tool: policy.Builtin("Do"), Targets: []policy.Target{target}, Place: placeOf("/usr")})
		fmt.Println(d.Behavior, d.Reason)
	}
	// Output:
	// deny deny rule "Read(.env)" covers it
	// deny in plan mode nothing is written; describe the change in the plan instead
	// undecided
}

// A dialog offers to remember an answer only where a rule would help.
func ExampleDecision_Open() {
	here := placeOf("/usr")
	vital := policy.Writes("share")
	vital.AskReason = "it removes everything"
	for _, target := range []policy.Target{policy.Writes("a.go"), vital} {
		d := policy.Permissions{}.Decide(context.Background(), policy.Request{Tool: policy.Builtin("Remove"), Targets: []policy.Target{target}, Place: here})
		fmt.Println(d.Behavior, d.Open(), d.OnlyPerson())
	}
	// Output:
	// ask true false
	// ask false true
}

// Two checks of a host have looked at a call.
func ExampleStricter() {
	first := policy.Decision{Behavior: policy.Ask, Reason: "it is expensive"}
	second := policy.Decision{Behavior: policy.Deny, Reason: "the budget is spent"}
	fmt.Println(policy.Stricter(first, second).Reason)
	// Output: the budget is spent
}

// A limit of a host names tools as rules do.
func ExampleRule_Names() {
	rule, err := policy.ParseToolRule("mcp__github")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range []policy.Tool{policy.External("github", "get_issue"), policy.Builtin("Bash")} {
		fmt.Println(tool.Name, tool.External(), rule.Names(&tool))
	}
	_, err = policy.ParseToolRule("Bash(ls)")
	fmt.Println(err)
	// Output:
	// mcp__github__get_issue true true
	// Bash false false
	// "Bash(ls)" says more than the name of a tool or a source
}

// A page of settings says where a rule comes from.
func ExampleRule_Describe() {
	rule := policy.Rule{Behavior: policy.Deny, Tool: "Bash", Pattern: "rm *", Source: policy.SourceProject}
	fmt.Println(rule.Describe())
	// Output: deny rule "Bash(rm *)" from projectSettings
}

// An answer that was given in another process counts under the permissions of its question.
func ExamplePermissions_Digest() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(make)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	same, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(make)"}})
	fmt.Println(len(p.Digest()), p.Digest() == same.Digest(), p.Digest() == policy.Permissions{}.Digest(), err)
	// Output: 64 true false <nil>
}

// What a skill allows ends with the turn.
func ExamplePermissions_WithoutTurn() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceTurn, Allow: []string{"Bash(make)"}, Ask: []string{"WebFetch"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, ended := p.WithoutTurn(policy.Allow)
	fmt.Println(p.Rules(), ended)
	// Output: [WebFetch] true
}

// A log shows what a call is about in a few words.
func ExampleDescribe() {
	targets := []policy.Target{policy.Reads("/etc/hosts"), policy.Writes("/tmp/a"), policy.Reaches("example.com"), policy.Runs("make")}
	kept := policy.Clone(targets)
	targets[0] = policy.Target{}
	fmt.Println(policy.Describe(kept))
	// Output: read /etc/hosts, write /tmp/a, read example.com, more
}

// Two calls are about the same file if its place is, however each spelled it.
func ExampleTarget_Same() {
	here := placeOf("/usr")
	first := here.Resolve([]policy.Target{policy.Reads("share")})[0]
	second := here.Resolve([]policy.Target{policy.Reads("./local/../share")})[0]
	fmt.Println(first.Same(second), first.Names()[0], first.Shown())
	// Output: true /usr/share /usr/share
}
