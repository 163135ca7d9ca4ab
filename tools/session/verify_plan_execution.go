package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type verifyInput struct {
	Steps []PlanClaim `json:"steps" jsonschema:"minItems=1,maxItems=200" jsonschema_description:"The steps of the plan, each as the plan words it"`
}

// A PlanClaim is the model's claim about a step of the plan.
type PlanClaim struct {
	Step     string `json:"step" jsonschema:"minLength=1" jsonschema_description:"The step as the plan words it, or its number"`
	Done     bool   `json:"done" jsonschema_description:"Whether it is done"`
	Evidence string `json:"evidence,omitempty" jsonschema_description:"What shows it: a test that passed, a file, a line of output"`
}

// A VerifyPlanOutput is the Result.Data of VerifyPlanExecution. The texts of steps are those of
// the plan, except in Unknown.
type VerifyPlanOutput struct {
	Steps       []string `json:"steps"`                 // of the plan
	Unmentioned []string `json:"unmentioned,omitempty"` // that no claim names
	Open        []string `json:"open,omitempty"`        // that a claim says are not done
	Bare        []string `json:"bare,omitempty"`        // that are said to be done, without evidence
	Unknown     []string `json:"unknown,omitempty"`     // claims that name no step of the plan
}

// verifyPlanExecution returns VerifyPlanExecution, which compares and judges nothing: whether the
// evidence is good is not looked at.
func verifyPlanExecution() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[verifyInput, VerifyPlanOutput]{
		Info:        pegboard.Info{Name: verifyTool, Title: "Check the plan", Hint: "compare what was done with the approved plan", Polls: true},
		Description: "Holds what you have done against the plan that was approved, and names the steps that you have left out.",
		Prompt: func(pegboard.Scope) string {
			return "Holds what you have done against the plan that was approved. Call it when you think that the plan is carried out, with every step of the plan, whether it is done and what shows it. " +
				"You get back the steps that you have not named, those that are open, and those without evidence. It judges nothing: only say what you have checked."
		},
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared, Own: true,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "approved plan"}},
		},
		Summary: func(in verifyInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Check " + countOf(len(in.Steps)) + " against the plan", While: "Checking the plan"}
		},
		Permit: func(context.Context, verifyInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only compares with the plan of the conversation"}
		},
		ClassifierInput: func(verifyInput, *pegboard.Call) string { return "compares what was done with the plan" },
		Call: func(_ context.Context, in verifyInput, c *pegboard.Call) (VerifyPlanOutput, error) {
			plan, ok := ApprovedPlan(c.Session())
			if !ok {
				return VerifyPlanOutput{}, ErrNoPlan
			}
			switch steps := stepsOf(plan.Text); {
			case len(steps) == 0:
				return VerifyPlanOutput{}, errors.New("the plan was approved without a text, so there are no steps to compare with")
			case len(steps) > maxSteps:
				return VerifyPlanOutput{}, fmt.Errorf("the plan has %d steps, and at most %d can be compared; go through it yourself", len(steps), maxSteps)
			default:
				return verify(steps, in.Steps), nil
			}
		},
		Result: func(out VerifyPlanOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, fmt.Sprintf("%d of %d steps named", len(out.Steps)-len(out.Unmentioned), len(out.Steps))
			return r
		},
	})
}

// maxSteps is how many steps a plan may have to be compared. Our choice.
const maxSteps = 1000

// named is how much of the words of a step a claim must share to name it.
const named = 0.6

// verify compares claims with the steps of a plan. A claim names the step that it shares most
// with, the first of several.
func verify(steps []planStep, claims []PlanClaim) (out VerifyPlanOutput) {
	said := make([]*PlanClaim, len(steps))
	for i := range steps {
		steps[i].words = words(steps[i].name)
	}
	for i := range claims {
		claim := &claims[i]
		number, text := numberOf(claim.Step)
		claimed := words(text)
		at, best := -1, 0.0
		for k := range steps {
			if score := steps[k].claimed(number, claimed); score >= named && score > best {
				at, best = k, score
			}
		}
		if at < 0 {
			out.Unknown = append(out.Unknown, claim.Step)
		} else if said[at] == nil || said[at].Done && !claim.Done { // of two claims the worse one counts
			said[at] = claim
		}
	}
	for i, step := range steps {
		out.Steps = append(out.Steps, step.name)
		switch claim := said[i]; {
		case claim == nil:
			out.Unmentioned = append(out.Unmentioned, step.name)
		case !claim.Done:
			out.Open = append(out.Open, step.name)
		case strings.TrimSpace(claim.Evidence) == "":
			out.Bare = append(out.Bare, step.name)
		}
	}
	return out
}

// countOf returns a number of steps in words.
func countOf(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// text words the comparison for the model.
func (out *VerifyPlanOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The approved plan has %s.", countOf(len(out.Steps)))
	list := func(head string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(&b, "\n%s\n- %s", head, strings.Join(names, "\n- "))
		}
	}
	list("You have not mentioned:", out.Unmentioned)
	list("You say that these are not done:", out.Open)
	list("You say that these are done, and give no evidence:", out.Bare)
	list("These are no steps of the plan:", out.Unknown)
	if len(out.Unmentioned)+len(out.Open)+len(out.Bare)+len(out.Unknown) == 0 {
		b.WriteString(" You have named each of them as done, with evidence, which was not checked here.")
	}
	return b.String()
}
