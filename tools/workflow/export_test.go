package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// AgentRequest and AgentResult are those of a starter.
type (
	AgentRequest = agentRequest
	AgentResult  = agentResult
)

// Engine runs workflows without a session.
type Engine struct {
	Start      func(ctx context.Context, r AgentRequest) (AgentResult, error)
	Named      []Named
	MaxAgents  int
	MaxRunning int
	MaxCompute time.Duration
	Journal    *Journal // what is recorded; nil records nothing
	Past       *Journal // of a run to go on from; nil for a new run
}

// Journal is that of a run, in memory.
type Journal struct{ Text []byte }

// Agents returns the keys of the agents in the order of their starts, and their numbers in
// the order in which they finished.
func (j *Journal) Agents() (keys []string, ends []int) {
	for line := range bytes.Lines(j.Text) {
		var e journalEntry
		if readLine(line, &e) != nil {
			continue
		}
		if e.Start != nil {
			keys = append(keys, e.Key)
		}
		if e.Finish != nil {
			ends = append(ends, *e.Finish)
		}
	}
	return keys, ends
}

// Replayed returns how many results of the journal a run uses.
func (j *Journal) Replayed() (int, error) {
	_, r, err := readJournal(j.Text, "wf-testtest")
	if err != nil {
		return 0, err
	}
	return len(r.keys), nil
}

func (e Engine) conductor(ctx context.Context) *conductor {
	c := newConductor(ctx, e.Start)
	if e.MaxAgents > 0 {
		c.maxAgents = e.MaxAgents
	}
	if e.MaxRunning > 0 {
		c.maxRunning = e.MaxRunning
	}
	if e.MaxCompute > 0 {
		c.maxCompute = e.MaxCompute
	}
	none := c.lookup
	c.lookup = func(name string) (Named, error) {
		for _, n := range e.Named {
			if n.Name == name {
				return n, nil
			}
		}
		return none(name)
	}
	return c
}

// Script runs a script and returns its result as JSON.
func (e Engine) Script(ctx context.Context, source string, args json.RawMessage) (string, error) {
	s, err := parseScript(source)
	if err != nil {
		return "", err
	}
	return e.run(ctx, newScriptTask(s, args))
}

// FailingEngine runs a script whose engine fails.
func (e Engine) FailingEngine(ctx context.Context) error {
	s, err := parseScript("return 1")
	if err != nil {
		return err
	}
	t := newScriptTask(s, nil)
	t.function = func(*task) (any, error) {
		var none *realm
		return none.task.value, nil
	}
	_, err = e.run(ctx, t)
	return err
}

// Func runs a function of Go and returns its result as JSON.
func (e Engine) Func(ctx context.Context, f Func, args json.RawMessage) (string, error) {
	return e.run(ctx, newFuncTask(f, args))
}

func (e Engine) run(ctx context.Context, t *task) (string, error) {
	c := e.conductor(ctx)
	c.journal.memory = &bytes.Buffer{}
	if err := c.journal.begin(journalHeader{Run: "wf-testtest"}); err != nil {
		return "", err
	}
	if e.Past != nil {
		var err error
		if _, c.replay, err = readJournal(e.Past.Text, "wf-testtest"); err != nil {
			return "", err
		}
	}
	value, err := c.conduct(t)
	if e.Journal != nil {
		e.Journal.Text = c.journal.content()
	}
	raw, _ := value.(json.RawMessage)
	return string(raw), err
}

// ParseScript returns the error of a script, and what it says of itself.
func ParseScript(source string) (name, description string, phases []string, err error) {
	s, err := parseScript(source)
	if err != nil {
		return "", "", nil, err
	}
	return s.meta.name, s.meta.description, s.meta.phases, nil
}

// NewWith returns Workflows whose agents are those of start.
func NewWith(o Options, start func(ctx context.Context, r AgentRequest) (AgentResult, error)) *Workflows {
	return newWorkflows(o, func(*pegboard.Session) starter { return start })
}

// ScriptOnFullDisk runs a script whose journal cannot be written after its first line. It
// returns the error of the journal, too.
func (e Engine) ScriptOnFullDisk(ctx context.Context, source string) (result string, incomplete, err error) {
	s, err := parseScript(source)
	if err != nil {
		return "", nil, err
	}
	c := e.conductor(ctx)
	if c.journal.file, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		return "", nil, err
	}
	value, err := c.conduct(newScriptTask(s, nil))
	raw, _ := value.(json.RawMessage)
	return string(raw), c.journal.end("completed"), err
}
