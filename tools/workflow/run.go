package workflow

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Run is a run of a workflow, as one function of it sees it: it has the verbs that
// scripts have, too. A function uses its own Run and no other, on its own goroutine, until
// it returns; otherwise the verbs fail with ErrTurn.
//
// While a verb waits, other functions of the run go on, one at a time, and each result is
// told when all functions wait. So a workflow whose functions do nothing but call verbs
// and combine results starts its agents in the same order whenever these end in the same
// order.
type Run struct {
	task *task
}

// An Answer is the result of an agent: Structured if the options had a schema, otherwise
// Text.
type Answer struct {
	Text       string
	Structured json.RawMessage
}

// Agent starts an agent and waits for its result. Of more agents than may run at once,
// the later ones wait. The error wraps ErrAgent if the agent failed, ErrTooManyAgents if it
// was not started, and the cause if the run ends.
func (r *Run) Agent(ctx context.Context, prompt string, o AgentOptions) (Answer, error) {
	if err := r.task.check(); err != nil {
		return Answer{}, err
	}
	o.Schema = slices.Clone(o.Schema)
	f, err := r.task.startAgent(ctx, agentRequest{AgentOptions: o, Prompt: prompt})
	if err == nil {
		err = r.task.await(f)
	}
	if err == nil {
		err = f.err
	}
	if err != nil {
		return Answer{}, err
	}
	raw, _ := f.value.(json.RawMessage)
	if len(o.Schema) > 0 {
		return Answer{Structured: raw}, nil
	}
	var a Answer
	if err := json.Unmarshal(raw, &a.Text); err != nil {
		return Answer{}, fmt.Errorf("%w: its result is no text: %w", ErrAgent, err)
	}
	return a, nil
}

// Parallel runs functions side by side and waits for all of them. In the place of a
// function whose error wraps ErrAgent the result has nil. Any other error ends the context
// of the other functions, and Parallel returns the first one.
func (r *Run) Parallel(ctx context.Context, branches ...Func) ([]any, error) {
	if err := r.task.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errEnded)
	var first error
	futures := make([]*future, len(branches))
	for i, branch := range branches {
		futures[i] = r.task.spawn(func(t *task) (any, error) {
			value, err := branch(ctx, &Run{task: t})
			switch {
			case err == nil:
				return value, nil
			case errors.Is(err, ErrAgent) && ctx.Err() == nil:
				t.conductor.failed++
				return nil, nil
			case first == nil:
				first = err
				cancel(err)
			}
			return nil, err
		})
	}
	r.task.conductor.advance(len(futures))
	if err := r.task.await(futures...); err != nil {
		return nil, err
	}
	values := make([]any, len(futures))
	for i, f := range futures {
		if values[i] = f.value; first == nil && f.err != nil { // it crashed
			first = f.err
		}
	}
	if first != nil {
		return nil, first
	}
	return values, nil
}

// A Stage is one step of a pipeline. Previous is the result of the stage before it, and
// item itself in the first.
type Stage func(ctx context.Context, r *Run, previous, item any, index int) (any, error)

// Pipeline takes each item through all stages, without waiting for the other items. Errors
// are those of Parallel: an item that an agent failed for is nil, and goes no further.
func (r *Run) Pipeline(ctx context.Context, items []any, stages ...Stage) ([]any, error) {
	branches := make([]Func, len(items))
	for i, item := range items {
		branches[i] = func(ctx context.Context, r *Run) (value any, err error) {
			value = item
			for _, stage := range stages {
				if value, err = stage(ctx, r, value, item, i); err != nil {
					return nil, err
				}
			}
			return value, nil
		}
	}
	return r.Parallel(ctx, branches...)
}

