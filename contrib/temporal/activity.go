package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/seed49eaa51d/pegboard"
)

const (
	heartbeatEvery = time.Second
	causeWithin    = 2 * time.Second // for the question why a call was stopped
	maxReport      = 32 << 10        // bytes of the text of a report, and of its data
)

// run is the activity: it performs one call.
func (w *Worker) run(ctx context.Context, r request) (performed, error) {
	if err := checkVersion(r.Version); err != nil {
		return performed{}, refused(failedVersion, err.Error()+".")
	}
	heart := startHeart(ctx)
	defer heart.stop()
	pool, release, err := w.sessions.pool(ctx, &r.Session)
	if err != nil {
		return performed{}, refused(failedPool, err.Error())
	}
	defer release()
	store := pool.Session().ResultStore()
	input, err := r.Input.open(ctx, store)
	if err != nil {
		return performed{}, refused(failedPool, err.Error())
	}
	tool, c, err := pool.Rebuild(pegboard.Call{ID: r.CallID, Name: r.Tool, Input: input})
	if text := versionProblem(c, &r, err); text != "" {
		return performed{}, refused(failedToolVersion, text)
	}
	c.OnProgress(heart.report)

	toolCtx, cancel := context.WithCancelCause(pegboard.WithSession(context.WithoutCancel(ctx), pool.Session()))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(stopCause(ctx)) })()
	result, err := w.call(toolCtx, tool, c)
	return w.reply(ctx, &r, store, result, err)
}

// versionProblem returns why a call that was made again is not the host's, or "".
func versionProblem(c *pegboard.Call, r *request, err error) string {
	switch {
	case errors.Is(err, pegboard.ErrUnknownTool):
		return fmt.Sprintf("its worker has no tool %s.", r.Tool)
	case err != nil:
		return fmt.Sprintf("the %s of its worker does not accept the input: %v.", r.Tool, err)
	case c.ToolDigest() != r.ToolDigest:
		return fmt.Sprintf("its worker has another version of %s.", r.Tool)
	}
	return ""
}

// refused is an error of a call that did not run and is not attempted again.
func refused(kind failureKind, text string) error {
	return temporal.NewNonRetryableApplicationError(text, string(kind), nil)
}

// call calls the tool, and the funcs of its result: they change the session of the worker, since
// that of the host has values of its own.
func (w *Worker) call(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (result *pegboard.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			crash := &pegboard.PanicError{Value: v, Stack: debug.Stack()}
			w.logger.Error("a tool panicked", "tool", c.ToolName(), "call", c.ID, "panic", crash, "stack", string(crash.Stack))
			err = crash
		}
	}()
	result, err = t.Call(ctx, c)
	if err != nil || result == nil || result.IsError {
		return result, err
	}
	if result.UpdateSession != nil {
		result.UpdateSession(c.Session())
	}
	if result.Shown != nil {
		result.Shown(c.Session(), pegboard.Outcome{Call: c, Result: result})
	}
	return result, nil
}

// reply returns the reply of the tool for the workflow, or an error after which Temporal attempts
// the call again.
func (w *Worker) reply(ctx context.Context, r *request, store pegboard.ResultStore, result *pegboard.Result, err error) (performed, error) {
	attempt := int(activity.GetInfo(ctx).Attempt)
	if again := retryOf(err, attempt, &r.Plan); again != nil && ctx.Err() == nil {
		return performed{}, again
	}
	text, encodeErr := json.Marshal(pegboard.NewCallReply(result, err))
	if encodeErr != nil {
		return performed{}, refused(failedStore, encodeErr.Error())
	}
	// The result counts after a cancellation, too.
	packed, packErr := pack(context.WithoutCancel(ctx), store, "reply-"+r.CallID, text)
	if packErr != nil {
		return performed{}, refused(failedStore, packErr.Error())
	}
	return performed{Attempt: attempt, Reply: packed}, nil
}

// retryOf returns an error for Temporal if the tool's transport has failed and the call may be
// attempted again.
func retryOf(err error, attempt int, p *plan) error {
	if !errors.Is(err, pegboard.ErrTransient) || attempt >= min(p.ToolAttempts, p.Attempts) {
		return nil
	}
	o := temporal.ApplicationErrorOptions{}
	if t := (*pegboard.TransientError)(nil); errors.As(err, &t) {
		if t.After > p.ToolMaxDelay {
			return nil
		}
		o.NextRetryDelay = t.After
	}
	return temporal.NewApplicationErrorWithOptions("the transport failed", string(failedTransport), o)
}

// stopCause returns why the context of an activity has ended: as the host says, or else
// ErrStopped.
func stopCause(ctx context.Context) error {
	info := activity.GetInfo(ctx)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), causeWithin)
	defer cancel()
	var told *pegboard.CallReply
	value, err := activity.GetClient(ctx).QueryWorkflow(within, info.WorkflowExecution.ID, info.WorkflowExecution.RunID, causeQuery)
	if err == nil {
		err = value.Get(&told)
	}
	if err == nil && told != nil {
		if _, cause := told.Returned(); cause != nil {
			return cause
		}
	}
	return fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))
}

// A heart sends a heartbeat each second, with the last report of the call.
type heart struct {
	ctx     context.Context //nolint:containedctx // of the activity
	stopped chan struct{}

	mu   sync.Mutex
	last progress
}

func startHeart(ctx context.Context) *heart {
	h := &heart{ctx: ctx, stopped: make(chan struct{}), last: progress{Attempt: int(activity.GetInfo(ctx).Attempt)}}
	go h.beat()
	return h
}

func (h *heart) beat() {
	ticker := time.NewTicker(heartbeatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-h.stopped:
			return
		case <-ticker.C:
		}
		h.mu.Lock()
		now := h.last
		h.mu.Unlock()
		activity.RecordHeartbeat(h.ctx, now)
	}
}

// report is for [pegboard.Call.OnProgress].
func (h *heart) report(text string, data any) {
	encoded, err := json.Marshal(data)
	if err != nil || data == nil || len(encoded) > maxReport {
		encoded = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last.Count++
	h.last.Text, h.last.Data = strings.ToValidUTF8(text[:min(len(text), maxReport)], ""), encoded
}

func (h *heart) stop() { close(h.stopped) }
