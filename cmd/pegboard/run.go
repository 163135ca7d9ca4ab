package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

const runHelp = `Runs the calls that stand on standard input under the rules and hooks of the settings. A
line is a call, {"name": …, "input": …}, or a list of calls, which stand in one message of the
model. Each result is printed as the model reads it, below a line with the call's name.

  echo '{"name": "Read", "input": {"file_path": "go.mod"}}' | pegboard run
  echo '{"name": "Bash", "input": {"command": "go test ./..."}}' | pegboard run -yes -sandbox

Nobody can be asked: what is not allowed is denied, or allowed with -yes.
`

func newRun(p *program, flags *flag.FlagSet) func(context.Context, []string) error {
	r := runner{program: p}
	r.at.addFlags(flags, false)
	flags.BoolVar(&r.yes, "yes", false, "allow what would be asked about, instead of denying it")
	flags.BoolVar(&r.sandbox, "sandbox", false, "run commands in a sandbox, with the program bwrap")
	flags.BoolVar(&r.json, "json", false, "print each outcome as one line of JSON")
	return func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("calls stand on standard input, so there is an argument too many: %s", args[0])
		}
		return r.run(ctx)
	}
}

// A runner runs the calls of standard input.
type runner struct {
	*program

	at                 place
	yes, sandbox, json bool
}

// run runs calls until the input ends, and then closes the session, which ends all that they
// have started.
func (r *runner) run(ctx context.Context) (err error) {
	o, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.session.Close(context.WithoutCancel(ctx))) }()
	if o.set.Servers != nil {
		if err := o.set.Servers.Ready(ctx); err != nil {
			r.tell("pegboard run: %v\n", err) // the others are there
		}
	}
	var executor pegboard.Executor
	lines, messages := bufio.NewReader(r.in), 0
	for ctx.Err() == nil {
		line, end := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			messages++
			calls, err := callsOf(line, messages)
			if err != nil {
				return fmt.Errorf("message %d: %w", messages, err)
			}
			o.session.NewTurn() // each line counts as a message of the user
			outcomes := executor.Run(ctx, o.pool(ctx), calls...)
			if err := r.print(outcomes, o.session.Notifications()); err != nil {
				return err
			}
		}
		switch {
		case end == io.EOF && messages == 0:
			return errors.New(`no call on standard input; write one on each line, such as {"name": "Read", "input": {"file_path": "go.mod"}}`)
		case end == io.EOF:
			return nil
		case end != nil:
			return end
		}
	}
	return context.Cause(ctx)
}

// open returns a session with the tools.
func (r *runner) open(ctx context.Context) (opened, error) {
	files, loaded, err := r.load(ctx, r.at)
	if err != nil {
		return opened{}, err
	}
	for _, w := range loaded.Warnings {
		r.tell("pegboard run: %v\n", w)
	}
	options := builtin.Options{Files: files, Settings: loaded}
	if r.sandbox {
		bwrap := shell.Bubblewrap{}
		if err := bwrap.Check(ctx); err != nil {
			return opened{}, err
		}
		options.Shell.Sandbox = bwrap
	}
	var config pegboard.SessionConfig
	if r.yes {
		config.Ask = func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}
	}
	return open(options, config)
}

// callsOf reads the calls of one line. Their ids are made from the number of the message.
func callsOf(line []byte, message int) ([]pegboard.Call, error) {
	if line[0] != '[' {
		line = append(append([]byte{'['}, line...), ']')
	}
	var given []struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&given); err != nil {
		return nil, err
	}
	var calls []pegboard.Call
	for i, g := range given {
		calls = append(calls, pegboard.Call{ID: strconv.Itoa(message) + "." + strconv.Itoa(i+1), Name: g.Name, Input: g.Input})
	}
	return calls, nil
}

// print prints the results of a message, and the reports of the tasks in the background.
func (r *runner) print(outcomes []pegboard.Outcome, notices []pegboard.Part) error {
	var text strings.Builder
	for _, o := range outcomes {
		if r.json {
			line, err := json.Marshal(map[string]any{"id": o.Call.ID, "name": o.Call.Name, "text": o.Result.Text(), "is_error": o.Result.IsError})
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%s\n", line)
			continue
		}
		state := r.colour(green, "ok")
		if o.Result.IsError {
			state = r.colour(red, "failed")
		}
		fmt.Fprintf(&text, "%s %s\n%s\n", r.colour(bold, fmt.Sprintf("=== %s %s:", o.Call.ID, o.Call.Name)), state, o.Result.Text())
		for i, p := range slices.Concat(o.Result.Parts, o.Result.Messages) {
			switch {
			case p.MIME != "":
				fmt.Fprintf(&text, "(%s, %d bytes)\n", p.MIME, len(p.Data))
			case i >= len(o.Result.Parts):
				fmt.Fprintln(&text, p.Text)
			}
		}
	}
	for _, n := range notices {
		fmt.Fprintf(&text, "=== notice\n%s\n", n.Text)
	}
	_, err := io.WriteString(r.out, text.String())
	return err
}
