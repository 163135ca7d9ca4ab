package schedule

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

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
		how := "once"
		if j.Recurring {
			how = "recurring"
		}
		if j.Durable {
			how += ", durable"
		}
		if j.AgentID != "" {
			how += ", of agent " + j.AgentID
		}
		prompt := pegboard.OneLine(j.Prompt)
		if len(prompt) > maxListedPrompt {
			prompt = strings.ToValidUTF8(prompt[:maxListedPrompt], "") + "…"
		}
		lines = append(lines, fmt.Sprintf("%s  %s  (%s; %s; next at %s): %s", j.ID, j.Cron, j.HumanSchedule, how, stamp(j.NextFireAt), prompt))
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
			ReadOnly: true, Own: true, Kind: pegboard.KindList, Concurrency: pegboard.Shared, Targets: jobsTarget(pegboard.AccessRead),
		},
		Lines: func(struct{}, *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "List the scheduled jobs", While: "Listing the scheduled jobs"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "it only shows the jobs of the conversation"}
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
