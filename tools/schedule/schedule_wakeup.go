package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// How far ahead a wake-up may be, in seconds. Other delays are changed to the nearer one.
const (
	minDelay = 60
	maxDelay = 3600
)

// wakeupInput is the input of ScheduleWakeup.
type wakeupInput struct {
	Delay  *float64 `json:"delaySeconds,omitempty" jsonschema_description:"In how many seconds, from 60 to 3600; other values are changed to the nearer of the two"`
	Reason string   `json:"reason,omitempty" jsonschema_description:"What you wait for, in a few words, for the user"`
	Prompt string   `json:"prompt,omitempty" jsonschema_description:"What you are to do then; left out, you go on with what you were waiting for"`
	Stop   bool     `json:"stop,omitempty" jsonschema_description:"true: set none, and cancel the one that is set"`
	Noop   bool     `json:"noop,omitempty" jsonschema_description:"true: you were woken and found nothing new, so that this turn need not be shown to the user"`
}

// Wakeup is the Result.Data of ScheduleWakeup.
type Wakeup struct {
	ScheduledFor        time.Time `json:"scheduledFor,omitzero"`
	ClampedDelaySeconds int       `json:"clampedDelaySeconds"`
	WasClamped          bool      `json:"wasClamped"`
	Stopped             bool      `json:"stopped,omitempty"`
	CancelledWakeups    int       `json:"cancelledWakeups,omitempty"`
	// Noop is the noop of the input, for a user interface.
	Noop bool `json:"noop,omitempty"`
}

// text words the result for the model.
func (out Wakeup) text() string {
	if out.Stopped {
		if out.CancelledWakeups == 0 {
			return "No wake-up was set."
		}
		return "The wake-up was cancelled."
	}
	text := fmt.Sprintf("You are woken at %s, in %d seconds, or when you are idle after that.", stamp(out.ScheduledFor), out.ClampedDelaySeconds)
	if out.WasClamped {
		text += fmt.Sprintf(" The delay was changed, since it must be from %d to %d.", minDelay, maxDelay)
	}
	if out.CancelledWakeups > 0 {
		text += " It takes the place of the wake-up that was set."
	}
	return text + " End your turn now."
}

// wakeupTool returns the ScheduleWakeup tool.
func (c *Schedule) wakeupTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[wakeupInput, Wakeup]{
		Info: pegboard.Info{Name: "ScheduleWakeup", Title: "Schedule wake-up", Hint: "come back later and look again after a delay"},
		Description: "Wakes you after a delay of 1 to 60 minutes, once. Use it to look again at something that does not tell you when it is done; you are told of the end of background tasks and of messages without it. " +
			"End your turn after it. You have one wake-up at a time: a second call replaces it, and stop cancels it. For fixed times, or for more than once, use CronCreate.",
		Traits: jobsTraits(),
		Lines: func(in wakeupInput, _ *pegboard.Call) pegboard.Lines {
			if in.Stop {
				return pegboard.Lines{Before: "Cancel the wake-up", While: "Cancelling the wake-up"}
			}
			return pegboard.Lines{Before: "Schedule a wake-up", While: "Scheduling a wake-up"}
		},
		Validate: func(_ context.Context, in wakeupInput, _ *pegboard.Call) error {
			if in.Delay == nil && !in.Stop {
				return errors.New("delaySeconds is missing: say in how many seconds you are to be woken, or stop to cancel")
			}
			return checkPrompt(cmp.Or(in.Prompt, "none"))
		},
		Permit: func(context.Context, wakeupInput, *pegboard.Call) pegboard.Decision { return permitJobs() },
		ClassifierInput: func(in wakeupInput, _ *pegboard.Call) string {
			return "wake itself later with a prompt of its own: " + in.Prompt
		},
		Call: c.wake,
		Result: func(out Wakeup) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, out.text()
			return r
		},
	})
}

// wake sets or cancels a wake-up for ScheduleWakeup.
func (c *Schedule) wake(_ context.Context, in wakeupInput, call *pegboard.Call) (Wakeup, error) {
	agent, err := c.ownerOf(call)
	if err != nil {
		return Wakeup{}, err
	}
	if in.Stop {
		return Wakeup{Stopped: true, CancelledWakeups: c.setWakeup(agent, nil), Noop: in.Noop}, nil
	}
	seconds := int(math.Ceil(min(max(*in.Delay, minDelay), maxDelay)))
	now := c.options.now()
	j := &job{due: now.Add(time.Duration(seconds) * time.Second), last: now, Job: Job{Prompt: in.Prompt, Reason: in.Reason, AgentID: agent, CreatedAt: now}}
	return Wakeup{
		ScheduledFor: j.due.In(c.options.location()), ClampedDelaySeconds: seconds, WasClamped: *in.Delay < minDelay || *in.Delay > maxDelay,
		CancelledWakeups: c.setWakeup(agent, j), Noop: in.Noop,
	}, nil
}
