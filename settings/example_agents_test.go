package settings_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// The agents of a project count once the user trusts it. A host reads the files between turns,
// and gives the definitions to agents.Options.
func ExampleFiles_LoadAgents() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	folder := filepath.Join(dir, ".claude", "agents")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		log.Fatal(err)
	}
	file := "---\nname: reviewer\ndescription: Reviews a change\ntools: Read, Grep\n---\nLook for mistakes.\n"
	if err := os.WriteFile(filepath.Join(folder, "reviewer.md"), []byte(file), 0o600); err != nil {
		log.Fatal(err)
	}

	files := settings.Files{Dir: dir, Home: filepath.Join(dir, "home"), Trusted: true}
	loaded, err := files.LoadAgents(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range agents.Merge(loaded.Definitions, agents.ReadyMade()) {
		fmt.Println(d.Name, len(d.Tools))
	}
	fmt.Println("changed:", files.AgentsChanged(loaded))
	files.Trusted = false
	loaded, err = files.LoadAgents(context.Background())
	fmt.Println(len(loaded.Definitions), loaded.Problems[0].Text, err)
	// Output:
	// Explore 9
	// Plan 9
	// general-purpose 0
	// reviewer 2
	// changed: false
	// 0 its agents do not count until the project is trusted <nil>
}
