package cookbook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// suspending has the session suspend calls instead of waiting for the user.
func suspending(dir string) (*pegboard.Suspending, error) {
	journal, err := pegboard.NewFileJournal(dir)
	key := []byte("at least 32 bytes of crypto/rand, from a store of secrets")
	return &pegboard.Suspending{Key: key, Journal: journal}, err
}

// resume makes the session and the pool of a process.
func resume(dir string, service tickets) (*pegboard.Session, *pegboard.Pool) {
	suspend, err := suspending(dir)
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation-17", Suspend: suspend})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(closeTicket(service)); err != nil {
		log.Fatal(err)
	}
	return session, registry.AssemblePool(session, pegboard.PoolConfig{})
}

func Example_durableApprovals() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	service := tickets{"WEB-7": "open"}
	var executor pegboard.Executor
	session, pool := resume(dir, service)
	ctx := pegboard.WithTurn(context.Background(), "message-3") // its id in the conversation
	outcomes := executor.Run(ctx, pool, tooltest.Call("CloseTicket", `{"ticket": "WEB-7"}`))
	fmt.Println("suspended:", errors.Is(outcomes[0].Err, pegboard.ErrSuspended))
	value, err := session.Suspension(outcomes)
	if err != nil {
		log.Fatal(err)
	}
	saved, err := json.Marshal(value) // signed; keep it beside the conversation, send no request yet
	if err != nil {
		log.Fatal(err)
	}

	// Another process, another day.
	var loaded pegboard.Suspension
	if err := json.Unmarshal(saved, &loaded); err != nil {
		log.Fatal(err)
	}
	question := loaded.Questions[0]
	fmt.Println(question.Tool, string(question.Input))
	_, pool = resume(dir, service)
	outcomes, err = executor.Resume(ctx, pool, &loaded, map[string]policy.Decision{question.ID: {Behavior: policy.Allow}})
	fmt.Println(outcomes[0].Result.Text(), err)
	// Output:
	// suspended: true
	// CloseTicket {"ticket": "WEB-7"}
	// WEB-7 is closed <nil>
}
