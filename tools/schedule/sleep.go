package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// DefaultMaxSleep is how long one call of [Sleep] waits at most.
const DefaultMaxSleep = time.Hour

// SleepOptions are the choices of a host for [Sleep].
type SleepOptions struct {
	// Max is how long one call waits at most; 0 means [DefaultMaxSleep].
	Max time.Duration
}

func (o SleepOptions) longest() time.Duration {
	if o.Max > 0 {
		return o.Max
	}
	return DefaultMaxSleep
}

// A Waker is the reason for which a call of [Sleep] has ended.
type Waker string

// The reasons.
const (
	WokenByTime    Waker = "time"
	WokenByTask    Waker = "task"    // a background task has ended
	WokenByMessage Waker = "message" // something else waits for the model, such as an agent's message
	WokenByUser    Waker = "user"    // the user has sent a message
)

// Slept is the Result.Data of [Sleep].
type Slept struct {
	WokenBy Waker `json:"wokenBy"`
	// Seconds is how long the call has waited.
	Seconds float64 `json:"seconds"`
	// Clamped reports whether the model had asked for a longer time than the host allows.
	Clamped bool `json:"clamped,omitempty"`
	// Tasks are the ids of the background tasks that have ended.
	Tasks []string `json:"tasks,omitempty"`
}

// text words the result for the model.
func (out Slept) text() string {
	after := (time.Duration(out.Seconds * float64(time.Second))).Round(100 * time.Millisecond).String()
	switch out.WokenBy {
	case WokenByTask:
		kind := "Background task "
		if len(out.Tasks) > 1 {
			kind = "Background tasks "
		}
		return "Woken after " + after + ". " + kind + join(out.Tasks) + " ended; the notice follows."
	case WokenByMessage:
		return "Woken after " + after + ": there is a message for you, which follows."
	case WokenByUser:
		return "Woken after " + after + ": the user has sent a message."
	}
	if out.Clamped {
		return fmt.Sprintf("Slept for %s, which is the most for one call. Sleep again if it is not enough.", after)
	}
	return "Slept for " + after + "."
}

// sleepInput is the input of Sleep.
type sleepInput struct {
	Seconds float64 `json:"seconds" jsonschema:"minimum=0" jsonschema_description:"How long to sleep at most"`
	Reason  string  `json:"reason,omitempty" jsonschema_description:"What you wait for, in a few words, for the user"`
}

// errSlept is the cause that ends the sleep, not the call.
var errSlept = errors.New("the time is over")

// Sleep returns the tool that waits: until the time is over, until something waits for the model
// (see [pegboard.Session.Notified]), which the end of a background task and a message are, or until the
// user sends a message. The result says which, and after how long. A call polls nothing and needs
// no permission.
func Sleep(o SleepOptions) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[sleepInput, Slept]{
		Info: pegboard.Info{
			Name: "Sleep", Title: "Sleep", Hint: "wait pause for some time or until something happens",
			Polls: true, Interrupt: pegboard.InterruptCancel,
		},
		Description: "Waits for some seconds. It ends earlier when a background task ends, when a message comes for you, or when the user writes, so a long time costs nothing. " +
			"Use it in the place of a sleep command in a shell, when you have nothing else to do and wait for something.",
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "time"}},
		},
		Summary: func(in sleepInput, _ *pegboard.Call) pegboard.Summary {
			long := in.length(o).Round(time.Second).String()
			if reason := pegboard.OneLine(in.Reason); reason != "" {
				long += ": " + reason
			}
			return pegboard.Summary{Before: "Sleep for " + long, While: "Sleeping for " + long}
		},
		Permit: func(context.Context, sleepInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only waits"}
		},
		Call: func(ctx context.Context, in sleepInput, c *pegboard.Call) (Slept, error) {
			s := c.Session()
			if s == nil {
				return Slept{}, errors.New("the wait is done by calls of an executor only")
			}
			return in.sleep(ctx, o, s)
		},
		Result: func(out Slept) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, out.text()
			return r
		},
	})
}

// length returns how long a call waits at most.
func (in sleepInput) length(o SleepOptions) time.Duration {
	if in.Seconds >= o.longest().Seconds() {
		return o.longest()
	}
	return time.Duration(in.Seconds * float64(time.Second))
}

// sleep waits.
func (in sleepInput) sleep(ctx context.Context, o SleepOptions, s *pegboard.Session) (Slept, error) {
	tasks := background.Of(s) // before Notified, which it announces the ends of tasks to
	began := time.Now()
	waiting, cancel := context.WithTimeoutCause(ctx, in.length(o), errSlept)
	defer cancel()
	out := Slept{WokenBy: WokenByTime, Clamped: in.Seconds > o.longest().Seconds()}
	select {
	case <-s.Notified():
		out.WokenBy = WokenByMessage
	case <-waiting.Done():
	}
	out.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, pegboard.ErrNewMessage) {
			return Slept{}, cause
		}
		out.WokenBy = WokenByUser
		return out, nil
	}
	for _, task := range tasks.Unreported(s) {
		out.WokenBy = WokenByTask
		out.Tasks = append(out.Tasks, task.ID)
	}
	return out, nil
}
