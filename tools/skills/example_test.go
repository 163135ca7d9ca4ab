package skills_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// exampleHost is a host with one skill, which every example uses.
func exampleHost(list ...skills.Skill) (*skills.Skills, *pegboard.Session, *pegboard.Pool) {
	k, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill { return list }})
	if err != nil {
		panic(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Skill"}})
	if err != nil {
		panic(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "example", Permissions: perms, Hooks: k.Hooks()})
	if err != nil {
		panic(err)
	}
	var r pegboard.Registry
	if err := r.Add(k.Tool()); err != nil {
		panic(err)
	}
	return k, s, r.AssemblePool(s, pegboard.PoolConfig{})
}

// A host tells the model of the skills, and the model loads one.
func Example() {
	k, s, pool := exampleHost(skills.Skill{Name: "commit", Description: "Commits the changes.", Body: "Commit as $ARGUMENTS."})
	defer func() { _ = s.Close(context.Background()) }()
	text, _ := k.Announce(pool, nil)
	fmt.Println(text)

	var x pegboard.Executor
	for _, o := range x.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Skill", Input: []byte(`{"skill":"commit","args":"Ann"}`)}) {
		fmt.Println(o.Result.Text())
		fmt.Println(o.Result.Messages[0].Text)
	}
	// Output:
	// These skills can be loaded with the tool Skill, by their names. Load one before you do what it is for:
	// - commit: Commits the changes.
	// Skill commit is loaded: what it says follows. Do that now.
	// Skill commit:
	//
	// Commit as Ann.
}

func ExampleParse() {
	s, problems, err := skills.Parse("deploy/SKILL.md", []byte(`---
description: Deploys a branch.
allowed-tools: Bash(git push *), Read
effort: enormous
---
Deploy $0.
`))
	fmt.Println(s.Name, s.AllowedTools, err)
	fmt.Println(problems[0])
	// Output:
	// deploy [Bash(git push *) Read] <nil>
	// deploy/SKILL.md: effort: "enormous" is no effort; write low, medium, high, xhigh or max; it has no effect
}

func ExampleLoad() {
	tree := fstest.MapFS{
		"commit/SKILL.md": {Data: []byte("Commit the changes.")},
		"empty/SKILL.md":  {Data: []byte("---\nname: empty\n---\n")},
	}
	list, problems := skills.Load(tree, skills.LoadOptions{Source: skills.SourceBundled, Trusted: true})
	fmt.Println(list[0].Name, list[0].Source)
	fmt.Println(problems[0])
	// Output:
	// commit bundled
	// empty/SKILL.md: there is no text below the head; write the instructions there
}

func ExampleLoadCommands() {
	list, _ := skills.LoadCommands(fstest.MapFS{"web/page.md": {Data: []byte("Make the page $0.")}}, skills.LoadOptions{})
	fmt.Println(list[0].Name)
	// Output: web:page
}

func ExampleValidName() {
	fmt.Println(skills.ValidName("ship-it"), skills.ValidName("ship it"))
	// Output: true false
}

// A person types /greet World.
func ExampleSkills_Run() {
	k, s, pool := exampleHost(skills.Skill{Name: "greet", Body: "Greet $0.", NoModel: true})
	defer func() { _ = s.Close(context.Background()) }()
	s.NewTurn()
	inv, err := k.Run(context.Background(), &pegboard.Executor{}, pool, "greet", "World")
	fmt.Println(err)
	fmt.Println(inv.Parts[0].Text)
	// Output:
	// <nil>
	// Skill greet:
	//
	// Greet World.
}

// A compactor keeps the skills that are in use.
func ExampleSkills_Carry() {
	k, s, pool := exampleHost(skills.Skill{Name: "greet", Body: "Greet everybody."})
	defer func() { _ = s.Close(context.Background()) }()
	_, _ = k.Run(context.Background(), &pegboard.Executor{}, pool, "greet", "")
	for _, p := range k.Carry(s) {
		fmt.Println(strings.ReplaceAll(p.Text, "\n\n", " "))
	}
	// Output: Skill greet: Greet everybody.
}

