// Command loop is the smallest agent loop that shows how a call is denied. Its model,
// a script, wants to write a file. No rule allows that, so the call is denied, and
// the denial names the one rule that would allow it. With the rule it runs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

type note struct {
	File string `json:"file" jsonschema:"description=Where to write the note"`
	Text string `json:"text"`
}

var writeNote = pegboard.Build(pegboard.Definition[note, string]{
	Info:        pegboard.Info{Name: "WriteNote"},
	Description: "Writes a note into a file.",
	Inspect: func(in note, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{Targets: []policy.Target{policy.Writes(in.File)}}
	},
	Call: func(ctx context.Context, in note, c *pegboard.Call) (string, error) {
		return "written", files.WriteFile(ctx, c, in.File, []byte(in.Text))
	},
})

// model stands for the language model: it asks for one call, then it is done.
func model(results []pegboard.Outcome) []pegboard.Call {
	for _, r := range results {
		fmt.Println("  model reads:", r.Result.Text())
	}
	if results != nil {
		return nil
	}
	return []pegboard.Call{{ID: "1", Name: "WriteNote", Input: json.RawMessage(`{"file":"note.txt","text":"hello"}`)}}
}

func loop(ctx context.Context, dir string, allow ...string) error {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: allow})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		return err
	}
	defer session.Close(ctx)

	var registry pegboard.Registry
	if err := registry.Add(writeNote); err != nil {
		return err
	}
	var executor pegboard.Executor
	session.NewTurn() // the user has sent a message
	for calls := model(nil); len(calls) > 0; {
		calls = model(executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), calls...))
	}
	return nil
}

func main() {
	dir, err := os.MkdirTemp("", "loop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, allow := range [][]string{nil, {"Edit(/note.txt)"}} {
		fmt.Printf("allow rules %v\n", allow)
		if err := loop(context.Background(), dir, allow...); err != nil {
			log.Fatal(err)
		}
	}
}
