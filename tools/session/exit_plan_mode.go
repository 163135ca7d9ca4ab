package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

type exitInput struct {
	Plan string `json:"plan,omitempty" jsonschema_description:"The whole plan, in Markdown: what will be changed, where, in numbered steps, and how it will be tested"`
}

// JSONSchemaExtend accepts other properties, which are ignored: models and programs that know
// the tool from elsewhere send some, such as allowedPrompts and planFilePath.
func (exitInput) JSONSchemaExtend(s *jsonschema.Schema) { s.AdditionalProperties = nil }

// An ExitPlanOutput is the Result.Data of ExitPlanMode.
type ExitPlanOutput struct {
	Plan          *string `json:"plan"` // as it was approved; nil if the input had no text
	IsAgent       bool    `json:"isAgent"`
	PlanWasEdited bool    `json:"planWasEdited,omitempty"`

	approved Plan
	mode     policy.Mode // that follows
	verify   bool        // the model has VerifyPlanExecution
}

// exitPlanMode returns ExitPlanMode.
func exitPlanMode() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[exitInput, ExitPlanOutput]{
		Info:        pegboard.Info{Name: exitTool, Title: "Plan", Hint: "show the plan for approval and leave plan mode", RequiresUser: true, Polls: true},
		Description: "Shows the user your plan for approval, and leaves plan mode when it is approved.",
		Prompt: func(pegboard.Scope) string {
			return "Shows the user your plan for approval, and leaves plan mode when it is approved. Call it in plan mode only, when the plan is complete, with the whole plan as the input. " +
				"The user may change the plan; then the text that you get back is what counts. If the user refuses it, you are still in plan mode: plan again by the reason given. " +
				"Do not ask in another way whether the plan is good, and do not call it when you have only looked something up."
		},
		Traits: planTraits(),
		Summary: func(exitInput, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Approve the plan", While: "Leaving plan mode"}
		},
		Validate: validateExit,
		Permit: func(context.Context, exitInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "the plan is for the user to approve"}
		},
		ClassifierInput: func(in exitInput, _ *pegboard.Call) string { return "shows the user this plan:\n" + in.Plan },
		Call:            callExit,
		Result: func(out ExitPlanOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, "The plan is approved"
			r.UpdateSession = func(s *pegboard.Session) { leavePlanMode(s, out.approved) }
			return r
		},
	})
}

// validateExit refuses a call outside of plan mode. An input that was replaced since was checked
// before: the answer that replaced it may have changed the mode.
func validateExit(_ context.Context, in exitInput, c *pegboard.Call) error {
	s := c.Session()
	switch other := elsewhere(in, c.Input); {
	case c.Parent() != nil:
		return errors.New("a script cannot change the mode: call " + exitTool + " yourself")
	case other != "":
		return fmt.Errorf("the input has no plan, and a text in %s, which nobody reads; call it again with the whole plan in plan", pegboard.OneLine(other))
	case s == nil, !bytes.Equal(c.Sent(), c.Input):
		return nil
	}
	if mode := s.Permissions().Mode(); mode != policy.ModePlan {
		return fmt.Errorf("%w: its mode is %s. Go on with the task", ErrNotPlanning, mode)
	}
	if len(s.AgentPath()) > 0 && own(s).AfterPlan().Mode() == policy.ModePlan {
		return fmt.Errorf("%w: the agent that started you is in plan mode, and only it can leave it. End with the plan as your answer", ErrNotPlanning)
	}
	return nil
}

// elsewhere returns the other property with a text in an input without a plan, or "": that is
// where the plan may be, and the user would approve nothing.
func elsewhere(in exitInput, input json.RawMessage) string {
	if strings.TrimSpace(in.Plan) != "" {
		return ""
	}
	object, err := jsonobject.Parse(orEmpty(input))
	if err != nil {
		return ""
	}
	for _, m := range object {
		var text string
		if m.Name != "plan" && m.Name != "planFilePath" && json.Unmarshal(m.Value, &text) == nil && strings.TrimSpace(text) != "" {
			return m.Name
		}
	}
	return ""
}

// own returns the permissions of s itself, which in a fork are not all that are in force.
func own(s *pegboard.Session) (p policy.Permissions) {
	unchanged := errors.New("nothing is to be changed")
	_ = s.UpdatePermissions(func(now policy.Permissions) (policy.Permissions, error) {
		p = now
		return now, unchanged
	})
	return p
}

// callExit takes the plan as it was approved. Result.UpdateSession changes the mode.
func callExit(_ context.Context, in exitInput, c *pegboard.Call) (ExitPlanOutput, error) {
	s := c.Session()
	if s == nil {
		return ExitPlanOutput{}, fmt.Errorf("%w: only a call of an executor can leave it", ErrNotPlanning)
	}
	var sent exitInput
	if err := json.Unmarshal(orEmpty(c.Sent()), &sent); err != nil {
		return ExitPlanOutput{}, err
	}
	plan := Plan{Text: in.Plan, Sent: sent.Plan, Edited: in.Plan != sent.Plan, By: c.Decision().By}
	out := ExitPlanOutput{IsAgent: s.AgentID() != "", PlanWasEdited: plan.Edited, approved: plan, mode: own(s).AfterPlan().Mode()}
	if strings.TrimSpace(in.Plan) != "" {
		out.Plan = &in.Plan
	}
	if pool := c.Pool(); pool != nil {
		_, out.verify = pool.Lookup(verifyTool)
	}
	return out, nil
}

// orEmpty returns input, or {} if it is blank.
func orEmpty(input json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(input)) == 0 {
		return json.RawMessage("{}")
	}
	return input
}

// leavePlanMode keeps the plan and ends plan mode. A mode that the answer has chosen is in force
// already, and stays.
func leavePlanMode(s *pegboard.Session, plan Plan) {
	planKey.Set(s, plan)
	err := s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.AfterPlan(), nil })
	if err != nil {
		s.Notify(pegboard.Part{Text: "(The plan is approved, and plan mode could not be left: " + err.Error() + ".)"})
	}
}

// text tells the model of the approval.
func (out *ExitPlanOutput) text() string {
	text := fmt.Sprintf("%s approved the plan. Plan mode has ended; the mode is %s from now on. Carry the plan out.", out.who(), out.mode)
	if out.verify && out.Plan != nil {
		text += " When you think that it is done, call " + verifyTool + " with its steps."
	}
	switch {
	case out.PlanWasEdited && out.Plan == nil:
		text += "\n\nThe text of the plan was removed before it was approved; ask what is to be done instead."
	case out.PlanWasEdited:
		text += "\n\nThe plan was changed before it was approved. This is the plan that counts:\n\n" + *out.Plan
	case out.approved.By == policy.ByDefault && out.Plan != nil: // it may have been edited
		text += "\n\nThis is the plan as it was approved:\n\n" + *out.Plan
	}
	return text
}

// who names the approver of the plan for a sentence. A call that was decided elsewhere does not
// know the approver.
func (out *ExitPlanOutput) who() string {
	switch out.approved.By {
	case policy.ByPerson:
		return "The user has"
	case policy.ByDefault:
		return "The user, or a program in the user's place, has"
	}
	return "A program that answers in the user's place has"
}
