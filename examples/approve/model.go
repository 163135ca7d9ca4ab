package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A turn is one message of the model, as the agent that it is at that moment.
type turn struct {
	agent string
	text  string
	calls []pegboard.Call
}

// modelScript is what the model does, whatever it is answered.
var modelScript = []turn{
	{"", "I will look at the greeting.", []pegboard.Call{
		call("Read", `{"file_path": "greeting.txt"}`),
	}},
	{"", "Two changes at once.", []pegboard.Call{
		call("Edit", `{"file_path": "greeting.txt", "old_string": "Hello, world!", "new_string": "Good morning, world!"}`),
		call("Write", `{"file_path": "NOTES.md", "content": "greeted at noon\n"}`),
	}},
	{"", "I commit both.", []pegboard.Call{
		call("Bash", `{"command": "git add greeting.txt"}`),
		call("Bash", `{"command": "git add NOTES.md"}`),
		call("Bash", `{"command": "git commit -qm 'Greet in the morning'"}`),
	}},
	{"writer", "I am a sub-agent, and write two chapters.", []pegboard.Call{
		call("Write", `{"file_path": "one.md", "content": "# One\n"}`),
		call("Write", `{"file_path": "two.md", "content": "# Two\n"}`),
	}},
	{"writer", "Shall I publish them?", []pegboard.Call{
		call("Bash", `{"command": "git push origin main"}`),
	}},
	{"", "Then I clean up.", []pegboard.Call{
		call("Bash", `{"command": "git reset --hard HEAD~1"}`),
		call("Bash", `{"command": "rm one.md two.md"}`),
	}},
	{"", "The user never sees this, for the turn was stopped.", nil},
}

func call(name, input string) pegboard.Call {
	return pegboard.Call{Name: name, Input: json.RawMessage(input)}
}

// play takes one turn after the other and shows what the model reads, until the
// script ends or the person stops it.
func (h *host) play(ctx context.Context, script []turn, out io.Writer) error {
	for i, m := range script {
		session, err := h.agent(m.agent)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "\n%s: %s\n", strings.TrimSpace("model "+m.agent), m.text); err != nil {
			return err
		}
		calls := make([]pegboard.Call, len(m.calls))
		for k, c := range m.calls {
			c.ID = fmt.Sprintf("call-%d-%d", i+1, k+1)
			calls[k] = c
		}
		stop := false
		for k, o := range h.executor.Run(ctx, h.registry.AssemblePool(session, pegboard.PoolConfig{}), calls...) {
			stop = stop || o.StopTurn
			if _, err := fmt.Fprintf(out, "  %s:\n%s", calls[k].Name, block("    ", o.Result.Text())); err != nil {
				return err
			}
		}
		if stop || ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
