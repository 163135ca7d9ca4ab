// Command drive calls the tools of this library with lines of JSON on standard input: the
// quickest way to try a tool from another language.
//
//	echo '{"name": "Read", "input": {"file_path": "go.mod"}}' | go run ./examples/drive
//
// A line is a call, {"name": …, "input": …}, or a list of calls, which stand in one message
// of the model. Each result is printed as the model sees it, below a line with the call's
// name; with -json as one line of JSON.
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
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// usage is printed if there is no call on standard input.
const usage = `drive: no call on standard input. Write one on each line, for example
  {"name": "Read", "input": {"file_path": "go.mod"}}
  [{"name": "Glob", "input": {"pattern": "*.go"}}, {"name": "Bash", "input": {"command": "git status"}}]
`

func main() {
	var d driver
	flag.StringVar(&d.dir, "dir", ".", "the working directory")
	flag.StringVar(&d.mode, "mode", "", "the permission mode; empty means that of -settings, or default")
	flag.StringVar(&d.settings, "settings", "", "a settings file with permissions, as a trusted project has it")
	flag.BoolVar(&d.yes, "yes", false, "allow what would be asked about, instead of denying it")
	flag.BoolVar(&d.sandbox, "sandbox", false, "run commands in a sandbox, with the program bwrap")
	flag.BoolVar(&d.json, "json", false, "print each outcome as one line of JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := d.run(ctx, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "drive:", err)
		stop()
		os.Exit(1)
	}
}

// A driver holds the flags.
type driver struct {
	dir, mode, settings string
	yes, json, sandbox  bool
}

// run calls the tools until in ends, and then closes the session, which ends all that the
// calls have started.
func (d driver) run(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	session, err := d.newSession(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	tools, err := d.tools(ctx)
	if err != nil {
		return err
	}
	var registry pegboard.Registry
	if err := registry.Add(tools...); err != nil {
		return err
	}
	var executor pegboard.Executor
	lines, messages := bufio.NewReader(in), 0
	for ctx.Err() == nil {
		line, end := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			messages++
			calls, err := callsOf(line, messages)
			if err != nil {
				return fmt.Errorf("message %d: %w", messages, err)
			}
			session.NewTurn() // each line counts as a message of the user
			outcomes := executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), calls...)
			if err := d.print(out, outcomes, session.Notifications()); err != nil {
				return err
			}
		}
		if end != nil && messages == 0 {
			fmt.Fprint(os.Stderr, usage)
		}
		if end == io.EOF {
			return nil
		} else if end != nil {
			return end
		}
	}
	return context.Cause(ctx)
}

// tools returns the tools for files and commands.
func (d driver) tools(ctx context.Context) ([]pegboard.Tool, error) {
	var options shell.Options
	if d.sandbox {
		bwrap := shell.Bubblewrap{}
		if err := bwrap.Check(ctx); err != nil {
			return nil, err
		}
		options.Sandbox = bwrap
	}
	return append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}),
		shell.Bash(options), shell.PowerShell(options), shell.REPL(shell.REPLOptions{}),
		shell.TaskOutput(), shell.TaskStop(), shell.Monitor(options)), nil
}

// newSession returns a session with the permissions of the settings file and the mode.
func (d driver) newSession(ctx context.Context) (*pegboard.Session, error) {
	source := settings.Files{Project: d.settings, Dir: d.dir, Trusted: true}
	loaded, err := source.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range loaded.Warnings {
		fmt.Fprintln(os.Stderr, "drive:", w)
	}
	permissions, err := loaded.Permissions()
	if err == nil && d.mode != "" {
		permissions, err = permissions.WithMode(policy.Mode(d.mode))
	}
	if err != nil {
		return nil, err
	}
	config := pegboard.SessionConfig{Dir: d.dir, Permissions: permissions}
	if d.yes {
		config.Ask = func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}
	}
	return pegboard.NewSession(config)
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
func (d driver) print(out io.Writer, outcomes []pegboard.Outcome, notices []pegboard.Part) error {
	var text strings.Builder
	for _, o := range outcomes {
		if d.json {
			line, err := json.Marshal(map[string]any{"id": o.Call.ID, "name": o.Call.Name, "text": o.Result.Text(), "is_error": o.Result.IsError})
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%s\n", line)
			continue
		}
		state := "ok"
		if o.Result.IsError {
			state = "failed"
		}
		fmt.Fprintf(&text, "=== %s %s: %s\n%s\n", o.Call.ID, o.Call.Name, state, o.Result.Text())
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
	_, err := io.WriteString(out, text.String())
	return err
}
