package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

const toolName = "Workflow"

// toolInput is the input of the Workflow tool.
type toolInput struct {
	Script      string          `json:"script,omitempty" jsonschema_description:"The script, in JavaScript"`
	Name        string          `json:"name,omitempty" jsonschema_description:"The name of a workflow, instead of a script"`
	ScriptPath  string          `json:"scriptPath,omitempty" jsonschema_description:"A file with the script, instead of the script"`
	Description string          `json:"description,omitempty" jsonschema_description:"What the run is for, in one line"`
	Title       string          `json:"title,omitempty" jsonschema_description:"What the run is called"`
	Args        json.RawMessage `json:"args,omitempty" jsonschema_description:"Any JSON value, which the script has as args"`
	Resume      string          `json:"resumeFromRunId,omitempty" jsonschema_description:"The id of an earlier run: agents that finished there are not run again as long as they are asked the same. Without script, name and scriptPath it runs as the earlier one did"`
}

func (in toolInput) request() Request {
	return Request{Script: in.Script, Name: in.Name, Title: in.Title, Description: in.Description, Args: in.Args, Resume: in.Resume}
}

// needsLoading reports whether the script is to be read from a file or a journal. The
// loaded script takes the place of its source in the input, so that the person approves
// the bytes that run.
func (in toolInput) needsLoading() bool {
	return in.ScriptPath != "" || in.Script == "" && in.Name == "" && in.Resume != ""
}

// Tool returns the Workflow tool. It belongs to [pegboard.FeatureWorkflows].
//
// A call is asked about unless a rule allows it: Workflow allows all of them, Workflow(name)
// a workflow of Options.Named, but never a script that calls itself so. The person sees
// the script with [pegboard.Question.Preview]. A script from a file is read with the
// permission to read the file, and stands in the input when the call is decided.
func (w *Workflows) Tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[toolInput, Launch]{
		Info: pegboard.Info{
			Name: toolName, Title: "Workflow", Hint: "orchestrate many agents by a script",
		},
		Description: "Runs a script in the background that starts agents and combines their results.",
		Prompt:      func(pegboard.Scope) string { return w.prompt() },
		Inspect:     inspect,
		Summary:     w.lines,
		Validate: func(_ context.Context, in toolInput, c *pegboard.Call) error {
			return w.validate(in, c)
		},
		Permit:  w.permit,
		Preview: w.preview,
		ClassifierInput: func(in toolInput, _ *pegboard.Call) string {
			return fmt.Sprintf("run the workflow %q with the args %s: %s", in.Name, in.Args, in.Script)
		},
		Call: func(ctx context.Context, in toolInput, c *pegboard.Call) (Launch, error) {
			s := c.Session()
			if s == nil {
				return Launch{}, errors.New("workflows are started by calls of an executor only")
			}
			if in.needsLoading() {
				return Launch{}, errors.New("the script was not loaded before the call was decided")
			}
			pool := c.Pool()
			return w.launch(ctx, s, in.request(), func(ctx context.Context, name string) (Named, error) {
				return w.permitted(ctx, pool, name)
			})
		},
		Result: func(out Launch) *pegboard.Result {
			r := pegboard.TextResult(out.message())
			r.Data, r.Line = out, "Runs as "+out.TaskID
			return r
		},
	})
}

// inspect returns the traits of a call. Reading a script from a file changes nothing, and
// the call is inspected anew with the script.
func inspect(in toolInput, _ *pegboard.Call) pegboard.Traits {
	switch {
	case in.ScriptPath != "":
		return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.Shared, ReadOnly: true, Targets: []policy.Target{
			{Kind: policy.Path, Access: policy.Read, Value: in.ScriptPath},
		}}
	case in.Name != "":
		return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.Shared, Targets: []policy.Target{
			{Kind: policy.Resource, Access: policy.Run, Value: in.Name},
		}}
	}
	return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.Shared, Targets: []policy.Target{
		{Kind: policy.Opaque, Access: policy.Run, Value: "a script that starts agents"},
	}}
}

// lines names the workflow and its phases.
func (w *Workflows) lines(in toolInput, c *pegboard.Call) pegboard.Summary {
	name := oneLine(in.Name+in.ScriptPath, maxTitle)
	if !in.needsLoading() {
		request := in.request()
		request.Resume = ""
		if p, err := w.plan(c.Session(), request); err == nil {
			name = p.name()
			if phases := p.phases(); len(phases) > 0 {
				name += " (" + strings.Join(phases, ", ") + ")"
			}
		}
	}
	return pegboard.Summary{Before: "Run workflow " + name, While: "Starting workflow " + name}
}

// validate makes the checks that need no file of the person.
func (w *Workflows) validate(in toolInput, c *pegboard.Call) error {
	sources := 0
	for _, source := range []string{in.Script, in.Name, in.ScriptPath} {
		if source != "" {
			sources++
		}
	}
	switch {
	case sources > 1:
		return errors.New("script, name and scriptPath exclude each other; send one of them")
	case sources == 0 && in.Resume == "":
		return errors.New("nothing to run: send script, name or scriptPath")
	case c.Session() == nil:
		return nil
	case in.ScriptPath != "":
		return nil
	}
	_, err := w.plan(c.Session(), in.request())
	return err
}

