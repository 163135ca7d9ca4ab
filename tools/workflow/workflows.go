package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// Workflows runs workflows. Make it with [New]. Its methods may be called concurrently.
type Workflows struct {
	options Options
	start   func(s *pegboard.Session) starter
	stores  *pegboard.Key[*runStore]   // of a conversation
	ongoing *pegboard.Key[*ongoingSet] // of a session
}

// New returns Workflows with these options.
func New(o Options) (*Workflows, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return newWorkflows(o, func(s *pegboard.Session) starter { return startWith(o.Agents, s) }), nil
}

func newWorkflows(o Options, start func(s *pegboard.Session) starter) *Workflows {
	o.Named = slices.Clone(o.Named)
	o.MaxRunning = cmp.Or(o.MaxRunning, DefaultMaxRunning)
	o.MaxAgents = cmp.Or(o.MaxAgents, DefaultMaxAgents)
	o.MaxTime = cmp.Or(o.MaxTime, DefaultMaxTime)
	return &Workflows{
		options: o, start: start,
		stores:  pegboard.NewKey[*runStore]("workflow runs"),
		ongoing: pegboard.NewKey[*ongoingSet]("workflows that are running"),
	}
}

// startWith returns a starter of agents on behalf of s. It waits for a place among the agents
// of the conversation.
func startWith(g *agents.Agents, s *pegboard.Session) starter {
	return func(ctx context.Context, r agentRequest) (agentResult, error) {
		result, err := g.Start(ctx, s, agents.Request{
			Description: r.title(), Prompt: r.Prompt, Type: r.Type, Model: r.Model, Effort: r.Effort,
			Isolation: r.Isolation, Dir: r.Dir, Schema: r.Schema, Foreground: true, Wait: true,
		})
		text := result.Text()
		if err != nil && text != "" {
			err = fmt.Errorf("%w; until then it had written: %s", err, oneLine(text, maxReason))
		}
		return agentResult{
			ID: result.AgentID, Text: text, Structured: result.Structured,
			Tokens: result.TotalTokens, StopTurn: result.StopTurn, Notes: result.Notes,
		}, err
	}
}

// A Request asks for a run of a workflow, see [Workflows.Start]. One of Script and Name is
// set, unless Resume is: then both may be empty, which means those of the earlier run.
type Request struct {
	Script      string
	Name        string          // of a workflow of Options.Named
	Title       string          // for people; empty means the name that the workflow has
	Description string          // for people; empty means that of the workflow
	Args        json.RawMessage // nil means none, or with Resume those of the earlier run
	// Resume is the id of a run that has ended, or whose program was killed. The results
	// of its agents are used again: of those that were started before the first that did
	// not finish, as long as the agents are asked the same in the same order.
	Resume string
}

// Start starts a run in the background on behalf of s, as the Workflow tool does. The run
// keeps the values of ctx, but does not end with it. Its end is a notice of
// [background.Tasks], which waits for it and stops it, too.
//
// Start asks no one: the caller answers for the script. The agents' calls are decided one
// by one as always.
func (w *Workflows) Start(ctx context.Context, s *pegboard.Session, r Request) (Launch, error) {
	return w.launch(ctx, s, r, w.lookup)
}

// named returns a workflow of the host.
func (w *Workflows) named(name string) (Named, error) {
	for _, n := range w.options.Named {
		if n.Name == name {
			return n, nil
		}
	}
	if len(w.options.Named) == 0 {
		return Named{}, fmt.Errorf("%w %.40q; there is none here, so send a script", ErrUnknownWorkflow, name)
	}
	var names []string
	for _, n := range w.options.Named {
		names = append(names, n.Name)
	}
	text := "there are"
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		names, text = near, "did you mean"
	}
	return Named{}, fmt.Errorf("%w %.40q; %s %s", ErrUnknownWorkflow, name, text, strings.Join(names[:min(len(names), maxListed)], ", "))
}

func (w *Workflows) lookup(_ context.Context, name string) (Named, error) { return w.named(name) }

// store returns the runs of the conversation of s.
func (w *Workflows) store(s *pegboard.Session) *runStore {
	return w.stores.GetOrInitRoot(s, func() *runStore { return newRunStore(w.options.Dir) })
}

// plan is a run that could be started.
type plan struct {
	request Request
	named   Named   // zero for a script of the call
	script  *script // nil for a workflow of Go
	replay  *replay
}

// plan completes a request by the run that it resumes, and reads its script.
func (w *Workflows) plan(s *pegboard.Session, r Request) (*plan, error) {
	p := &plan{request: r, replay: &replay{}}
	if r.Resume != "" {
		header, past, err := w.store(s).load(r.Resume)
		if err != nil {
			return nil, err
		}
		p.replay = past
		if r.Script == "" && r.Name == "" {
			p.request.Script, p.request.Name = header.Script, header.Name
		}
		if r.Args == nil {
			p.request.Args = header.Args
		}
	}
	source := p.request.Script
	switch {
	case p.request.Name != "" && source != "":
		return nil, errors.New("script and name exclude each other; send one of them")
	case p.request.Name != "":
		var err error
		if p.named, err = w.named(p.request.Name); err != nil {
			return nil, err
		}
		source = p.named.Script
	}
	if p.named.Run != nil {
		return p, nil
	}
	var err error
	p.script, err = parseScript(source)
	return p, err
}

