package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/seed49eaa51d/pegboard"
)

const (
	progressEvery = time.Second      // how often a host asks for the progress of a call
	retryEvery    = time.Second      // how often a host tries to reach an engine that is away
	requestWithin = 10 * time.Second // for one message to the engine

	// taskWithin is how long a worker may take for a step of a workflow, which takes milliseconds:
	// then another worker does it.
	taskWithin = 5 * time.Second

	// untouchedEvents are the events of a workflow before a worker has seen it: that it has
	// started, and that a task for it was scheduled.
	untouchedEvents = 2
)

// A remoteRun is one call that the host waits for.
type remoteRun struct {
	engine     *Engine
	call       *pegboard.Call
	id, queue  string
	repeatable bool
	request    request
	done       chan struct{} // closed when answer and err are set
	answer     answer
	err        error

	shown progress    // the last report that was passed on
	late  atomic.Bool // no worker was there in time
}

// prepare makes the request.
func (r *remoteRun) prepare(ctx context.Context, info *pegboard.Info, timeout time.Duration) error {
	c := r.call
	described, err := r.engine.describe(c)
	if err != nil {
		return err
	}
	input, err := pack(ctx, c.Session().ResultStore(), "input-"+c.ID, c.Input)
	if err != nil {
		return fmt.Errorf("the input could not be sent to a worker: %w", err)
	}
	r.id = cmp.Or(WorkflowID(c), "pegboard-"+uuid.NewString())
	definition := c.ToolDigest()
	r.request = request{
		Version: wireVersion, Session: described, CallID: c.ID, Tool: c.Name, ToolDigest: definition,
		Digest: digestOf(c.ToolName(), definition, c.Input), Input: input,
		Plan: r.engine.planFor(info, timeout, r.repeatable),
	}
	return nil
}

// wait starts the workflow, or finds it, and waits for its answer. When ctx ends, it stops the
// call and goes on waiting.
func (r *remoteRun) wait(ctx context.Context) (*pegboard.Result, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		defer close(r.done)
		r.answer, r.err = r.await(own)
	}()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	late := time.NewTimer(r.engine.o.StartWithin)
	defer late.Stop()
	ended := ctx.Done()
	for {
		select {
		case <-r.done:
			return r.returned(own)
		case <-ended:
			ended = nil
			go r.stop(own, context.Cause(ctx))
		case <-late.C:
			go r.giveUp(own)
		case <-ticker.C:
			r.showProgress(own)
		}
	}
}

// await returns the answer of the workflow. It outlasts an engine that is away for a while:
// starting the same workflow again finds it.
func (r *remoteRun) await(ctx context.Context) (answer, error) {
	var away time.Time // since when
	reached := false
	for {
		var a answer
		run, err := r.engine.o.Client.ExecuteWorkflow(ctx, r.startOptions(), workflowName, r.request)
		if err == nil {
			reached, away = true, time.Time{}
			if err = run.Get(ctx, &a); err == nil {
				return a, nil
			}
		}
		if !isOutage(err) {
			return a, r.ended(ctx, err, reached)
		}
		if away.IsZero() {
			away = time.Now()
		}
		if time.Since(away) > r.engine.o.Outage {
			return a, r.unreachable(err)
		}
		time.Sleep(retryEvery)
	}
}

func (r *remoteRun) startOptions() client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: r.id, TaskQueue: r.queue, WorkflowTaskTimeout: taskWithin,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		StaticSummary:            r.call.ToolName() + " " + r.call.ID,
	}
}

// isOutage reports whether err says that the engine did not answer, so that asking again may help.
func isOutage(err error) bool {
	var unavailable *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	var full *serviceerror.ResourceExhausted
	var internal *serviceerror.Internal
	var unknown *serviceerror.NamespaceNotFound // a server that has just started
	return errors.As(err, &unavailable) || errors.As(err, &late) || errors.As(err, &full) || errors.As(err, &internal) ||
		errors.As(err, &unknown) || errors.Is(err, context.DeadlineExceeded)
}

// ended is the error of a workflow that has no answer. Reached means that it was started.
func (r *remoteRun) ended(ctx context.Context, err error, reached bool) error {
	if !reached {
		return fmt.Errorf("%s was not run: the engine refuses to start it: %w", r.call.Name, err)
	}
	var failed *temporal.WorkflowExecutionError
	if errors.As(err, &failed) {
		switch {
		case r.wasTaken(ctx):
		case r.late.Load():
			return r.failed(&answer{Failure: failedNoWorker})
		default:
			return r.failed(&answer{Failure: failedStopped})
		}
		return r.unknown(fmt.Sprintf("The run of %s was ended in the engine (%v).", r.call.Name, errors.Unwrap(failed)), ErrStopped)
	}
	return r.unknown(fmt.Sprintf("The outcome of %s could not be read (%v).", r.call.Name, err), err)
}

func (r *remoteRun) unreachable(err error) error {
	return r.unknown(fmt.Sprintf("The engine that runs %s did not answer for %v (%v).", r.call.Name, r.engine.o.Outage, err), ErrUnreachable)
}

// unknown returns an error for a call that may have run.
func (r *remoteRun) unknown(text string, cause error) error {
	if r.repeatable {
		return &failure{text: text + " It changes nothing twice, so it can be called again.", wraps: []error{cause}}
	}
	return &failure{
		text:  text + " It may have done its work, a part of it, or nothing. It was not run again. Look at what it did before you repeat it.",
		wraps: []error{cause, pegboard.ErrOutcomeUnknown},
	}
}

