package schedule

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
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
	switch {
	case out.Recurring && !out.NextFireAt.Before(out.now.Add(MaxAge)):
		text += fmt.Sprintf("It comes at %s only, since recurring jobs end after %d days. ", stamp(out.NextFireAt), maxAgeDays)
	case out.Recurring:
		text += fmt.Sprintf("It comes first at %s, and for the last time at its first time after %d days. ", stamp(out.NextFireAt), maxAgeDays)
	}
	text += fmt.Sprintf("It is %s now.", stamp(out.now))
	if !out.Durable {
		text += " It ends with the program."
	}
	return text + " Its prompt comes when you are idle, not while you work."
}

// jobsTraits are those of the tools that change the jobs.
func jobsTraits() pegboard.Traits {
	return pegboard.Traits{Concurrency: pegboard.PerTarget, Own: true, Targets: jobsTarget(policy.Write)}
}

// jobsTarget is the target of the tools for jobs.
func jobsTarget(access policy.Access) []policy.Target {
	return []policy.Target{{Kind: policy.Resource, Access: access, Value: "scheduled jobs"}}
}

// permitJobs allows the tools for jobs.
func permitJobs() policy.Decision {
	return policy.Decision{Behavior: policy.Allow, Reason: "a job belongs to the conversation, and its prompt allows nothing"}
}

// cronCreateTool returns the CronCreate tool.
func (c *Schedule) cronCreateTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[cronCreateInput, Created]{
		Info: pegboard.Info{Name: "CronCreate", Title: "Schedule job", Hint: "later recurring reminder timer repeat every day at a time"},
		Description: "Sets a job: a prompt that comes to you later, once or again and again, at times of a cron expression. " +
			"The expression has five fields in local time, and knows *, values, ranges, steps and lists; no names, no seconds. " +
			c.options.moves() + " A prompt comes when you are idle; what was missed several times comes once. " + fmt.Sprintf("Recurring jobs end after %d days. ", maxAgeDays) +
			"To wait for something once and for less than an hour, use ScheduleWakeup.",
		Traits: jobsTraits(),
		Summary: func(in cronCreateInput, _ *pegboard.Call) pegboard.Summary {
			when := in.Cron
			if e, err := parseExpression(in.Cron); err == nil {
				when = e.human()
			}
			if !in.isRecurring() {
				when = "once, at the next time of: " + when
			}
			return pegboard.Summary{Before: "Schedule a job " + when, While: "Scheduling a job " + when}
		},
		Validate: func(_ context.Context, in cronCreateInput, _ *pegboard.Call) error {
			if _, err := parseExpression(in.Cron); err != nil {
				return err
			}
			return checkPrompt(in.Prompt)
		},
		Permit: func(context.Context, cronCreateInput, *pegboard.Call) policy.Decision { return permitJobs() },
		ClassifierInput: func(in cronCreateInput, _ *pegboard.Call) string {
			if !in.isRecurring() {
				return "schedule a prompt of its own once, for the next time of " + in.Cron + ": " + in.Prompt
			}
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

// cronDeleteInput is the input of CronDelete.
type cronDeleteInput struct {
	ID string `json:"id" jsonschema_description:"The id of the job, from CronCreate or CronList"`
}

// Deleted is the Result.Data of CronDelete.
type Deleted struct {
	ID string `json:"id"`

	humanSchedule string
}

// cronDeleteTool returns the CronDelete tool.
func (c *Schedule) cronDeleteTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[cronDeleteInput, Deleted]{
		Info:        pegboard.Info{Name: "CronDelete", Title: "Delete job", Hint: "stop cancel a scheduled recurring prompt"},
		Description: "Deletes a job that CronCreate has set. It does not come any more.",
		Traits:      jobsTraits(),
		Summary: func(in cronDeleteInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Delete job " + in.ID, While: "Deleting job " + in.ID}
		},
		Permit: func(context.Context, cronDeleteInput, *pegboard.Call) policy.Decision { return permitJobs() },
		Call: func(ctx context.Context, in cronDeleteInput, call *pegboard.Call) (Deleted, error) {
			agent, err := c.ownerOf(call)
			if err != nil {
				return Deleted{}, err
			}
			gone, err := c.delete(ctx, agent, in.ID)
			return Deleted{ID: gone.ID, humanSchedule: gone.HumanSchedule}, err
		},
		Result: func(out Deleted) *pegboard.Result {
			r := pegboard.TextResult("Job " + out.ID + " (" + out.humanSchedule + ") was deleted.")
			r.Data, r.Line = out, "Job "+out.ID
			return r
		},
	})
}

// maxListedPrompt is how many bytes of a prompt CronList shows.
const maxListedPrompt = 200

// Listed is the Result.Data of CronList.
type Listed struct {
	Jobs []Job `json:"jobs"`

	wakeup  *Job
	problem error
}

// text words the list for the model.
func (out Listed) text() string {
	lines := []string{"There are no jobs."}
	if n := len(out.Jobs); n > 0 {
		lines[0] = "There is 1 job:"
		if n > 1 {
			lines[0] = fmt.Sprintf("There are %d jobs:", n)
		}
	}
	for _, j := range out.Jobs {
		how := j.HumanSchedule
		if j.Recurring {
			how += "; recurring, next at " + stamp(j.NextFireAt)
		}
		if j.Durable {
			how += "; durable"
		}
		if j.AgentID != "" {
			how += "; of agent " + j.AgentID
		}
		prompt := pegboard.OneLine(j.Prompt)
		if len(prompt) > maxListedPrompt {
			prompt = strings.ToValidUTF8(prompt[:maxListedPrompt], "") + "…"
		}
		lines = append(lines, fmt.Sprintf("%s  %s  (%s): %s", j.ID, j.Cron, how, prompt))
	}
	if out.wakeup != nil {
		lines = append(lines, fmt.Sprintf("A wake-up is set for %s.", stamp(out.wakeup.NextFireAt)))
	}
	if out.problem != nil {
		lines = append(lines, fmt.Sprintf("(Durable jobs are not shown and cannot be made: %v.)", out.problem))
	}
	return untrusted.Text(strings.Join(lines, "\n"))
}

// cronListTool returns the CronList tool.
func (c *Schedule) cronListTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Listed]{
		Info:        pegboard.Info{Name: "CronList", Title: "List jobs", Hint: "which scheduled prompts there are and when they come"},
		Description: "Lists the jobs that CronCreate has set, with their ids and when they come next.",
		Traits: pegboard.Traits{
			ReadOnly: true, Own: true, Kind: pegboard.KindList, Concurrency: pegboard.Shared, Targets: jobsTarget(policy.Read),
		},
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "List the scheduled jobs", While: "Listing the scheduled jobs"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only shows the jobs of the conversation"}
		},
		Call: func(_ context.Context, _ struct{}, call *pegboard.Call) (Listed, error) {
			agent, err := c.ownerOf(call)
			if err != nil {
				return Listed{}, err
			}
			return c.listed(agent), nil
		},
		Result: func(out Listed) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, fmt.Sprintf("%d jobs", len(out.Jobs))
			return r
		},
	})
}

// listed returns the jobs that an agent may see.
func (c *Schedule) listed(agent string) Listed {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := Listed{problem: c.problem, Jobs: c.list(func(j *job) bool { return !j.IsWakeup() && j.isOf(agent) })}
	for _, j := range c.list(func(j *job) bool { return j.IsWakeup() && j.AgentID == agent }) {
		out.wakeup = &j
	}
	return out
}
