// Command otel prints the trace of one message of a model as a tree: a search, a command that
// the user is asked about, one that a rule denies, a tool that panics, and an agent that searches
// in turn. The spans are those that a program would send to its collector. It is a module of its own, since it needs the SDK of
// OpenTelemetry.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/otel"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := project()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)) // a program adds its exporter here
	tracing, err := otel.New(otel.Options{Tracer: provider.Tracer("host")})
	if err != nil {
		return err
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{"Bash(git push:*)"}})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, ID: "conversation-1", Permissions: permissions, Ask: yes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()

	var registry pegboard.Registry
	executor := &pegboard.Executor{OnEvent: tracing.Record, Invoke: tracing.Invoke(nil), Logger: slog.New(slog.DiscardHandler)} // a program logs the panic
	all, err := agents.New(agents.Options{Registry: &registry, Loop: searcher(executor), Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() }})
	if err != nil {
		return err
	}
	if err := registry.Add(append(all.Tools(), files.Grep(files.GrepOptions{}), shell.Bash(shell.Options{}), broken)...); err != nil {
		return err
	}
	batch, end := tracing.Batch(ctx, session)
	executor.Run(batch, registry.AssemblePool(session, pegboard.PoolConfig{}),
		call("1", "Grep", `{"pattern":"hello"}`),
		call("2", "Bash", `{"command":"touch made"}`),
		call("3", "Bash", `{"command":"git push"}`),
		call("4", "Broken", `{}`),
		call("5", "Agent", `{"description":"find the greeting","prompt":"Find it.","subagent_type":"Explore"}`))
	end()
	print(out, recorder.Ended())
	return nil
}

// broken is a tool with a mistake of its author.
var broken = pegboard.Build(pegboard.Definition[struct{}, string]{
	Info: pegboard.Info{Name: "Broken"}, Description: "Panics.", Traits: pegboard.Traits{ReadOnly: true},
	Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { panic("no such index") },
})

// project makes a directory to work in.
func project() (string, error) {
	dir, err := os.MkdirTemp("", "otel")
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("hello\n"), 0o600)
}

// yes is the user.
func yes(context.Context, *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{Behavior: policy.Allow}, nil
}

// searcher is the loop of an agent whose model searches once.
func searcher(executor *pegboard.Executor) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		pool, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		outcomes := executor.Run(ctx, pool, call("1", "Grep", `{"pattern":"hello","output_mode":"content"}`))
		return agents.Reply{Text: outcomes[0].Result.Text()}, nil
	}
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}
