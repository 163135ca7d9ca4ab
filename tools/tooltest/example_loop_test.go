package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// hostLoop is the loop of a host. A host has its provider's messages in the place of these,
// and sends them; in the test it asks the model of CheckLoop.
func hostLoop(m *tooltest.LoopModel) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		var executor pegboard.Executor
		var used agents.Usage
		messages := a.History()
		var outcomes []pegboard.Outcome
		add := func(role string, content any) error {
			raw, err := json.Marshal(map[string]any{"role": role, "content": content})
			messages = append(messages, raw)
			return errors.Join(err, a.Append(raw))
		}
		for {
			parts, err := a.Next(ctx, used)
			if err != nil {
				return agents.Reply{}, err
			}
			var content []string
			for _, o := range outcomes {
				content = append(content, o.Call.ID+": "+o.Result.Text())
			}
			for _, p := range parts {
				content = append(content, p.Text)
			}
			if err := add("user", content); err != nil {
				return agents.Reply{}, err
			}
			reply, err := m.Reply(ctx, tooltest.LoopRequest{Messages: messages, Outcomes: outcomes})
			if err != nil {
				return agents.Reply{}, err
			}
			used = reply.Used
			if err := add("assistant", map[string]any{"text": reply.Text, "calls": reply.Calls}); err != nil {
				return agents.Reply{}, err
			}
			if len(reply.Calls) == 0 {
				return agents.Reply{Text: reply.Text, Used: used}, nil
			}
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			outcomes = executor.Run(ctx, pool, reply.Calls...)
			for _, o := range outcomes {
				if o.StopTurn {
					return agents.Reply{StopTurn: true, Used: used}, nil
				}
			}
		}
	}
}

func ExampleCheckLoop() {
	fmt.Println(tooltest.CheckLoop(hostLoop))

	// A loop that ends after one answer, whatever the answer is.
	err := tooltest.CheckLoop(func(m *tooltest.LoopModel) agents.Loop {
		return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			if _, err := a.Next(ctx, agents.Usage{}); err != nil {
				return agents.Reply{}, err
			}
			reply, err := m.Reply(ctx, tooltest.LoopRequest{Messages: a.History()})
			return agents.Reply{Text: reply.Text}, err
		}
	})
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// next comes before each request
	// messages, notices and limits reach the agent only by Next
}

func ExampleProvider() {
	service := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
		{Text: "I look it up.", Calls: []pegboard.Call{tooltest.Call("Weather", `{"city":"Ulm"}`)}},
		{Text: "Take an umbrella."},
	}})
	defer service.Close()

	// In the place of this request stands the loop under test, with its SDK. Its address of the
	// service is service.URL, for some SDKs with /v1.
	body := `{"model": "any", "stream": true, "messages": [{"role": "user", "content": "Rain?"}]}`
	response, err := service.Client().Post(service.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	session, err := tooltest.NewSession("")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	pool := new(pegboard.Registry).AssemblePool(session, pegboard.PoolConfig{})
	message, err := wire.ReadResponse(chat.New(pool, chat.Config{}), response).Message()
	fmt.Println(message.Text, message.Calls[0].Name, string(message.Calls[0].Input), err)
	// Output:
	// I look it up. Weather {"city":"Ulm"} <nil>
}
