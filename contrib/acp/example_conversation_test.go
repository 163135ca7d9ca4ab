package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// thinker returns an agent that has no tools and shows a thought and a plan.
func thinker() (*acp.Agent, error) {
	return acp.New(acp.Options{Info: sdk.Implementation{Name: "thinker"}, Open: func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir()})
		return session, func(context.Context, []pegboard.Part) (sdk.StopReason, error) {
			c.Say("Hello.")
			return sdk.StopReasonEndTurn, nil
		}, err
	}})
}

// A host learns from the conversation where the user works and which servers are configured,
// and shows thoughts and the plan of its model.
func ExampleConversation() {
	open := func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		fmt.Println(c.Client().Name, c.Dir(), c.MoreDirs(), c.ID() != "")
		for _, s := range c.Servers() {
			fmt.Println(s.Stdio.Name, s.Stdio.Command)
		}
		session, err := pegboard.NewSession(pegboard.SessionConfig{ID: c.ID(), Dir: c.Dir(), MoreDirs: c.MoreDirs()})
		return session, func(context.Context, []pegboard.Part) (sdk.StopReason, error) {
			c.Think("The user wants the time.")
			c.Plan(sdk.PlanEntry{Content: "Look at the clock", Status: sdk.PlanEntryStatusInProgress}, sdk.PlanEntry{Content: "Answer"})
			c.Say("It is noon.")
			return sdk.StopReasonEndTurn, nil
		}, err
	}
	agent, err := acp.New(acp.Options{Info: sdk.Implementation{Name: "clock"}, Open: open, MoreDirs: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	go play(read, write, `{"cwd":"/","additionalDirectories":["/tmp"],"mcpServers":[{"name":"notes","command":"/bin/notes","args":[],"env":[]}]}`)
	fmt.Println("error:", agent.Serve(context.Background(), in, out))
	// Output:
	// initialize: clock speaks version 1
	// ed / [/tmp] true
	// notes /bin/notes
	// session/prompt
	// agent_thought_chunk: The user wants the time.
	// plan: [{Look at the clock in_progress} {Answer pending}]
	// agent_message_chunk: It is noon.
	// stopped: end_turn
	// error: <nil>
}

// The editor starts the program, and speaks with it over standard input and output.
func ExampleAgent_Stdio() {
	agent, err := thinker()
	if err != nil {
		fmt.Println(err)
		return
	}
	input, write, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	read, output, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	standardInput, standardOutput := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = input, output
	ended := make(chan error)
	go func() { ended <- agent.Stdio(context.Background()) }()
	request := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	if _, err := io.WriteString(write, request); err != nil {
		fmt.Println(err)
	}
	answer, err := bufio.NewReader(read).ReadBytes('\n')
	_ = write.Close() // the editor leaves
	left := <-ended
	os.Stdin, os.Stdout = standardInput, standardOutput
	fmt.Println(bytes.Contains(answer, []byte(`"name":"thinker"`)), err, left)
	// Output:
	// true <nil> <nil>
}
