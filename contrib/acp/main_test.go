package acp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// programVariable makes the test binary the agent that a client starts.
const programVariable = "PEGBOARD_ACP_PROGRAM"

// TestMain runs the agent instead of the tests if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		os.Exit(m.Run())
	}
	if err := serveScript(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveScript is an agent whose model is a script: it waits, or reads and edits a file.
func serveScript() error {
	var registry pegboard.Registry
	wait := simple("Wait", func(ctx context.Context, _ *pegboard.Call) (*pegboard.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	if err := registry.Add(wait, files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{})); err != nil {
		return err
	}
	agent, err := acp.New(acp.Options{Info: sdk.Implementation{Name: "script"}, Open: func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir(), Ask: c.Ask, Elicit: c.Elicit})
		executor := pegboard.Executor{OnEvent: c.Record}
		return session, func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
			pool := registry.AssemblePool(session, pegboard.PoolConfig{})
			if prompt[0].Text == "wait" {
				executor.Run(ctx, pool, call("w", "Wait", "{}"))
				return sdk.StopReasonEndTurn, nil
			}
			c.Say("I edit it.")
			file := text(filepath.Join(c.Dir(), "notes.txt"))
			executor.Run(ctx, pool, call("r", "Read", `{"file_path":`+file+`}`))
			executor.Run(ctx, pool, call("e", "Edit", `{"file_path":`+file+`,"old_string":"o","new_string":"oo","replace_all":true}`))
			return sdk.StopReasonEndTurn, nil
		}, err
	}})
	if err != nil {
		return err
	}
	return agent.Stdio(context.Background())
}