// name returns the name of the run for people.
func (p *plan) name() string {
	name := cmp.Or(p.request.Title, p.named.Name)
	if p.script != nil {
		name = cmp.Or(name, p.script.meta.name)
	}
	return oneLine(cmp.Or(name, "workflow"), maxTitle)
}

func (p *plan) description() string {
	text := cmp.Or(p.request.Description, p.named.Description)
	if p.script != nil {
		text = cmp.Or(text, p.script.meta.description)
	}
	return oneLine(text, maxReason)
}

// phases returns the phases that the workflow names.
func (p *plan) phases() []string {
	phases := p.named.Phases
	if len(phases) == 0 && p.script != nil {
		phases = p.script.meta.phases
	}
	lines := make([]string, len(phases))
	for i, phase := range phases {
		lines[i] = oneLine(phase, maxTitle)
	}
	return lines
}

// task returns the task that runs the plan.
func (p *plan) task() *task {
	if p.script != nil {
		return newScriptTask(p.script, p.request.Args)
	}
	return newFuncTask(p.named.Run, p.request.Args)
}

// launch starts a run.
func (w *Workflows) launch(ctx context.Context, s *pegboard.Session, r Request, lookup func(context.Context, string) (Named, error)) (Launch, error) {
	p, err := w.plan(s, r)
	if err != nil {
		return Launch{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return Launch{}, err
	}
	store, live, tasks := w.store(s), w.ongoingOf(s), background.Of(s)
	id := newRunID()
	header := journalHeader{Run: id, Name: p.request.Name, Args: p.request.Args, Began: time.Now().UTC()}
	if header.Name == "" {
		header.Script = p.request.Script
	}
	journal, scriptPath, err := store.create(header)
	if err != nil {
		return Launch{}, err
	}
	o := &ongoing{plan: p, id: id, store: store, journal: journal, done: make(chan struct{})}
	if err = o.open(tasks); err != nil {
		o.discard()
		return Launch{}, err
	}
	ctx = context.WithoutCancel(ctx)
	c := newConductor(ctx, w.start(s))
	c.maxAgents, c.maxRunning = w.options.MaxAgents, w.options.MaxRunning
	c.journal, c.replay, c.log = journal, p.replay, o.log
	c.lookup = func(name string) (Named, error) { return lookup(ctx, name) }
	o.conductor, o.maxTime = c, w.options.MaxTime
	o.handle, err = tasks.Add(s, background.Work{
		Kind: taskKind, Description: o.title(), OutputFile: o.output, Stop: c.cancel, Report: o.report,
	})
	if err != nil {
		c.cancel(err)
		o.discard()
		return Launch{}, err
	}
	if scriptPath != "" {
		s.AllowReads(w.options.Dir)
	}
	live.add(o)
	goroutine.Start(o)
	return o.launched(s, scriptPath), nil
}

// StatusLaunched is the Launch.Status of a run that was started.
const StatusLaunched = "async_launched"

// A Launch says that a run was started. It is the Result.Data of the Workflow tool. The JSON
// names are those that Claude Code documents.
type Launch struct {
	Status        string `json:"status"`
	TaskID        string `json:"taskId"`
	TaskType      string `json:"taskType,omitempty"`
	WorkflowName  string `json:"workflowName,omitempty"`
	RunID         string `json:"runId,omitempty"`
	Summary       string `json:"summary,omitempty"`
	TranscriptDir string `json:"transcriptDir,omitempty"` // Options.Dir
	ScriptPath    string `json:"scriptPath,omitempty"`    // a copy of the script, below TranscriptDir
	OutputFile    string `json:"outputFile,omitempty"`    // phases, agents, logs and the result; not documented elsewhere

	endAdvice string // for a conversation that ends with the answer
}

// message words the launch for the model.
func (l Launch) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s runs in the background.\nTask id: %s\nRun id: %s\nOutput file: %s\n", l.WorkflowName, l.TaskID, l.RunID, l.OutputFile)
	if l.ScriptPath != "" {
		fmt.Fprintf(&b, "Script: %s\n", l.ScriptPath)
	}
	if l.endAdvice != "" {
		b.WriteString(l.endAdvice)
		return b.String()
	}
	b.WriteString("You will be told its result when it ends. Go on with something else; TaskStop ends it.")
	return b.String()
}

// A replay has the results of an earlier run: those of the agents before the first one, in
// the order of the starts, that did not finish. The zero value has none.
//
// The results are told in the order in which the agents ended in the earlier run. So a
// script that is the same starts the same agents in the same order.
type replay struct {
	keys    []string          // of the agents, in the order of the starts
	values  []json.RawMessage // likewise
	ends    []int             // numbers of the agents, in the order of their ends
	pending map[int]*agentCall
	used    int // results that were told
}

// takes reports whether the replay has the result of an agent that starts. An agent that
// was asked something else, and all agents after it, are started.
func (r *replay) takes(a *agentCall) bool {
	if a.number >= len(r.keys) {
		return false
	}
	if r.keys[a.number] != a.request.key() {
		r.keys = r.keys[:a.number]
		return false
	}
	if r.pending == nil {
		r.pending = map[int]*agentCall{}
	}
	r.pending[a.number] = a
	return true
}

// next removes and returns the agent that ended first and was started, with its result. It
// is nil if no such agent is left.
func (r *replay) next() (*agentCall, json.RawMessage) {
	for i, number := range r.ends {
		if a := r.pending[number]; a != nil {
			delete(r.pending, number)
			r.ends = append(r.ends[:i:i], r.ends[i+1:]...)
			r.used++
			return a, r.values[number]
		}
	}
	return nil, nil
}
