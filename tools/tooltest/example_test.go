package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type shoutInput struct {
	Text string `json:"text"`
}

// shout is a tool to be tested.
func shout() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[shoutInput, string]{
		Info:        pegboard.Info{Name: "Shout"},
		Description: "Says a text louder.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in shoutInput, _ *pegboard.Call) (string, error) {
			if in.Text == "" {
				return "", errors.New("there is nothing to say; send a text")
			}
			return strings.ToUpper(in.Text), nil
		},
	})
}

func ExampleRun() {
	ctx := context.Background()
	out := tooltest.Run(ctx, shout(), nil, `{"text":"hello"}`)
	fmt.Println(out.Result.Text(), out.Err)

	out = tooltest.Run(ctx, shout(), nil, `{"text":""}`)
	fmt.Println(out.Err)
	// Output:
	// HELLO <nil>
	// call Shout: there is nothing to say; send a text
}

func ExampleCheck() {
	fmt.Println(tooltest.Check(shout(), `{"text":"hello"}`))

	// A wrapper whose traits depend on how often it was asked.
	var v *tooltest.ContractError
	err := tooltest.Check(&moody{Tool: shout()}, `{"text":"hello"}`)
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// traits are pure
	// permission and order are decided by the traits, so one input must always have the same
}

// moody says of every other call that it writes.
type moody struct {
	pegboard.Tool
	mu   sync.Mutex
	asks int
}

func (m *moody) Traits(c *pegboard.Call) pegboard.Traits {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks++
	tr := m.Tool.Traits(c)
	tr.ReadOnly = m.asks%2 == 0
	return tr
}

func ExampleFake() {
	bash := tooltest.NewFake("Bash",
		tooltest.Reply{Text: "ok"},
		tooltest.Reply{Err: errors.New("exit status 1")},
	)
	ctx := context.Background()
	for _, command := range []string{"make", "make test"} {
		out := tooltest.Run(ctx, bash, nil, fmt.Sprintf(`{"command":%q}`, command))
		fmt.Println(out.Result.Text(), out.Result.IsError)
	}
	for _, c := range bash.Calls() {
		fmt.Printf("%s %s\n", c.Name, c.Input)
	}
	// Output:
	// ok false
	// exit status 1 true
	// Bash {"command":"make"}
	// Bash {"command":"make test"}
}

// A fake that says what it acts on takes its place in the order of calls: two
// reads meet at the barrier, which they could not one after the other.
func ExampleBarrier() {
	both := &tooltest.Barrier{N: 2}
	read := tooltest.FakeConfig{
		Name:   "Read",
		Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.PerTarget},
		Targets: func(input json.RawMessage) []policy.Target {
			return []policy.Target{policy.Reads("notes.txt")}
		},
	}.New(tooltest.Reply{Barrier: both, Text: "read"})

	outcomes, err := runAll([]pegboard.Tool{read}, tooltest.Call("Read", `{}`), tooltest.Call("Read", `{}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Println(o.Result.Text(), o.Err)
	}
	// Output:
	// read <nil>
	// read <nil>
}

// runAll runs one batch of calls.
func runAll(tools []pegboard.Tool, calls ...pegboard.Call) ([]pegboard.Outcome, error) {
	s, err := tooltest.NewSession("")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close(context.Background()) }()
	var r pegboard.Registry
	if err := r.Add(tools...); err != nil {
		return nil, err
	}
	var e pegboard.Executor
	return e.Run(context.Background(), r.AssemblePool(s, pegboard.PoolConfig{}), calls...), nil
}

// loop stands for the loop that a host wrote and wants to test.
func loop(m *tooltest.Model, tools ...pegboard.Tool) (string, error) {
	turn, err := m.Reply(nil)
	for err == nil && len(turn.Calls) > 0 {
		var outcomes []pegboard.Outcome
		if outcomes, err = runAll(tools, turn.Calls...); err == nil {
			turn, err = m.Reply(outcomes)
		}
	}
	return turn.Text, err
}

func ExampleModel() {
	m := tooltest.NewModel(
		tooltest.Turn{
			Calls:  []pegboard.Call{tooltest.Call("Shout", `{"text":"hello"}`), tooltest.Call("Shuot", `{}`)},
			Expect: tooltest.WantErrors(nil, pegboard.ErrUnknownTool),
		},
		tooltest.Turn{Text: "I said it."},
	)
	answer, err := loop(m, shout())
	fmt.Println(answer, err)
	fmt.Println(m.Done())
	// Output:
	// I said it. <nil>
	// <nil>
}

func ExampleReplayer() {
	transcript, err := tooltest.ParseTranscript(`A file is read before it is edited.

-- file a.txt --
one
-- call --
{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}
-- follow --
{"name": "Read", "input": {"file_path": "a.txt"}}
-- holds a.txt --
`)
	if err != nil {
		log.Fatal(err)
	}
	again, err := tooltest.Replayer{Tools: files.Tools()}.Replay(context.Background(), transcript)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(again)
	// Output:
	// A file is read before it is edited.
	//
	// -- file a.txt --
	// one
	// -- call --
	// {"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}
	// -- failure Edit --
	// | Edit was not run: $DIR/a.txt was not read. Read it first, so that the edit rests on what is there.
	// -- follow --
	// {"name": "Read", "input": {"file_path": "a.txt"}}
	// -- result Read --
	// |      1	one
	// -- holds a.txt --
	// | one
}
