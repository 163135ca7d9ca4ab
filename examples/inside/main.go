// Command inside runs one tool inside three frameworks that one program may have: an agent of
// eino, a generation of genkit, and the tool runner of Anthropic's SDK. The model of each asks for
// the same two calls, of which a rule allows one, and reads the same results. The models are
// scripted; the frameworks are real. It is a module of its own, since they are large.
//
//	cd examples/inside && go run .
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// calls are what each model asks for in its only message with calls.
func calls() []pegboard.Call {
	return []pegboard.Call{
		{ID: "1", Name: "Write", Input: json.RawMessage(`{"file_path": "notes/a.txt", "content": "hello"}`)},
		{ID: "2", Name: "Write", Input: json.RawMessage(`{"file_path": "b.txt", "content": "hello"}`)},
	}
}

// A framework runs a model with the tools of a pool, and returns what the model has read.
type framework func(context.Context, *pegboard.Executor, *pegboard.Pool) ([]string, error)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inside:", err)
		os.Exit(1)
	}
}

// run shows what the model of each framework reads.
func run(ctx context.Context, out io.Writer) error {
	for _, f := range []struct {
		name string
		run  framework
	}{{"eino", inEino}, {"genkit", inGenkit}, {"Anthropic's SDK", inAnthropic}} {
		results, err := inDirectory(ctx, f.run)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(out, "%s\n", f.name)
		for _, text := range results {
			fmt.Fprintf(out, "    %s\n", pegboard.OneLine(text))
		}
	}
	return nil
}

// inDirectory runs a framework with a session in a directory of its own, where notes may be written.
func inDirectory(ctx context.Context, run framework) (_ []string, err error) {
	dir, err := os.MkdirTemp("", "inside")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/notes/**)"}})
	if err != nil {
		return nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	var registry pegboard.Registry
	if err := registry.Add(files.Write(files.WriteOptions{})); err != nil {
		return nil, err
	}
	session.NewTurn() // the user has sent a message
	return run(ctx, &pegboard.Executor{}, registry.AssemblePool(session, pegboard.PoolConfig{}))
}
