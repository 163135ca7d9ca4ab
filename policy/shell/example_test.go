package shell_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/policy/shell"
)

// What a line touches, without running it.
func ExampleRead() {
	line := shell.Read("git status && cat .env | tee out.txt; curl -s https://example.com", shell.Env{Dir: "/work", Home: "/home/ada"})
	for _, t := range line.Targets {
		fmt.Println(t)
	}
	fmt.Println("only reads:", line.Facts.ReadOnly, "reaches beyond this machine:", line.Facts.OpenWorld)
	// Output:
	// run git status
	// run cat .env
	// read /work/.env
	// run tee out.txt
	// write /work/out.txt
	// run curl -s https://example.com
	// perhaps run example.com
	// only reads: false reaches beyond this machine: true
}

// A program that runs many lines.
func ExampleReader_Read() {
	here, err := policy.Dirs{Dir: "/usr"}.Place()
	if err != nil {
		fmt.Println(err)
		return
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(make *)"}, Deny: []string{"Bash(rm *)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	perms = perms.In(here)
	var reader shell.Reader
	for _, text := range []string{"make test | tail -3", "make test; sudo rm -r /", "for f in *; do"} {
		line := reader.Read(text, shell.Env{Dir: here.Dir(), Home: here.Home()})
		d := perms.Decide(context.Background(), policy.Request{Tool: policy.Builtin("Bash"), Targets: line.Targets, Facts: line.Facts, Place: here})
		fmt.Println(d.Behavior, d.Reason)
	}
	// Output:
	// allow allow rule "Bash(make *)" covers it
	// deny deny rule "Bash(rm *)" covers run sudo rm -r /
	// ask no rule allows it: Bash wants to run f in *, do something unknown: the line is not complete or not valid
}

// Whether a line could be run with a search path that holds nothing of the project.
func ExampleLine_SelfContained() {
	for _, text := range []string{"grep -r TODO . | sort", "npm test"} {
		line := shell.Read(text, shell.Env{Dir: "/work"})
		fmt.Println(line.SelfContained(), line.Commands[0].Known, shell.BringsProgram("npm"))
	}
	// Output:
	// true true true
	// false false true
}
