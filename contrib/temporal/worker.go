package temporal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/seed49eaa51d/pegboard"
)

// DefaultMaxSessions is how many sessions a [Worker] keeps whose calls do not run.
const DefaultMaxSessions = 64

// DefaultStopTimeout is how long [Worker.Stop] lets calls run before their contexts end.
const DefaultStopTimeout = 10 * time.Second

// stickyWithin is how long the next step of a workflow waits for the worker that did the last
// one. The steps are short, so that it need not be the same.
const stickyWithin = time.Second

// WorkerOptions are the settings of a [Worker]. Pool is required.
type WorkerOptions struct {
	// Pool assembles the pool of a session, and makes the session: Description.Config returns the
	// settings from the host. The worker closes the session of the pool. A call runs if the pool
	// has its tool with the same name and definition; other tools of the pool do not count.
	//
	// Pool is called once for each Description, and concurrently for different ones. It must not
	// return the pool of another call.
	Pool func(ctx context.Context, d Description) (*pegboard.Pool, error)
	// MaxSessions is how many sessions are kept for later calls, those in use not counted; 0
	// means DefaultMaxSessions. The memory of tools in a session, such as which files the model
	// has read, is lost with it.
	MaxSessions int
	// Logger gets panics of tools and failures of a session's Close. Nil means
	// [slog.Default]. Inputs and results are not logged.
	Logger *slog.Logger
	// SDK are further options of the worker. WorkerStopTimeout is DefaultStopTimeout if it is 0,
	// StickyScheduleToStartTimeout a second. Heartbeats are sent each second, whatever they say.
	SDK worker.Options
}

// A Worker performs calls for the hosts of a task queue.
type Worker struct {
	sdk      worker.Worker
	sessions *sessions
	logger   *slog.Logger
}

// NewWorker returns a Worker of a task queue. Call Start, and Stop before the client is closed.
// It is an error if o has no Pool.
func NewWorker(c client.Client, queue string, o WorkerOptions) (*Worker, error) {
	switch {
	case c == nil:
		return nil, errors.New("a worker without a client")
	case o.Pool == nil:
		return nil, errors.New("worker options without Pool")
	case o.MaxSessions < 0:
		return nil, errors.New("worker options with a negative MaxSessions")
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.SDK.WorkerStopTimeout == 0 {
		o.SDK.WorkerStopTimeout = DefaultStopTimeout
	}
	if o.SDK.StickyScheduleToStartTimeout == 0 {
		o.SDK.StickyScheduleToStartTimeout = stickyWithin
	}
	o.SDK.MaxHeartbeatThrottleInterval = time.Second
	w := &Worker{sdk: worker.New(c, queue, o.SDK), sessions: newSessions(o.Pool, o.MaxSessions, o.Logger), logger: o.Logger}
	w.sdk.RegisterWorkflowWithOptions(callWorkflow, workflow.RegisterOptions{Name: workflowName})
	w.sdk.RegisterActivityWithOptions(w.run, activity.RegisterOptions{Name: activityName})
	return w, nil
}

// Start begins to take calls.
func (w *Worker) Start() error { return w.sdk.Start() }

// Stop takes no more calls, waits for those that run up to WorkerStopTimeout, ends the contexts
// of the others, and closes all sessions. A call that was cut off ends at its host with the error
// that its tool returns then, or as one whose worker was lost.
func (w *Worker) Stop() {
	w.sdk.Stop()
	w.sessions.close()
}
