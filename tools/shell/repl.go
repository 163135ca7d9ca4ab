package shell

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// REPL returns the tool that runs Python or JavaScript. It panics if o names another
// language, or describes a nil tool.
//
// # State
//
// Each session, and so each agent, has one process per language. The process starts
// with the first call and keeps variables, imports and the directory between calls.
// Code that takes too long is interrupted, as by Ctrl-C, and the state is kept. It is
// lost when the code ends or crashes the interpreter, cannot be interrupted within three
// seconds or prints more than 5 GB in all; when the call is cancelled; and when a call
// asks for a restart. The result of that call or of the next one says so. What JavaScript
// waits for when it is interrupted may go on until a restart. Closing the session ends
// the processes and everything that they have started.
//
// # Tools
//
// Code calls the agent's tools: tools.Read({...}) in Python returns the result or raises
// ToolError; in JavaScript it returns a promise. A result is data, see
// [pegboard.Outcome.Value], and a ToolFile stands for each [pegboard.FileValue]. Its
// read method returns all of it, lines the lines one by one. A whole value that is longer
// than [pegboard.MaxInMemory] is such a file, too. Nothing of it reaches the model but
// what the code prints. An exception has the text for the model, the tool, the kind as in
// [pegboard.CodeError], and as value the result's data. The page docs/shell.md says what
// each tool returns. These are ordinary calls, each with its own decision, whose parent is the call of REPL;
// see [pegboard.Call.Run]. Calls that are made at the same time form a batch. A call
// that a thread or a timer makes after the call of REPL has ended waits for the next
// call of REPL. With [pegboard.Gates].REPL, the tools that scripts can call are not
// offered to the model itself.
//
// # Permission and concurrency
//
// Code can do anything. Therefore it runs alone and is allowed only by a user or by a
// rule for all of REPL; the rule does not count if any deny or ask rule could match
// something that code does. There is no sandbox: the actions of code that do not go
// through tools are not subject to rules. On Windows, a program that JavaScript
// starts with the standard input of its own process can read requests that are meant
// for that process. If a host makes two calls at the same time in one session, the
// second one is refused while the first one runs.
func REPL(o REPLOptions) pegboard.Tool {
	o = o.withDefaults()
	for _, l := range o.Languages {
		if l != Python && l != JavaScript {
			panic(fmt.Sprintf("shell: REPL: there is no language %q", l))
		}
	}
	for i, t := range o.Describe {
		if t == nil {
			panic(fmt.Sprintf("shell: REPL: Describe[%d] is nil", i))
		}
	}
	sessions := pegboard.NewClonedKey("interpreters", func(*interpreters) *interpreters { return &interpreters{} })
	return pegboard.Build(pegboard.Definition[replInput, REPLOutput]{
		Info:        pegboard.Info{Name: "REPL", Title: "Run code", MaxResult: -1}, // the tool limits its output itself
		Description: "Runs code that can call the other tools, and keeps its variables.",
		Prompt:      func(s pegboard.Scope) string { return replPrompt(o, s) },
		Inspect: func(in replInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetOpaque, Value: o.languageOf(in) + " code"}}, Kind: pegboard.KindRun}
		},
		Lines: func(in replInput, _ *pegboard.Call) pegboard.Lines {
			code := o.languageOf(in) + ": " + pegboard.OneLine(in.Code)
			lines := pegboard.Lines{Before: "Run " + code, While: "Running " + code}
			if about := pegboard.OneLine(in.Description); about != "" {
				lines.While = about
			}
			return lines
		},
		Validate:        func(_ context.Context, in replInput, _ *pegboard.Call) error { return o.validate(in) },
		ClassifierInput: func(in replInput, _ *pegboard.Call) string { return o.languageOf(in) + "\n" + in.Code },
		Call: func(ctx context.Context, in replInput, c *pegboard.Call) (REPLOutput, error) {
			s, err := sessionOf(c, "REPL")
			if err != nil {
				return REPLOutput{}, err
			}
			is := sessions.GetOrInit(s, func() *interpreters { return &interpreters{} })
			return is.get(s, o.languageOf(in)).run(ctx, o, in, c)
		},
		Result: func(out REPLOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text)
			r.IsError, r.Data, r.Line = out.Failed, out, out.line()
			return r
		},
	})
}

type replInput struct {
	Code        string `json:"code" jsonschema_description:"The code to run; the value of an expression at its end is shown"`
	Language    string `json:"language,omitempty" jsonschema:"enum=python,enum=javascript" jsonschema_description:"The language of the code"`
	Description string `json:"description,omitempty" jsonschema_description:"What the code does, in five to ten words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long it may run, in milliseconds (default 30000, at most 600000); time in tools does not count"`
	Restart     bool   `json:"restart,omitempty" jsonschema_description:"Begin with a new interpreter; code may be empty then"`
}
