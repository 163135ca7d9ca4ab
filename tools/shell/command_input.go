package shell

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

type commandInput struct {
	Command     string `json:"command" jsonschema_description:"The command line to run"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long it may take, in milliseconds (default 120000, at most 600000; in the background 1800000 and 7200000)"`
	Description string `json:"description,omitempty" jsonschema_description:"What the command does, in five to ten words"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema_description:"Start it and go on; its output goes to a file, and you are told when it ends"`

	outside bool // it runs without the sandbox
}

// sandboxedInput is the input of a tool whose commands run in a sandbox.
type sandboxedInput struct {
	commandInput
	NoSandbox bool `json:"dangerouslyDisableSandbox,omitempty" jsonschema_description:"Runs it without the sandbox; only after the sandbox has refused it, or when the user asks for it"`
}

// command returns the input of the command.
func (in sandboxedInput) command() commandInput {
	k := in.commandInput
	k.outside = in.NoSandbox
	return k
}

// lines returns what a person reads of the call. Before it runs that is the command and
// not what the model says of it.
func (in commandInput) lines(*pegboard.Call) pegboard.Lines {
	lines := pegboard.Lines{Before: "Run " + pegboard.OneLine(in.Command), While: "Running " + pegboard.OneLine(in.Command)}
	if in.outside {
		lines.Before = "Run without the sandbox: " + pegboard.OneLine(in.Command)
	}
	if about := pegboard.OneLine(in.Description); about != "" {
		lines.While = about
	}
	return lines
}

func validateInput(_ context.Context, in commandInput, _ *pegboard.Call) error {
	if strings.ContainsRune(in.Command, 0) {
		return fmt.Errorf("the command holds a NUL character; no command line can")
	}
	if strings.TrimSpace(in.Command) == "" {
		return fmt.Errorf("the command is blank; send the command line to run")
	}
	return nil
}
