package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// taskKind is the kind of the background tasks of this package.
const taskKind = "workflow"

// An ongoing run is one in the background. It implements [goroutine.Task].
type ongoing struct {
	plan      *plan
	id        string
	store     *runStore
	journal   *journal
	output    string // path of the output file
	log       *runLog
	conductor *conductor
	handle    *background.Handle
	maxTime   time.Duration

	set  *ongoingSet
	done chan struct{} // closed when it has ended

	mu    sync.Mutex
	words string // the report, when it has ended

	value any
	err   error
}

// open makes the output file.
func (o *ongoing) open(tasks *background.Tasks) (err error) {
	if o.output, err = tasks.NewFile(taskKind); err == nil {
		o.log, err = newRunLog(o.output)
	}
	if err != nil {
		return fmt.Errorf("the output file: %w", err)
	}
	o.log.printf("workflow %s, run %s", o.plan.name(), o.id)
	return nil
}

// discard ends what belongs to a run that was not started.
func (o *ongoing) discard() {
	if o.log != nil {
		_ = o.log.close("it was not started")
	}
	_ = o.journal.end("not started")
	o.store.ended(o.id)
}

// title describes the run in lists of tasks.
func (o *ongoing) title() string {
	if text := o.plan.description(); text != "" {
		return o.plan.name() + ": " + text
	}
	return o.plan.name()
}

// Work implements [goroutine.Task].
func (o *ongoing) Work() {
	timer := time.AfterFunc(o.maxTime, func() {
		o.conductor.cancel(fmt.Errorf("%w: %v; split the work into several workflows", ErrTime, o.maxTime))
	})
	defer timer.Stop()
	o.value, o.err = o.conductor.conduct(o.plan.task())
}

// Leave implements [goroutine.Task].
func (o *ongoing) Leave(crash error) {
	if crash != nil {
		o.err = fmt.Errorf("the workflow crashed: %w", crash)
		o.conductor.cancel(crash)
	}
	state := background.Completed
	if o.err != nil {
		state = background.Failed
	}
	incomplete := o.journal.end(string(state))
	words := o.describe(incomplete)
	o.mu.Lock()
	o.words = words
	o.mu.Unlock()
	if err := o.log.close(words); err != nil {
		err = fmt.Errorf("its output file lacks something: %w", err)
		o.err = errors.Join(o.err, err)
	}
	o.store.ended(o.id)
	o.handle.Done(state, nil, o.err)
	close(o.done)
	o.set.prune()
}

var _ goroutine.Task = (*ongoing)(nil)

// report returns the text for the model, once the run has ended.
func (o *ongoing) report() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.words
}

// maxNotes is how many notes of agents stand in a report.
const maxNotes = 20

// describe words the end of the run.
func (o *ongoing) describe(incomplete error) string {
	var b strings.Builder
	c := o.conductor
	fmt.Fprintf(&b, "Workflow %s, run %s: %s", o.plan.name(), o.id, counted(c.started, "agent"))
	if used := c.replay.used; used > 0 {
		fmt.Fprintf(&b, ", %d with the result from run %s", used, o.plan.request.Resume)
	}
	if c.failed > 0 {
		fmt.Fprintf(&b, ", %d failed and gave null (see %s)", c.failed, o.output)
	}
	fmt.Fprintf(&b, ", %d tokens.\n", c.tokens)
	for _, note := range c.notes[:min(len(c.notes), maxNotes)] {
		fmt.Fprintf(&b, "Note of %s\n", note)
	}
	if more := len(c.notes) - maxNotes; more > 0 {
		fmt.Fprintf(&b, "%s more are in %s.\n", counted(more, "note"), o.output)
	}
	if incomplete != nil {
		fmt.Fprintf(&b, "It cannot be resumed completely: %v\n", incomplete)
	}
	if o.err != nil {
		fmt.Fprintf(&b, "It did not end well: %v\n", o.err)
		fmt.Fprintf(&b, "To go on from here, mend the cause and call Workflow with resumeFromRunId %q: agents that finished before are not run again as long as they are asked the same.", o.id)
		return b.String()
	}
	raw, _ := o.value.(json.RawMessage)
	b.WriteString("Result:\n" + string(raw))
	return b.String()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// launched returns the result of the call that has started the run.
func (o *ongoing) launched(s *pegboard.Session, scriptPath string) Launch {
	l := Launch{
		Status: StatusLaunched, TaskID: o.handle.ID(), TaskType: taskKind, WorkflowName: o.plan.name(), RunID: o.id,
		Summary: o.plan.description(), ScriptPath: scriptPath, OutputFile: o.output,
	}
	if scriptPath != "" {
		l.TranscriptDir = o.store.dir
	}
	if interactive, known := pegboard.KeyInteractive.Get(s); known && !interactive {
		l.endAdvice = "This conversation ends with your answer, and the workflow with it: wait for it with TaskOutput before you answer."
	}
	return l
}

// An ongoingSet has the runs that a session has started and whose goroutines go on. Its
// methods may be called concurrently.
type ongoingSet struct {
	main bool // the session is the main one, which ends all runs

	mu   sync.Mutex
	runs map[*ongoing]bool
}

// ongoingOf returns the runs of s. Closing s names those of which a function or an agent
// does not return.
func (w *Workflows) ongoingOf(s *pegboard.Session) *ongoingSet {
	return w.ongoing.GetOrInit(s, func() *ongoingSet {
		set := &ongoingSet{runs: map[*ongoing]bool{}, main: s.AgentID() == ""}
		s.OnClose("workflows", set.close)
		return set
	})
}

func (set *ongoingSet) add(o *ongoing) {
	set.mu.Lock()
	defer set.mu.Unlock()
	o.set = set
	set.runs[o] = true
}

// prune forgets the runs that nothing is left of.
func (set *ongoingSet) prune() {
	set.mu.Lock()
	defer set.mu.Unlock()
	for o := range set.runs {
		if o.hasEnded() && o.isGone() {
			delete(set.runs, o)
		}
	}
}

func (o *ongoing) hasEnded() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// isGone reports whether no goroutine of the run is left but its own.
func (o *ongoing) isGone() bool {
	select {
	case <-o.conductor.goroutines.empty():
		return true
	default:
		return false
	}
}

// close ends the runs and waits for their goroutines. A fork's runs may have been given to
// the main session: only runs that have ended and are not gone are waited for.
func (set *ongoingSet) close(ctx context.Context) error {
	set.mu.Lock()
	var all []*ongoing
	for o := range set.runs {
		if set.main || o.hasEnded() {
			all = append(all, o)
		}
	}
	set.mu.Unlock()
	for _, o := range all {
		o.conductor.cancel(pegboard.ErrClosed)
	}
	var errs []error
	for _, o := range all {
		select {
		case <-o.done:
		case <-ctx.Done():
		}
		if !o.hasEnded() || !o.conductor.goroutines.waitUntil(ctx) {
			errs = append(errs, fmt.Errorf("run %s of workflow %s goes on: a function or an agent of it does not return", o.id, o.plan.name()))
		}
	}
	return errors.Join(errs...)
}
