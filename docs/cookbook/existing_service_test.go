package cookbook_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// tickets is the client that the program has had all along.
type tickets map[string]string // state by number

var errNoTicket = errors.New("no such ticket")

func (t tickets) Close(_ context.Context, id string) error {
	if t[id] == "" {
		return errNoTicket
	}
	t[id] = "closed"
	return nil
}

type closeInput struct {
	Ticket string `json:"ticket" jsonschema:"pattern=^[A-Z]+-[0-9]+$,description=Such as WEB-7"`
}

func closeTicket(service tickets) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[closeInput, string]{
		Info:        pegboard.Info{Name: "CloseTicket", Timeout: 20 * time.Second},
		Description: "Closes a ticket.",
		Inspect: func(in closeInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:   []policy.Target{{Kind: policy.Resource, Value: in.Ticket}}, // zero access: it writes
				OpenWorld: true,                                                       // the service is another machine
			}
		},
		Call: func(ctx context.Context, in closeInput, _ *pegboard.Call) (string, error) {
			err := service.Close(ctx, in.Ticket)
			if errors.Is(err, errNoTicket) {
				return "", fmt.Errorf("there is no ticket %s; ask the user for its number: %w", in.Ticket, err)
			}
			return in.Ticket + " is closed", err
		},
	})
}

func Example_existingService() {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"CloseTicket(WEB-*)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	tool := closeTicket(tickets{"WEB-7": "open", "OPS-1": "open"})
	for _, input := range []string{`{"ticket": "WEB-7"}`, `{"ticket": "WEB-8"}`, `{"ticket": "OPS-1"}`} {
		fmt.Println(tooltest.Run(context.Background(), tool, session, input).Result.Text())
	}
	// Output:
	// WEB-7 is closed
	// there is no ticket WEB-8; ask the user for its number: no such ticket
	// CloseTicket was denied: no rule allows it: CloseTicket wants to write OPS-1, beyond this machine, and nobody can be asked; the allow rule CloseTicket(OPS-1) would permit it. No person refused it; do something else or tell the user what is needed.
}
