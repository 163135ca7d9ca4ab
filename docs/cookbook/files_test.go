package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type entryInput struct {
	File string `json:"file" jsonschema:"description=The diary to add to"`
	Line string `json:"line"`
}

var addEntry = pegboard.Build(pegboard.Definition[entryInput, string]{
	Info:        pegboard.Info{Name: "AddEntry"},
	Description: "Adds a line to the end of a diary.",
	Inspect: func(in entryInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{
			Targets:     []policy.Target{policy.Writes(in.File)},
			Concurrency: pegboard.PerTarget, // two diaries may be written at the same time
		}
	},
	Call: func(ctx context.Context, in entryInput, c *pegboard.Call) (string, error) {
		return "added", files.UpdateFile(ctx, c, in.File, func(old []byte) ([]byte, error) {
			return fmt.Appendf(nil, "%s- %s\n", old, in.Line), nil
		})
	},
})

func Example_files() {
	dir, err := os.MkdirTemp("", "diary")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/*.md)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	for _, file := range []string{"may.md", "may.md", "../may.md"} {
		out := tooltest.Run(context.Background(), addEntry, session, fmt.Sprintf(`{"file": %q, "line": "rain"}`, file))
		fmt.Println(file, out.Decision.Behavior, out.Decision.Rule)
	}
	text, err := os.ReadFile(dir + "/may.md")
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// may.md allow Edit(/*.md)
	// may.md allow Edit(/*.md)
	// ../may.md deny <nil>
	// "- rain\n- rain\n" <nil>
}