// wasTaken reports whether a worker may have had the call: only if it is known that none was
// offered it, the answer is false.
func (r *remoteRun) wasTaken(ctx context.Context) bool {
	within, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	history := r.engine.o.Client.GetWorkflowHistory(within, r.id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil || event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			return true
		}
	}
	return false
}

// isUntouched reports whether no worker has seen the workflow.
func (r *remoteRun) isUntouched(ctx context.Context) bool {
	d, err := r.engine.o.Client.DescribeWorkflowExecution(ctx, r.id, "")
	return err == nil && d.GetPendingWorkflowTask().GetState() == enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED &&
		len(d.GetPendingActivities()) == 0 && d.GetWorkflowExecutionInfo().GetHistoryLength() <= untouchedEvents
}

// giveUp ends a workflow that no worker has seen: a workflow that is not run ends nothing by
// itself.
func (r *remoteRun) giveUp(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	if r.isUntouched(within) {
		r.late.Store(true)
		_ = r.engine.o.Client.TerminateWorkflow(within, r.id, "", "no worker took the call") // if that fails, it goes on waiting
	}
}

// stop tells the workflow that the call was stopped, and why.
func (r *remoteRun) stop(ctx context.Context, cause error) {
	message := pegboard.NewCallReply(nil, cause)
	for {
		within, cancel := context.WithTimeout(ctx, requestWithin)
		var err error
		if r.isUntouched(within) { // no one would read the signal
			err = r.engine.o.Client.TerminateWorkflow(within, r.id, "", cause.Error())
		} else {
			err = r.engine.o.Client.SignalWorkflow(within, r.id, "", stopSignal, message)
		}
		cancel()
		if err == nil {
			return
		}
		select { // it may not have started yet
		case <-r.done:
			return
		case <-time.After(retryEvery / 10):
		}
	}
}

// showProgress passes on the last report of the tool.
func (r *remoteRun) showProgress(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, progressEvery)
	defer cancel()
	d, err := r.engine.o.Client.DescribeWorkflowExecution(within, r.id, "")
	if err != nil || len(d.GetPendingActivities()) == 0 {
		return // the next one may be told
	}
	details := d.GetPendingActivities()[0].GetHeartbeatDetails()
	var p progress
	if details == nil || r.engine.o.DataConverter.FromPayloads(details, &p) != nil || p.Count == 0 || p.Attempt == r.shown.Attempt && p.Count == r.shown.Count {
		return
	}
	r.shown = p
	var data any
	if p.Data != nil {
		data = p.Data
	}
	r.call.EmitData(p.Text, data)
}

// returned returns the result and the error of the tool, or an error that says why it has none.
func (r *remoteRun) returned(ctx context.Context) (*pegboard.Result, error) {
	if r.err != nil {
		return nil, r.err
	}
	a, name := &r.answer, r.call.Name
	if err := checkVersion(a.Version); err != nil {
		return nil, r.unknown(fmt.Sprintf("The outcome of %s could not be read (%v).", name, err), err)
	}
	if a.Digest != r.request.Digest {
		return nil, &failure{text: name + " was not run: an earlier call of the conversation had the same id, and was another call. Call it again.", wraps: []error{ErrReused}}
	}
	if a.Failure != "" {
		return nil, r.failed(a)
	}
	text, err := a.Reply.open(ctx, r.call.Session().ResultStore())
	var reply pegboard.CallReply
	if err == nil {
		err = json.Unmarshal(text, &reply)
	}
	if err != nil {
		return nil, fmt.Errorf("%s has run, but its result could not be brought here: %w", name, err)
	}
	result, err := reply.Returned()
	if err == nil {
		return result, nil
	}
	if a.Attempts > 1 && errors.Is(err, pegboard.ErrTransient) {
		err = &failure{text: fmt.Sprintf("%v (tried %d times)", err, a.Attempts), wraps: []error{err}}
	}
	if errors.Is(err, pegboard.ErrTransient) {
		err = &settledError{err}
	}
	return result, err
}

// failed returns the error of an answer without a reply.
func (r *remoteRun) failed(a *answer) error {
	name := r.call.Name
	notRun := func(why string, err error) error {
		return &failure{text: name + " was not run: " + why, wraps: []error{err}}
	}
	switch a.Failure {
	case failedToolVersion:
		return notRun(a.Text+" Tell the user: the program and its workers must have the same tools.", ErrToolVersion)
	case failedVersion:
		return notRun(a.Text+" Tell the user: the program and its workers must be of the same version.", ErrVersion)
	case failedPool:
		return notRun("its worker could not prepare the session: "+a.Text+". Tell the user.", ErrNoPool)
	case failedNoWorker:
		return notRun(fmt.Sprintf("no worker took it within %v. Tell the user, or try again later.", r.request.Plan.StartWithin), ErrNoWorker)
	case failedStopped:
		return notRun("it was stopped before a worker took it.", ErrStopped)
	case failedStore:
		return &failure{text: fmt.Sprintf("%s has run, but its result is too long to be sent back: %s.", name, a.Text), wraps: []error{ErrStore}}
	case failedLost:
		return r.unknown(fmt.Sprintf("The worker of %s was lost (%s).", name, a.Text), ErrWorkerLost)
	}
	return r.unknown(fmt.Sprintf("The run of %s failed: %s.", name, a.Text), ErrVersion)
}
