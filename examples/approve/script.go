package main

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
)

// A turn is one message of the model, as one of the agents.
type turn struct {
	agent string
	text  string
	calls []pegboard.Call
}

// modelScript is the model's script. It does not depend on the answers.
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
