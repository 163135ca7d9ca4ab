package pegboard_test

import (
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// A second server of one name is refused: rules for the first would cover its tools.
func ExampleRegistry_Attach() {
	var reg pegboard.Registry
	for _, server := range [][]pegboard.Tool{{inert("read")}, {inert("wipe")}} { // in the order of the configuration
		_, err := reg.Attach("github", server...)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// source: duplicate: "github" is attached; rules for it would cover the tools of both
}

// The tools that a source offers now replace those that it offered before.
func ExampleRegistry_Replace() {
	var reg pegboard.Registry
	_, err := reg.Attach("git.hub", inert("list"), inert("read"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := reg.Replace("git.hub", inert("read"), inert("create"),
		pegboard.InvalidTool("search", fmt.Errorf("its schema is no object")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("added:", report.Added)
	fmt.Println("removed:", report.Removed)
	fmt.Println("quarantined:", report.Quarantined)
	// Output:
	// added: [mcp__git_hub__create]
	// removed: [mcp__git_hub__list]
	// quarantined: map[search:its schema is no object]
}

func ExampleRegistry_SetDescription() {
	reg := shelf()
	reg.SetDescription("github", "Repositories, issues and pull requests.")
	fmt.Println(len(reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{}).Search("pull requests", 5)), "tools have to do with that")
	// Output: 2 tools have to do with that
}
