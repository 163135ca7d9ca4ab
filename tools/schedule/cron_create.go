package schedule

import (
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// cronCreateInput is the input of CronCreate.
type cronCreateInput struct {
	Cron      string `json:"cron" jsonschema_description:"When the job comes, in local time: minute hour day-of-month month day-of-week, as in \"30 9 * * 1-5\" for 9:30 on weekdays"`
	Prompt    string `json:"prompt" jsonschema_description:"What you are to do when the job comes; you read it then, with this conversation"`
	Recurring *bool  `json:"recurring,omitempty" jsonschema_description:"true (the default): the job comes each time. false: once, at the next time"`
	Durable   bool   `json:"durable,omitempty" jsonschema_description:"true: the job survives the end of the program. false (the default): it does not"`
}

// isRecurring reports whether the job comes more than once.
func (in *cronCreateInput) isRecurring() bool { return in.Recurring == nil || *in.Recurring }

// Created is the Result.Data of CronCreate.
type Created struct {
	ID            string    `json:"id"`
	HumanSchedule string    `json:"humanSchedule"`
	Recurring     bool      `json:"recurring"`
	Durable       bool      `json:"durable,omitempty"`
	NextFireAt    time.Time `json:"nextFireAt,omitzero"`

	now time.Time
}

// text words the result for the model.
func (out Created) text() string {
	text := fmt.Sprintf("Job %s is set: %s. ", out.ID, out.HumanSchedule)
	if out.Recurring {
		text += fmt.Sprintf("It comes first at %s, and for the last time in %d days.", stamp(out.NextFireAt), int(MaxAge.Hours()/24))
	} else {
		text += fmt.Sprintf("It comes once, at %s.", stamp(out.NextFireAt))
	}
	text += fmt.Sprintf(" It is %s now.", stamp(out.now))
	if !out.Durable {
		text += " It ends with the program."
	}
	return text + " Its prompt comes when you are idle, not while you work."
}

// jobsTraits are those of the tools that change the jobs.
func jobsTraits() pegboard.Traits {
	return pegboard.Traits{Kind: pegboard.KindThink, Concurrency: pegboard.PerTarget, Own: true, Targets: jobsTarget(pegboard.AccessWrite)}
}

// jobsTarget is the target of the tools for jobs.
func jobsTarget(access pegboard.Access) []pegboard.Target {
	return []pegboard.Target{{Kind: pegboard.TargetResource, Access: access, Value: "scheduled jobs"}}
}

// permitJobs allows the tools for jobs.
func permitJobs() pegboard.Decision {
	return pegboard.Decision{Behavior: pegboard.Allow, Reason: "a job belongs to the conversation, and its prompt allows nothing"}
}

// cronCreateTool returns the CronCreate tool.
func (c *Schedule) cronCreateTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[cronCreateInput, Created]{
		Info: pegboard.Info{Name: "CronCreate", Title: "Schedule job", Hint: "later recurring reminder timer repeat every day at a time"},
		Description: "Sets a job: a prompt that comes to you later, once or again and again, at times of a cron expression. " +
			"The expression has five fields in local time, and knows *, values, ranges, steps and lists; no names, no seconds. " +
			"A recurring job comes a little later than its time, by up to 30 minutes, so that not everything happens at once; one that comes once, at minute 0 or 30, up to 90 seconds earlier. If the exact time does not matter, choose another minute than 0 and 30. " +
			"A prompt comes when you are idle; what was missed several times comes once. Recurring jobs end after 7 days. " +
			"To wait for something once and for less than an hour, use ScheduleWakeup.",
		Traits: jobsTraits(),
		Lines: func(in cronCreateInput, _ *pegboard.Call) pegboard.Lines {
			when := in.Cron
			if e, err := parseExpression(in.Cron); err == nil {
				when = e.human()
			}
			return pegboard.Lines{Before: "Schedule a job " + when, While: "Scheduling a job " + when}
		},
		Validate: func(_ context.Context, in cronCreateInput, _ *pegboard.Call) error {
			if _, err := parseExpression(in.Cron); err != nil {
				return err
			}
			return checkPrompt(in.Prompt)
		},
		Permit: func(context.Context, cronCreateInput, *pegboard.Call) pegboard.Decision { return permitJobs() },
		ClassifierInput: func(in cronCreateInput, _ *pegboard.Call) string {
			return "schedule a prompt of its own for " + in.Cron + ": " + in.Prompt
		},
		Call: c.create,
		Result: func(out Created) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, "Job "+out.ID+", "+out.HumanSchedule
			return r
		},
	})
}

// create makes a job for CronCreate.
func (c *Schedule) create(ctx context.Context, in cronCreateInput, call *pegboard.Call) (Created, error) {
	agent, err := c.ownerOf(call)
	if err != nil {
		return Created{}, err
	}
	if in.Durable && agent != "" {
		return Created{}, fmt.Errorf("the jobs of an agent end with it, so they cannot be durable; leave durable out")
	}
	expr, err := parseExpression(in.Cron)
	if err != nil {
		return Created{}, err
	}
	now := c.options.now()
	j, err := newJob(expr, in.Prompt, in.isRecurring(), in.Durable, now, &c.options)
	if err != nil {
		return Created{}, err
	}
	j.AgentID = agent
	made, err := c.add(ctx, j)
	if err != nil {
		return Created{}, err
	}
	loc := c.options.location()
	return Created{
		ID: made.ID, HumanSchedule: made.HumanSchedule, Recurring: made.Recurring, Durable: made.Durable, NextFireAt: made.NextFireAt.In(loc), now: now.In(loc),
	}, nil
}
