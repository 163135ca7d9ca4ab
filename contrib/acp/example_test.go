package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// An agent with one tool. The editor is played by a few lines of JSON.
func Example() {
	var registry pegboard.Registry
	_ = registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Clock", Title: "Clock"}, Description: "Tells the time.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "noon", nil },
	}))
	open := func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir(), Ask: c.Ask, Elicit: c.Elicit})
		executor := pegboard.Executor{OnEvent: c.Record}
		return session, func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
			out := executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "c1", Name: "Clock"})
			c.Say("It is " + out[0].Result.Text() + ".")
			return sdk.StopReasonEndTurn, nil
		}, err
	}
	agent, err := acp.New(acp.Options{Info: sdk.Implementation{Name: "clock", Version: "1.0.0"}, Open: open})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	go play(read, write, `{"cwd":"/","mcpServers":[]}`)
	fmt.Println("error:", agent.Serve(context.Background(), in, out)) // or agent.Stdio(ctx)
	// Output:
	// initialize: clock speaks version 1
	// session/prompt
	// tool_call: Clock (pending)
	// asked: Allow once | Allow, and from now on: allow Clock in session | Reject | Reject, and from now on: deny Clock in session
	// tool_call_update: Running Clock (in_progress)
	// tool_call_update: Clock (completed)
	// agent_message_chunk: It is noon.
	// stopped: end_turn
	// error: <nil>
}

// play is an editor that begins a conversation, sends one prompt and allows the calls.
func play(from io.Reader, to io.WriteCloser, conversation string) {
	send := func(format string, args ...any) { _, _ = fmt.Fprintf(to, format+"\n", args...) }
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"ed","version":"2"}}}`)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Result struct {
				ProtocolVersion int
				AgentInfo       struct{ Name string }
				SessionID       string
				StopReason      string
			}
			Params struct {
				Options []struct{ Name string }
				Update  struct {
					SessionUpdate, Title, Status string
					Content                      json.RawMessage
					Entries                      []struct{ Content, Status string }
				}
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		switch u := m.Params.Update; {
		case m.Result.ProtocolVersion != 0:
			fmt.Printf("initialize: %s speaks version %d\n", m.Result.AgentInfo.Name, m.Result.ProtocolVersion)
			send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":%s}`, conversation)
		case m.Result.SessionID != "":
			fmt.Println("session/prompt")
			send(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"What time is it?"}]}}`, m.Result.SessionID)
		case m.Method == "session/request_permission":
			var names []string
			for _, o := range m.Params.Options {
				names = append(names, o.Name)
			}
			fmt.Println("asked:", strings.Join(names, " | "))
			send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`, m.ID)
		case u.Status != "":
			fmt.Printf("%s: %s (%s)\n", u.SessionUpdate, u.Title, u.Status)
		case u.Entries != nil:
			fmt.Println("plan:", u.Entries)
		case u.SessionUpdate != "":
			var said struct{ Text string }
			_ = json.Unmarshal(u.Content, &said)
			fmt.Printf("%s: %s\n", u.SessionUpdate, said.Text)
		case m.Result.StopReason != "":
			fmt.Println("stopped:", m.Result.StopReason)
			_ = to.Close()
		}
	}
}

func ExampleOptionError() {
	err := fmt.Errorf("asking: %w", &acp.OptionError{Option: "allow_all", Offered: []string{"allow_once", "reject_once"}})
	var wrong *acp.OptionError
	fmt.Println(errors.As(err, &wrong), wrong.Option)
	fmt.Println(err)
	// Output:
	// true allow_all
	// asking: the editor has selected the option "allow_all", and was offered allow_once, reject_once
}
