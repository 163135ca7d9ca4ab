package schedule

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

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
		Lines: func(in cronDeleteInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Delete job " + in.ID, While: "Deleting job " + in.ID}
		},
		Permit: func(context.Context, cronDeleteInput, *pegboard.Call) pegboard.Decision { return permitJobs() },
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