// permit puts the script into the input. Otherwise it has no opinion: without a rule, the
// person is asked.
func (w *Workflows) permit(ctx context.Context, in toolInput, c *pegboard.Call) policy.Decision {
	if !in.needsLoading() || c.Session() == nil {
		return policy.Decision{}
	}
	loaded, err := w.load(ctx, in, c)
	if err != nil {
		return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
	}
	raw, err := json.Marshal(loaded)
	if err != nil {
		return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
	}
	return policy.Decision{Input: raw}
}

// load returns the input with the script that it names.
func (w *Workflows) load(ctx context.Context, in toolInput, c *pegboard.Call) (toolInput, error) {
	if in.ScriptPath == "" {
		p, err := w.plan(c.Session(), in.request())
		if err != nil {
			return in, err
		}
		in.Script, in.Name, in.Args = p.request.Script, p.request.Name, p.request.Args
		return in, nil
	}
	f, err := files.OpenFile(ctx, c, in.ScriptPath)
	if err != nil {
		return in, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	source, err := io.ReadAll(io.LimitReader(f, MaxScript+1))
	if err != nil {
		return in, fmt.Errorf("the script: %w", err)
	}
	read, err := parseScript(string(source))
	if err != nil {
		return in, err
	}
	if in.Title == "" && read.meta.name == "" {
		in.Title = filepath.Base(in.ScriptPath)
	}
	in.Script, in.ScriptPath = string(source), ""
	return in, nil
}

// preview shows the script, as a new file. No file of that name is written.
func (w *Workflows) preview(_ context.Context, in toolInput, c *pegboard.Call) ([]pegboard.Diff, error) {
	s := c.Session()
	if s == nil || in.needsLoading() {
		return nil, nil
	}
	p, err := w.plan(s, in.request())
	if err != nil || p.script == nil {
		return nil, err
	}
	d, err := files.DiffOf(filepath.Join(c.Dir(), fileName(p.name())), nil, []byte(p.script.source))
	if err != nil {
		return nil, err
	}
	d.New = true
	return []pegboard.Diff{d}, nil
}

// fileName returns the name of the file that a preview shows.
func fileName(name string) string {
	return "workflow-" + strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' || !unicode.IsPrint(r) { // also characters that would change the line on a screen
			return '-'
		}
		return r
	}, strings.TrimSuffix(name, scriptSuffix)) + scriptSuffix
}

// permitted returns a workflow that a script starts. A rule that denies it, or asks about
// it, keeps the script from it: the person has approved the script, and not the rule's
// exception.
func (w *Workflows) permitted(ctx context.Context, pool *pegboard.Pool, name string) (Named, error) {
	n, err := w.named(name)
	if err != nil || pool == nil {
		return n, err
	}
	input, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return Named{}, err
	}
	d := pool.Decide(ctx, pegboard.Call{Name: toolName, Input: input})
	if d.Behavior == policy.Deny || d.Behavior == policy.Ask && d.Rule != nil {
		return Named{}, fmt.Errorf("%w: workflow %s cannot be started from inside another: %s", pegboard.ErrDenied, name, d.Reason)
	}
	return n, nil
}

// prompt returns the description for the model.
func (w *Workflows) prompt() string {
	var b strings.Builder
	b.WriteString(`Runs a script in the background that starts agents and combines their results: for work in many parts that a fixed plan can lead, such as a review of each file, a search from several sides, or a check of each finding by another agent. For one or a few tasks use agents directly. The person approves the script before it runs.

The script is the body of an async function in plain JavaScript, without types, for await, async generators and yield*. It may begin with
  export const meta = { name: "review", description: "Reviews each file", phases: ["Find", "Check"] }
and ends with return: the value is the result, as JSON. It has these functions:
- agent(prompt, options?): starts an agent and returns a promise of its text. The agent sees only the prompt. Options: description, type (of agent), model, effort, isolation: "worktree", cwd, phase, schema (a JSON schema of an object; then the promise is of such an object). A failure is thrown as AgentError.
- parallel([() => agent(…), …]): runs functions side by side and waits for all; null stands in the place of one whose agent failed.
- pipeline(items, (previous, item, index) => …, …): takes each item through all stages without waiting for the other items; an item whose agent failed becomes null and goes no further.
- phase(title), log(text): for the output file. args: the args of the call. workflow(name, args): runs a named workflow, one level deep.
`)
	fmt.Fprintf(&b, "Up to %d agents run at once, %d in one run; more wait or are refused. There are no files, network, modules, timers, clock or random numbers: let agents do that, and pass times in args.\n", w.options.MaxRunning, w.options.MaxAgents)
	b.WriteString("To go on after a failure or a change of the script, pass resumeFromRunId: agents that finished are not run again as long as they are asked the same in the same order.")
	if len(w.options.Named) > 0 {
		b.WriteString("\n\nNamed workflows:")
		for _, n := range w.options.Named {
			fmt.Fprintf(&b, "\n- %s: %s", n.Name, oneLine(n.Description, maxReason))
		}
	}
	return b.String()
}
