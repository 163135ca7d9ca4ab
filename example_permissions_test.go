package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleNewPermissions() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault,
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Edit(src/)"}, Deny: []string{"Edit(.env)"}},
		pegboard.RuleSet{Source: pegboard.SourceProject, Ask: []string{"WebFetch(domain:example.com)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Rules() { // in the order in which they win
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	_, err = pegboard.NewPermissions("yolo")
	fmt.Println(err)
	// Output:
	// deny Edit(.env) from userSettings
	// ask WebFetch(domain:example.com) from projectSettings
	// allow Edit(src/) from userSettings
	// unknown permission mode "yolo"
}

// The first rule that denies a tool as a whole.
func ExamplePermissions_AllRules() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Read"}, Deny: []string{"Edit(.env)", "WebFetch"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range p.AllRules() {
		if r.Behavior != pegboard.Deny {
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
	p := pegboard.Permissions{}.WithDirectories(pegboard.AddedDirectory{Path: "/srv/data", Source: pegboard.SourcePolicy})
	_, err := p.Apply(pegboard.PermissionUpdate{
		Type: pegboard.UpdateRemoveDirectories, Directories: []string{"/srv/data"}, Destination: pegboard.SourcePolicy,
	})
	fmt.Println(p.Directories(), err)
	// Output:
	// [{/srv/data policySettings}] update removeDirectories: what the policy says cannot be changed here
}

// What a skill allows ends with the turn.
func ExampleSession_NewTurn() {
	session := begin(pegboard.SessionConfig{})
	err := session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.WithRules(pegboard.RuleSet{Source: pegboard.SourceTurn, Allow: []string{"Bash(git status)"}})
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.Permissions().Rules())
	session.NewTurn()
	fmt.Println(session.Permissions().Rules())
	// Output:
	// [Bash(git status)]
	// []
}