// A skill is told when a file that it is for was touched.
func ExampleSkills_Touch() {
	k, s, pool := exampleHost(skills.Skill{Name: "tables", Body: "Use few tables.", Paths: []string{"*.sql"}})
	defer func() { _ = s.Close(context.Background()) }()
	text, told := k.Announce(pool, nil)
	fmt.Printf("%q\n", text)
	k.Touch(s, filepath.Join(s.Dir(), "schema.sql"))
	text, _ = k.Announce(pool, told)
	fmt.Println(strings.Split(text, "\n")[1])
	// Output:
	// ""
	// - tables
}

// An agent's definition names the skills that it starts with.
func ExampleSkills_Text() {
	k, s, _ := exampleHost(skills.Skill{Name: "style", Body: "Write short lines."})
	defer func() { _ = s.Close(context.Background()) }()
	text, err := k.Text(context.Background(), s, "style") // agents.Options{Skill: k.Text}
	fmt.Println(strings.ReplaceAll(text, "\n\n", " "), err)
	// Output: Skill style: Write short lines. <nil>
}

// A user interface completes the names of skills.
func ExampleSkills_List() {
	k, s, _ := exampleHost(skills.Skill{Name: "fix", Body: "Fix it.", ArgumentHint: "<issue>"})
	defer func() { _ = s.Close(context.Background()) }()
	for _, skill := range k.List(s) {
		fmt.Println("/"+skill.Name, skill.ArgumentHint)
	}
	// Output: /fix <issue>
}

// The hooks of skills stand beside those of the host.
func ExampleSkills_Hooks() {
	k, s, _ := exampleHost()
	defer func() { _ = s.Close(context.Background()) }()
	cfg := pegboard.SessionConfig{Hooks: pegboard.JoinHooks(k.Hooks(), pegboard.Hooks{})}
	fmt.Println(cfg.Hooks.Post != nil)
	// Output: true
}

// A host without files of its own names skills in code.
func ExampleSkills_Tool() {
	k, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill {
		return []skills.Skill{{Name: "greet", Body: "Greet everybody."}}
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println(k.Tool().Info().Name)
	// Output: Skill
}

func ExamplePrompt_Skill() {
	s := skills.Prompt{Server: "github", Name: "review", Arguments: []skills.PromptArgument{{Name: "number", Required: true}}}.Skill()
	fmt.Println("/"+s.Name, s.ArgumentHint)
	// Output: /mcp__github__review <number>
}

func ExampleSkills_Announce() {
	k, s, pool := exampleHost(skills.Skill{Name: "fix", Description: "Fixes an issue.", Body: "Fix it."})
	defer func() { _ = s.Close(context.Background()) }()
	text, told := k.Announce(pool, nil)
	fmt.Println(text)
	text, _ = k.Announce(pool, told)
	fmt.Printf("%q\n", text)
	// Output:
	// These skills can be loaded with the tool Skill, by their names. Load one before you do what it is for:
	// - fix: Fixes an issue.
	// ""
}

func ExampleVisibility() {
	var v skills.Visibility
	fmt.Println(v)
	fmt.Println(v.UnmarshalText([]byte("name-only")), v == skills.NameOnly)
	fmt.Println(v.UnmarshalText([]byte("sometimes")))
	// Output:
	// on
	// <nil> true
	// "sometimes" is no visibility; write on, name-only, user-invocable-only or off
}

// The user has gone back to an earlier message.
func ExampleSkills_Forget() {
	k, s, pool := exampleHost(skills.Skill{Name: "greet", Body: "Greet everybody."})
	defer func() { _ = s.Close(context.Background()) }()
	run := func() string {
		inv, err := k.Run(context.Background(), &pegboard.Executor{}, pool, "greet", "")
		if err != nil {
			return err.Error()
		}
		return inv.Status
	}
	fmt.Println(run(), run())
	k.Forget(s)
	fmt.Println(run())
	// Output:
	// loaded repeated
	// loaded
}
