// Command acp is an agent that an editor can start. With -stdio it speaks the Agent Client
// Protocol on standard input and output. Without, it plays the editor as well, and prints the
// view of an editor: an edit that is asked about, and a question that the user cancels. The
// model is a script; the tools, the session and the protocol are real. See docs/acp.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

func main() {
	stdio := flag.Bool("stdio", false, "speak with the editor that has started this program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	h, err := newHost()
	if err == nil && *stdio {
		err = h.agent.Stdio(ctx)
	} else if err == nil {
		err = play(ctx, h.agent, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "acp:", err)
		os.Exit(1)
	}
}

// A host is the program around the model.
type host struct {
	registry pegboard.Registry
	agent    *acp.Agent
}

func newHost() (*host, error) {
	h := new(host)
	err := h.registry.Add(files.Read(files.ReadOptions{}), files.Glob(files.GlobOptions{}), files.Write(files.WriteOptions{}), files.Edit(files.WriteOptions{}),
		shell.Bash(shell.Options{}), tasks.TodoWrite(tasks.TodoOptions{}))
	if err != nil {
		return nil, err
	}
	h.agent, err = acp.New(acp.Options{Info: sdk.Implementation{Name: "pegboard-example", Title: sdk.Ptr("Pegboard example"), Version: "0.1.0"}, Open: h.open})
	return h, err
}

// open makes the session of a conversation.
func (h *host) open(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir(), Ask: c.Ask, Elicit: c.Elicit})
	if err != nil {
		return nil, nil, err
	}
	executor := &pegboard.Executor{OnEvent: c.Record}
	return session, func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
		m := newModel(prompt)
		for outcomes := []pegboard.Outcome(nil); ; {
			words, calls := m.answer(outcomes)
			c.Say(words)
			if len(calls) == 0 {
				return sdk.StopReasonEndTurn, nil
			}
			outcomes = executor.Run(ctx, h.registry.AssemblePool(session, pegboard.PoolConfig{}), calls...)
			if slices.ContainsFunc(outcomes, ends) {
				return sdk.StopReasonEndTurn, nil // or cancelled, which the editor is told in any case
			}
		}
	}, nil
}

// play has an editor and the agent speak with each other.
func play(ctx context.Context, agent *acp.Agent, out io.Writer) error {
	dir, err := os.MkdirTemp("", "acp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	agentIn, editorOut := io.Pipe()
	editorIn, agentOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(ctx, agentIn, agentOut) }()
	e := &editor{out: out, to: editorOut, from: editorIn, dir: dir, titles: map[string]string{}}
	if err := e.run(); err != nil {
		return err
	}
	return <-served
}

// ends reports whether an outcome ends the turn.
func ends(o pegboard.Outcome) bool { return o.StopTurn || errors.Is(o.Err, pegboard.ErrCancelled) }
