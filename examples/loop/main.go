// Command loop is the smallest complete loop: a tool, a rule, a session, and a model that makes
// two calls, of which the rule allows one. The model is a func; a program asks a real one.
package main

import (
	"context"
	"encoding/json"
	"errors"
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
	Inspect: func(in note, _ *pegboard.Call) pegboard.Traits { // what this call acts on
		return pegboard.Traits{Targets: []policy.Target{policy.Writes(in.File)}}
	},
	Call: func(ctx context.Context, in note, c *pegboard.Call) (string, error) {
		return "written", files.WriteFile(ctx, c, in.File, []byte(in.Text))
	},
})

// model stands for the language model. It reads results, and returns the calls of its next message.
func model(results []pegboard.Outcome) []pegboard.Call {
	for _, r := range results {
		fmt.Println(r.Result.Text())
	}
	if results != nil {
		return nil // its answer has no calls
	}
	return []pegboard.Call{
		{ID: "1", Name: "WriteNote", Input: json.RawMessage(`{"file": "notes/a.txt", "text": "hello"}`)},
		{ID: "2", Name: "WriteNote", Input: json.RawMessage(`{"file": "b.txt", "text": "hello"}`)},
	}
}

func run(ctx context.Context, dir string) error {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/notes/**)"}})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions}) // set Ask to ask a person
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
		pool := registry.AssemblePool(session, pegboard.PoolConfig{})
		calls = model(executor.Run(ctx, pool, calls...))
	}
	return nil
}

func main() {
	dir, err := os.MkdirTemp("", "loop")
	if err == nil {
		err = run(context.Background(), dir)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
}
