package dbos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	sdk "github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/seed49eaa51d/pegboard"
)

// The errors of [Engine.Invoke] that are not those of the tool. Outcome.Err wraps them.
var (
	// ErrEngine: the database did not do what it was asked for. If the call may have run and
	// changes something, the error wraps [pegboard.ErrOutcomeUnknown], too. Any other that changes
	// something has not run.
	ErrEngine = errors.New("the calls could not be recorded")
	// ErrReused: an earlier call of the session had the same id and turn, and was another call.
	// This one has not run.
	ErrReused = errors.New("another call had the same id")
)

const (
	// workflowName is the name in the database. The number is that of the records.
	workflowName = "pegboard.Call.v1"
	beginStep    = "begin"
	// pollEvery is how often the end of a call is looked for that another execution makes.
	pollEvery = 20 * time.Millisecond
)

// An Engine records calls. Its methods may be called concurrently.
type Engine struct {
	dbos sdk.Context

	mu   sync.Mutex
	jobs map[string]*job // by the id of the workflow, while Invoke waits
}

// NewEngine returns an Engine that records with d. It registers a workflow, so that it is called
// once for d, before Launch. The Engine does not shut d down.
func NewEngine(d sdk.Context) *Engine {
	e := &Engine{dbos: d, jobs: map[string]*job{}}
	sdk.RegisterWorkflow(d, e.run, sdk.WithWorkflowName(workflowName))
	return e
}

// A record is what a workflow is told of its call.
type record struct {
	Tool   string `json:"tool"`
	Digest string `json:"digest"` // of the tool, its definition and the input
}

// A report is the end of a workflow.
type report struct {
	Digest string `json:"digest"`
	// Left says that an execution found nobody who wanted the call. Begun says that an earlier
	// execution had begun it.
	Left  bool                `json:"left,omitempty"`
	Begun bool                `json:"begun,omitempty"`
	Reply *pegboard.CallReply `json:"reply,omitempty"`
}

// A job is a call of this process.
type job struct {
	ctx  context.Context //nolint:containedctx // of the call, which the workflow runs
	tool pegboard.Tool
	call *pegboard.Call

	begun  bool // guarded by Engine.mu
	gone   bool // nobody waits; guarded by Engine.mu
	done   chan struct{}
	result *pegboard.Result // with err, once done is closed
	err    error
}

// Invoke is for [pegboard.Executor].Invoke. It calls the tool in this process, in the context of
// the executor, and returns its result, or that of an earlier execution of the same call.
func (e *Engine) Invoke(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
	traits, id := t.Traits(c), c.StableID()
	if id == "" || traits.Own {
		return t.Call(ctx, c)
	}
	repeatable := c.Facts().ReadOnly || traits.Idempotent
	r := record{Tool: c.ToolName(), Digest: digestOf(c)}
	for attempt := 1; ; attempt++ {
		j := &job{ctx: ctx, tool: t, call: c, done: make(chan struct{})}
		end, err := e.await(ctx, id+"-"+strconv.Itoa(attempt), r, j)
		switch {
		case j.hasEnded():
			return j.result, j.err // whether or not it could be recorded
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errOther) && !repeatable:
			return nil, unknown(fmt.Errorf("%w: %w", ErrEngine, err))
		case errors.Is(err, errOther):
			return nil, &failure{"The end of the call could not be read from the records. It can be made again without harm.", []error{ErrEngine, err}}
		case err != nil:
			return nil, &failure{"The call was not run, because it could not be recorded.", []error{ErrEngine, err}}
		case end.Digest != r.Digest:
			return nil, &failure{"The call was not run: an earlier call had its id, and was another one.", []error{ErrReused}}
		case end.Reply != nil:
			result, err := end.Reply.Returned()
			if repeatable && errors.Is(err, pegboard.ErrTransient) {
				continue // the executor wants another attempt
			}
			return result, err
		case end.Begun && !repeatable:
			return nil, unknown(errors.New("an earlier process began the call and did not end it"))
		}
	}
}

// errOther says that the error is about an execution that may have run the call.
var errOther = errors.New("another execution")

// await runs a workflow for j, or waits for the one that exists. It returns early if ctx ends
// before j has begun.
func (e *Engine) await(ctx context.Context, id string, r record, j *job) (report, error) {
	e.mu.Lock()
	if e.jobs[id] == nil { // else the same call runs already
		e.jobs[id] = j
		defer e.forget(id)
	}
	e.mu.Unlock()
	handle, err := sdk.RunWorkflow(e.dbos, e.run, r, sdk.WithWorkflowID(id))
	if err != nil {
		return report{}, err
	}
	type ended struct {
		report report
		err    error
	}
	result := make(chan ended, 1)
	go func() {
		end, err := handle.GetResult(sdk.WithHandlePollingInterval(pollEvery))
		result <- ended{end, err}
	}()
	select {
	case end := <-result:
		if end.err != nil {
			end.err = fmt.Errorf("%w: %w", errOther, end.err)
		}
		return end.report, end.err
	case <-ctx.Done():
	}
	if e.withdraw(j) {
		return report{}, context.Cause(ctx)
	}
	<-j.done // the tool has the same context
	return report{}, nil
}

func (e *Engine) forget(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.jobs, id)
}

// withdraw reports whether j had not begun, and now never will.
func (e *Engine) withdraw(j *job) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	j.gone = true
	return !j.begun
}

// take returns the job that waits for a workflow, which now begins, or nil.
func (e *Engine) take(id string) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	if j == nil || j.begun || j.gone {
		return nil
	}
	j.begun = true
	return j
}

// run is the workflow. DBOS also executes it for a process that was killed. It then says how far
// the call had come, and the process that asks for the call decides.
func (e *Engine) run(ctx sdk.Context, r record) (report, error) {
	end := report{Digest: r.Digest, Left: true}
	id, err := sdk.GetWorkflowID(ctx)
	if err != nil {
		return end, err
	}
	first := false
	if _, err := sdk.RunAsStep(ctx, func(context.Context) (bool, error) {
		first = true
		return true, nil
	}, sdk.WithStepName(beginStep)); err != nil {
		return end, err
	}
	end.Begun = !first
	if !first {
		return end, nil
	}
	j := e.take(id)
	if j == nil {
		return end, nil
	}
	j.run()
	reply := pegboard.NewCallReply(j.result, j.err)
	return report{Digest: r.Digest, Reply: &reply}, nil
}

// run calls the tool.
func (j *job) run() {
	defer close(j.done)
	defer func() {
		if v := recover(); v != nil {
			j.result, j.err = nil, &pegboard.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	j.result, j.err = j.tool.Call(j.ctx, j.call)
}

func (j *job) hasEnded() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// unknown is the error of a call that may have had its effect.
func unknown(err error) error {
	return &failure{"It is not known whether the call had its effect: it had begun, and its end was not recorded. Look before you repeat it.", []error{pegboard.ErrOutcomeUnknown, err}}
}

// A failure is an error with a text for the model.
type failure struct {
	text  string
	wraps []error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.wraps }

// digestOf returns a digest that tells calls with the same id apart.
func digestOf(c *pegboard.Call) string {
	text, _ := json.Marshal([]string{c.ToolName(), c.ToolDigest(), string(c.Input)}) // strings have no error
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