// Workflow runs another workflow by its name and returns its result. Its agents count as
// those of this run. One that runs inside another cannot call it: then the error wraps
// ErrNesting.
func (r *Run) Workflow(ctx context.Context, name string, args any) (json.RawMessage, error) {
	if err := r.task.check(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if args != nil {
		var err error
		if raw, err = encode(args); err != nil {
			return nil, fmt.Errorf("the args of workflow %s: %w", name, err)
		}
	}
	f, err := r.task.startWorkflow(name, raw)
	if err == nil {
		err = r.task.await(f)
	}
	if err == nil {
		err = f.err
	}
	if err != nil {
		return nil, err
	}
	value, _ := f.value.(json.RawMessage)
	return value, nil
}

// Phase names the phase that the agents which are started from now on belong to, in the
// whole run.
func (r *Run) Phase(title string) {
	if r.task.check() == nil {
		r.task.conductor.setPhase(title)
	}
}

// Log writes a line to the output file of the run.
func (r *Run) Log(text string) {
	if r.task.check() == nil {
		r.task.conductor.log.printf("log: %s", oneLine(text, maxLogText))
	}
}

// Args returns the args of the call as JSON, or nil without args.
func (r *Run) Args() json.RawMessage { return slices.Clone(r.task.args) }

const (
	// maxLog is the number of bytes that the output file may have, but for the result.
	maxLog = 8 << 20
	// maxLogText is the number of characters of one line of a script.
	maxLogText = 2_000
)

// A runLog is the output file of a run: its phases, agents and log lines. The zero value
// writes nothing. Its methods may be called concurrently.
type runLog struct {
	mu      sync.Mutex
	file    *os.File
	size    int
	omitted int
	err     error // the first error of a write
}

func newRunLog(path string) (*runLog, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &runLog{file: f}, nil
}

// printf writes a line.
func (l *runLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format, args...) + "\n"
	if l.size+len(line) > maxLog {
		l.omitted++
		return
	}
	l.write(line)
}

// agent writes an event of an agent.
func (l *runLog) agent(a *agentCall, event string) {
	phase := ""
	if a.phase != "" {
		phase = "[" + oneLine(a.phase, maxTitle) + "] "
	}
	l.printf("%s%s %s", phase, a.name(), event)
}

func (l *runLog) write(text string) {
	if l.file == nil || l.err != nil {
		return
	}
	n, err := l.file.WriteString(text)
	l.size += n
	l.err = err
}

// close writes the result, also if the file is full, and closes the file. It returns the
// first error if the file is incomplete.
func (l *runLog) close(result string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	if l.omitted > 0 {
		l.write(fmt.Sprintf("%d more lines were left out\n", l.omitted))
	}
	l.write(result + "\n")
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	l.file = nil
	return l.err
}

const (
	runPrefix     = "wf-"
	journalSuffix = ".jsonl"
	scriptSuffix  = ".js"
	// maxJournal is the number of bytes of a journal that is read. A thousand results of
	// the largest size of an agent's report are an eighth of it.
	maxJournal = 256 << 20
	// keptRuns is the number of runs that are kept in memory.
	keptRuns = 32
	// maxListed is the number of runs or workflows that an error names.
	maxListed = 20
)

var runID = regexp.MustCompile(`^` + runPrefix + `[a-z2-7]{8}$`)

// A runStore has the journals of the runs of a conversation, in a directory or, without
// one, in memory. Its methods may be called concurrently.
type runStore struct {
	dir   string // absolute, or empty
	files atomicfile.Store

	mu      sync.Mutex
	active  map[string]bool // runs of this process that have not ended
	memory  map[string]*journal
	ordered []string // ids of the runs in memory, oldest first
}

func newRunStore(dir string) *runStore {
	return &runStore{dir: dir, active: map[string]bool{}, memory: map[string]*journal{}}
}

func newRunID() string { return runPrefix + strings.ToLower(rand.Text()[:8]) }

