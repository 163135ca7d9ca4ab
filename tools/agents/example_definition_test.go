package agents_test

import (
	"fmt"
	"testing/fstest"

	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// A file of a user becomes a kind of agent.
func ExampleParse() {
	file := `---
name: code-reviewer
description: Reviews a change for mistakes. Use it before a commit.
tools: Read, Grep, Bash(git diff:*)
permissionMode: plan
colour: blue
---
Look for mistakes in the change.
`
	d, problems, err := agents.Parse([]byte(file), ".claude/agents/review.md")
	fmt.Println(d.Name, d.Tools, d.Mode, err)
	fmt.Println(d.Prompt)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// code-reviewer [Read Grep Bash(git diff:*)] plan <nil>
	// Look for mistakes in the change.
	// .claude/agents/review.md:6: the key "colour" is unknown and left out; did you mean color?
}

// The flag --agents has definitions for one run of a program.
func ExampleParseJSON() {
	definitions, _, err := agents.ParseJSON([]byte(`{"poet": {"description": "Writes verse", "prompt": "Rhyme.", "tools": []}}`), "--agents")
	fmt.Println(definitions[0].Name, definitions[0].Prompt, err)
	// Output: poet Rhyme. <nil>
}

// All files of a directory are read, and those that cannot be used are named.
func ExampleLoad() {
	files := fstest.MapFS{ // os.DirFS(dir) in a program
		"tests.md":      {Data: []byte("---\nname: tester\ndescription: Writes tests\n---\nWrite tests.\n")},
		"old/tests.md":  {Data: []byte("---\nname: tester\ndescription: Wrote tests\n---\nWrite tests.\n")},
		"old/README.md": {Data: []byte("---\ntitle: Old agents\n---\n")},
	}
	definitions, problems := agents.Load(files, agents.Tree{})
	for _, d := range definitions {
		fmt.Println(d.Name, "from", d.Origin)
	}
	for _, p := range problems {
		fmt.Println(p, p.Skipped)
	}
	// Output:
	// tester from old/tests.md
	// old/README.md:2: the key "title" is unknown and left out false
	// old/README.md: it has no name; give it one of lower-case letters and hyphens true
	// tests.md: the name tester is that of old/tests.md, too; give one of them another name true
}

// The user's own definition of Explore counts, since it comes first.
func ExampleMerge() {
	own := []agents.Definition{{Name: "Explore", Description: "Searches our way", Origin: "explore.md"}}
	for _, d := range agents.Merge(own, agents.ReadyMade()) {
		fmt.Println(d.Name, "from", d.Origin)
	}
	// Output:
	// Explore from explore.md
	// Plan from ready-made
	// general-purpose from ready-made
}

// Explore and Plan change nothing, and nobody goes on with them.
func ExampleReadyMade() {
	for _, d := range agents.ReadyMade() {
		fmt.Printf("%s: mode %q, one shot %v\n", d.Name, d.Mode, d.OneShot)
	}
	// Output:
	// general-purpose: mode "", one shot false
	// Explore: mode "plan", one shot true
	// Plan: mode "plan", one shot true
}
