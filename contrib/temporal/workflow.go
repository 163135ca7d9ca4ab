package temporal

import (
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/seed49eaa51d/pegboard"
)

// callWorkflow runs one call as one activity. It fails only where Temporal itself does; a failure
// of the call is in the answer.
func callWorkflow(ctx workflow.Context, r request) (answer, error) {
	a := answer{Version: wireVersion, Digest: r.Digest}
	if err := checkVersion(r.Version); err != nil {
		a.Failure, a.Text = failedVersion, err.Error()+"."
		return a, nil
	}
	var cause *pegboard.CallReply // why the call was stopped; nil while it is not
	if err := workflow.SetQueryHandler(ctx, causeQuery, func() (*pegboard.CallReply, error) { return cause, nil }); err != nil {
		return a, err
	}
	running, cancel := workflow.WithCancel(workflow.WithActivityOptions(ctx, r.Plan.activityOptions()))
	activity := workflow.ExecuteActivity(running, activityName, r)
	selector := workflow.NewSelector(ctx)
	ended := false
	selector.AddFuture(activity, func(workflow.Future) { ended = true })
	selector.AddReceive(workflow.GetSignalChannel(ctx, stopSignal), func(ch workflow.ReceiveChannel, _ bool) {
		var why pegboard.CallReply
		ch.Receive(ctx, &why)
		if cause == nil { // the first one counts
			cause = &why
			cancel()
		}
	})
	for !ended {
		selector.Select(ctx)
	}
	var p performed
	err := activity.Get(running, &p)
	if err == nil {
		a.Attempts, a.Reply = p.Attempt, p.Reply
		return a, nil
	}
	a.Failure, a.Text = failureOf(err)
	return a, nil
}

func (p *plan) activityOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		ScheduleToStartTimeout: p.StartWithin, StartToCloseTimeout: p.RunWithin, HeartbeatTimeout: p.Heartbeat,
		WaitForCancellation: true, // its result counts
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: p.Delay, BackoffCoefficient: 2, MaximumInterval: p.MaxDelay,
			MaximumAttempts: int32(p.Attempts), //nolint:gosec // of the host's options
		},
	}
}

// failureOf returns why an activity has no reply.
func failureOf(err error) (failureKind, string) {
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) {
		return failureKind(failed.Type()), failed.Message()
	}
	var late *temporal.TimeoutError
	if errors.As(err, &late) {
		switch late.TimeoutType() {
		case enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
			return failedNoWorker, ""
		case enumspb.TIMEOUT_TYPE_START_TO_CLOSE, enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE:
			return failedLost, "it did not end in time"
		}
		return failedLost, "no sign of life"
	}
	var cancelled *temporal.CanceledError
	if errors.As(err, &cancelled) {
		return failedStopped, ""
	}
	return failedLost, err.Error()
}
