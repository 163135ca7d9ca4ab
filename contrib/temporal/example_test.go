package temporal_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/policy"
)

type topic struct {
	Of string `json:"of"`
}

// summary is a tool that host and workers have.
var summary = pegboard.Build(pegboard.Definition[topic, string]{
	Info: pegboard.Info{Name: "Summarize"}, Description: "Summarizes.", Traits: pegboard.Traits{ReadOnly: true},
	Call: func(_ context.Context, in topic, c *pegboard.Call) (string, error) {
		return fmt.Sprintf("%s, in the session %s", in.Of, c.Session().ID()), nil
	},
})

// A worker has a session of its own for each session of a host, which says what it needs for
// that. The host changes one value of its executor.
func Example() {
	c := server.GetDefaultClient() // of client.Dial
	tools := func(s *pegboard.Session) *pegboard.Pool {
		var registry pegboard.Registry
		if err := registry.Add(summary); err != nil {
			log.Fatal(err)
		}
		return registry.AssemblePool(s, pegboard.PoolConfig{})
	}

	// The process of a worker.
	worker, err := temporal.NewWorker(c, "example", temporal.WorkerOptions{
		Pool: func(_ context.Context, d temporal.Description) (*pegboard.Pool, error) {
			cfg, err := d.Config()
			if err != nil {
				return nil, err
			}
			s, err := pegboard.NewSession(cfg)
			if err != nil {
				return nil, err
			}
			return tools(s), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		log.Fatal(err)
	}
	defer worker.Stop()

	// The process of the host.
	engine, err := temporal.NewEngine(temporal.Options{Client: c, Route: func(pegboard.Info) string { return "example" }})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 17"})
	if err != nil {
		log.Fatal(err)
	}
	ctx := pegboard.WithTurn(context.Background(), "message 3")
	defer session.Close(ctx) //nolint:errcheck // it owns nothing
	executor := pegboard.Executor{Invoke: engine.Invoke}
	out := executor.Run(ctx, tools(session), pegboard.Call{ID: "1", Name: "Summarize", Input: []byte(`{"of":"the report"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: the report, in the session conversation 17
}

// The id of a call's workflow is found in the log of the host, to look the call up in Temporal.
func ExampleWorkflowID() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 17"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background()) //nolint:errcheck // it owns nothing
	var registry pegboard.Registry
	if err := registry.Add(summary); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			fmt.Println(temporal.WorkflowID(e.Call))
		}
	}}
	ctx := pegboard.WithTurn(context.Background(), "message 3")
	executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Summarize", Input: []byte(`{"of":"the report"}`)})
	// Output: pegboard-19e1d4185d1115bbb84fcbf40a1e580ced447a05
}

// A worker makes the permissions and the directories of the host's session again.
func ExampleDescribe() {
	perms, err := policy.New("", policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Read(.env)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 17", Role: pegboard.RoleCoordinator, Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background()) //nolint:errcheck // it owns nothing
	d := temporal.Describe(session)
	fmt.Println(d.Session, d.Role, d.Rules[0].Behavior, d.Rules[0].Rule)
	cfg, err := d.Config()
	fmt.Println(cfg.ID, cfg.Role, err)
	// Output:
	// conversation 17 coordinator deny Read(.env)
	// conversation 17 coordinator <nil>
}