// create makes the journal of a new run. The script is written beside it, for people and
// for the model: its path is returned, or "".
func (s *runStore) create(h journalHeader) (j *journal, scriptPath string, err error) {
	j = &journal{}
	if s.dir == "" {
		j.memory = &bytes.Buffer{}
	} else {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, "", fmt.Errorf("the directory of the workflows: %w", err)
		}
		if j.file, err = os.OpenFile(s.path(h.Run), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return nil, "", fmt.Errorf("the journal of the run: %w", err)
		}
		if h.Script != "" {
			scriptPath = filepath.Join(s.dir, h.Run+scriptSuffix)
			if _, err := s.files.Create(context.Background(), scriptPath, []byte(h.Script), 0o600); err != nil && !errors.Is(err, atomicfile.ErrNotSynced) {
				_ = j.end("not begun")
				return nil, "", fmt.Errorf("the script of the run: %w", err)
			}
		}
	}
	if err := j.begin(h); err != nil {
		_ = j.end("not begun")
		return nil, "", err
	}
	s.keep(h.Run, j)
	return j, scriptPath, nil
}

func (s *runStore) path(run string) string { return filepath.Join(s.dir, run+journalSuffix) }

func (s *runStore) keep(run string, j *journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[run] = true
	if s.dir != "" {
		return
	}
	s.memory[run] = j
	s.ordered = append(s.ordered, run)
	for i := 0; len(s.ordered) > keptRuns && i < len(s.ordered); {
		if old := s.ordered[i]; s.active[old] {
			i++
		} else {
			delete(s.memory, old)
			s.ordered = slices.Delete(s.ordered, i, i+1)
		}
	}
}

// ended says that a run has ended, so that another can go on from it.
func (s *runStore) ended(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, run)
}

// load reads the journal of a run that has ended, in this process or in an earlier one. A
// journal that cannot be read is set aside.
func (s *runStore) load(run string) (journalHeader, *replay, error) {
	s.mu.Lock()
	active, inMemory := s.active[run], s.memory[run]
	s.mu.Unlock()
	if active {
		return journalHeader{}, nil, fmt.Errorf("run %s is still running; wait for its end, or end it with TaskStop first", run)
	}
	if inMemory != nil {
		return readJournal(inMemory.content(), run)
	}
	if s.dir == "" || !runID.MatchString(run) {
		return journalHeader{}, nil, s.unknown(run)
	}
	snapshot, err := s.files.Load(context.Background(), s.path(run), maxJournal)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return journalHeader{}, nil, s.unknown(run)
	case isUnreadable(err):
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	case err != nil:
		return journalHeader{}, nil, fmt.Errorf("the journal of run %s: %w", run, err)
	}
	if err == nil {
		var h journalHeader
		var r *replay
		if h, r, err = readJournal(snapshot.Data, run); !errors.Is(err, ErrCorrupt) {
			return h, r, err
		}
	}
	return journalHeader{}, nil, s.setAside(run, err)
}

// isUnreadable reports whether a journal is no file that could be read at another time.
func isUnreadable(err error) bool {
	var size *atomicfile.SizeError
	return errors.As(err, &size) || errors.Is(err, realpath.ErrNotRegular) || errors.Is(err, realpath.ErrMoved)
}

// setAside renames a journal that cannot be read, and returns the error that tells it.
func (s *runStore) setAside(run string, reason error) error {
	moved, err := durable.SetAside(s.path(run))
	if err != nil {
		return fmt.Errorf("%w; it could not be set aside: %w", reason, err)
	}
	return fmt.Errorf("%w; it was set aside as %s. Start the workflow again without resumeFromRunId", reason, moved)
}

// unknown returns an error that lists the runs there are.
func (s *runStore) unknown(run string) error {
	all := s.runs()
	if len(all) == 0 {
		return fmt.Errorf("%w %.40q; there is no run yet", ErrUnknownRun, run)
	}
	if len(all) > maxListed {
		all = all[len(all)-maxListed:]
	}
	return fmt.Errorf("%w %.40q; there are %s", ErrUnknownRun, run, strings.Join(all, ", "))
}

// runs returns the ids of the runs that there are.
func (s *runStore) runs() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return slices.Clone(s.ordered)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), journalSuffix); ok && runID.MatchString(id) {
			all = append(all, id)
		}
	}
	return all
}
