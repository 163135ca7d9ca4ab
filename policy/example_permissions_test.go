package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed49eaa51d/pegboard/policy"
)

// placeOf returns a place for an example.
func placeOf(dir string) *policy.Place {
	at, err := policy.Dirs{Dir: dir, Home: "/home/ada"}.Place()
	if err != nil {
		panic(err)
	}
	return at
}

// A loop of one's own asks before each call.
func ExamplePermissions_Decide() {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/src/**)", "mcp__github"}, Deny: []string{"Read(.env)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	here := placeOf(os.TempDir())
	perms = perms.In(here)
	for _, r := range []policy.Request{
		{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("src/a.go")}, Place: here},
		{Tool: policy.Builtin("Show"), Targets: []policy.Target{policy.Reads("sub/.env")}, Place: here},
		{Tool: policy.External("github", "get_issue"), Targets: []policy.Target{policy.Reaches("api.github.com")}, Place: here},
		{Tool: policy.Builtin("Bash"), Targets: []policy.Target{policy.Runs("make")}, Place: here},
		{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("src/a.go")}},
	} {
		d := perms.Decide(context.Background(), r)
		fmt.Printf("%s: %v, %s\n", r.Tool.Name, d.Behavior, d.Reason)
	}
	// Output:
	// Write: allow, allow rule "Edit(/src/**)" covers it
	// Show: deny, deny rule "Read(.env)" covers it
	// mcp__github__get_issue: allow, allow rule "mcp__github" covers it
	// Bash: ask, no rule allows it: Bash wants to run make
	// Write: deny, nobody knows where it would work (Request.Place)
}

// Each step that was considered, for the user who asks why.
func ExamplePermissions_Explain() {
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Source: policy.SourceProject, Ask: []string{"Edit(/go.mod)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	here := placeOf("/usr")
	fmt.Print(perms.Explain(context.Background(), policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("go.mod")}, Place: here}))
	// Output:
	// it would write /usr/go.mod
	// ask: ask rule "Edit(/go.mod)" from projectSettings is about it (write /usr/go.mod)
	// = ask: ask rule "Edit(/go.mod)" from projectSettings covers it
}

// What a dialog offers beside "allow once".
func ExamplePermissions_Suggest() {
	here := placeOf("/usr")
	r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("share/note.txt")}, Place: here}
	for _, updates := range (policy.Permissions{}).Suggest(r, policy.SourceProject, nil) {
		fmt.Println(updates)
	}
	fmt.Println((policy.Permissions{}).Remedy(r, nil))
	// Output:
	// [allow Edit(/share/note.txt) in projectSettings]
	// [mode acceptEdits]
	// Edit(/share/note.txt)
}

// A program that watches what is denied asks whether a rule would be about a call.
func ExamplePermissions_Concerns() {
	r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("share/key.pem")}, Place: placeOf("/usr")}
	for _, text := range []string{"Edit(*.pem)", "Edit(/bin/**)"} {
		rule, err := policy.ParseRule(policy.Deny, text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rule, policy.Permissions{}.Concerns(r, rule))
	}
	// Output:
	// Edit(*.pem) yes
	// Edit(/bin/**) no
}

// The permissions of a settings file.
func ExampleRuleSet() {
	var file struct{ Permissions policy.RuleSet }
	if err := json.Unmarshal([]byte(`{"permissions": {"allow": ["Bash(make)"], "deny": ["WebFetch"]}}`), &file); err != nil {
		fmt.Println(err)
		return
	}
	perms, err := policy.New(policy.ModeDefault, file.Permissions)
	fmt.Println(perms.Rules(), err)
	// Output: [WebFetch Bash(make)] <nil>
}

func ExampleNew() {
	p, err := policy.New(policy.ModeDefault,
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Edit(src/)"}, Deny: []string{"Edit(.env)"}},
		policy.RuleSet{Source: policy.SourceProject, Ask: []string{"WebFetch(domain:example.com)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Rules() { // in the order in which they win
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	_, err = policy.New("yolo")
	fmt.Println(err)
	// Output:
	// deny Edit(.env) from userSettings
	// ask WebFetch(domain:example.com) from projectSettings
	// allow Edit(src/) from userSettings
	// unknown permission mode "yolo"
}

// The first rule that denies a tool as a whole.
func ExamplePermissions_AllRules() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Read"}, Deny: []string{"Edit(.env)", "WebFetch"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range p.AllRules() {
		if r.Behavior != policy.Deny {
			break // deny rules come first
		}
		if r.Pattern == "" {
			fmt.Println(r.Tool)
		}
	}
	// Output:
	// WebFetch
}

// A policy gives a directory that no update takes away.
func ExamplePermissions_WithDirectories() {
	p := policy.Permissions{}.WithDirectories(policy.Directory{Path: "/srv/data", Source: policy.SourceManaged})
	_, err := p.Apply(policy.Update{
		Type: policy.RemoveDirectories, Directories: []string{"/srv/data"}, Destination: policy.SourceManaged,
	})
	fmt.Println(p.Directories(), err)
	// Output:
	// [{/srv/data policySettings}] update removeDirectories: what the policy says cannot be changed here
}

// The host decides which lax modes a conversation may ever enter.
func ExamplePermissions_WithAvailable() {
	p := policy.Permissions{}
	_, err := p.WithMode(policy.ModeAuto)
	fmt.Println(errors.Is(err, policy.ErrModeUnavailable))

	p = p.WithAvailable(policy.ModeAuto)
	q, err := p.WithMode(policy.ModeAuto)
	fmt.Println(q.Mode(), err)
	fmt.Println(p.Offers(policy.ModeAuto), p.Offers(policy.ModeBypass))
	// Output:
	// true
	// auto <nil>
	// true false
}

// A policy takes modes away for good.
func ExamplePermissions_Without() {
	p, err := policy.New(policy.ModeBypass)
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.Without(policy.ModeBypass)
	fmt.Println(p.Mode())
	_, err = p.WithAvailable(policy.ModeBypass).WithMode(policy.ModeBypass)
	fmt.Println(err)
	// Output:
	// default
	// permission mode not available: the permissions withhold bypassPermissions
}

// When the user approves a plan, the conversation goes on in the mode it had before.
func ExamplePermissions_AfterPlan() {
	p, err := policy.Permissions{}.WithMode(policy.ModeAcceptEdits)
	if err != nil {
		fmt.Println(err)
		return
	}
	planning, err := p.WithMode(policy.ModePlan)
	fmt.Println(planning.Mode(), err)
	fmt.Println(planning.AfterPlan().Mode())
	// Output:
	// plan <nil>
	// acceptEdits
}

// An approval dialog or a hook script describes a change of the permissions in the
// documented form.
func ExamplePermissions_Apply() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Bash(npm test)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := p.Apply(
		policy.Update{
			Type: policy.AddRules, Behavior: policy.Allow, Destination: policy.SourceSession,
			Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: "npm run *"}},
		},
		policy.Update{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession},
		policy.Update{Type: policy.SetMode, Mode: policy.ModeBypass, Destination: policy.SourceSession}, // it was not available before
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
		policy.Update{Type: policy.SetMode, Mode: policy.ModePlan, Destination: policy.SourceSession},
		policy.Update{Type: policy.RemoveRules, Behavior: policy.Allow, Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: " "}}})
	fmt.Println(err)
	// Output:
	// acceptEdits
	// allow Bash(npm test) from userSettings
	// allow Bash(npm run *) from session
	// and before: default 1
	// update removeRules: rule "Bash( )": the parentheses are empty; leave them out to mean the whole tool
}

func ExampleParseRule() {
	for _, text := range []string{"Bash", "Bash(git status)", "Edit(/src/main.go)", "mcp__github__*", "Bash(npm run *)", "Agent(model:opus)", "Bash()"} {
		r, err := policy.ParseRule(policy.Deny, text)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Printf("%v %s: tool %q, pattern %q\n", r.Behavior, r, r.Tool, r.Pattern)
	}
	// Output:
	// deny Bash: tool "Bash", pattern ""
	// deny Bash(git status): tool "Bash", pattern "git status"
	// deny Edit(/src/main.go): tool "Edit", pattern "/src/main.go"
	// deny mcp__github: tool "mcp__github", pattern ""
	// deny Bash(npm run *): tool "Bash", pattern "npm run *"
	// deny Agent(model:opus): tool "Agent", pattern "model:opus"
	// refused: rule "Bash()": the parentheses are empty; leave them out to mean the whole tool
}

// A log shows of a rule that an answer has made only what tool it is about.
func ExampleRule_Redacted() {
	for _, source := range []policy.Source{policy.SourceProject, policy.SourceSession} {
		fmt.Println(policy.Rule{Behavior: policy.Allow, Tool: "Bash", Pattern: "git push *", Source: source}.Redacted())
	}
	// Output:
	// Bash(git push *)
	// Bash(…)
}

// A log that must not contain inputs writes the classes of targets.
func ExampleTarget_Class() {
	fmt.Println(policy.Target{Kind: policy.Path, Access: policy.Read, Value: "notes/diary.md"}.Class())
	fmt.Println(policy.Target{Kind: policy.Path, Value: "out", Shell: policy.ShellFacts{Guess: true}}.Class())
	// Output:
	// path:read
	// path:write?
}

// An agent's definition may ask for a mode that its parent does not have. The parent's holds.
func ExampleMode_Laxer() {
	parent := policy.ModeDefault
	for _, wanted := range []policy.Mode{policy.ModePlan, policy.ModeAcceptEdits} {
		if wanted.Laxer(parent) {
			wanted = parent
		}
		fmt.Println(wanted)
	}
	// Output:
	// plan
	// default
}

// A sandbox hides what deny rules name. Where a rule has a wildcard it cannot know all files,
// and has to leave the decision to a person.
func ExampleRule_Places() {
	p, err := policy.New("", policy.RuleSet{Deny: []string{"Read(//srv/keys/**)", "Read(//srv/*.pem)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.In(placeOf("/usr")).Rules() {
		paths, exact := r.Places()
		fmt.Println(r, paths, exact)
	}
	// Output:
	// Read(//srv/keys/**) [/srv/keys] true
	// Read(//srv/*.pem) [/srv] false
}
