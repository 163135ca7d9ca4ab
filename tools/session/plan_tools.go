package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

const (
	enterTool  = "EnterPlanMode"
	exitTool   = "ExitPlanMode"
	verifyTool = "VerifyPlanExecution"
)

// PlanOptions are the settings of [PlanTools]. The zero value is ready to use.
type PlanOptions struct {
	// Guidance is a text for the model when it enters plan mode, such as the parts that a plan of
	// this project must have. It follows a text on how the mode works. Empty means nothing.
	Guidance string
}

// PlanTools returns EnterPlanMode, ExitPlanMode and VerifyPlanExecution. Their state is
// kept in the session.
//
// EnterPlanMode and ExitPlanMode change the mode when they have ended, by Result.UpdateSession,
// and run alone: a call before them in the message is decided in the mode before, one behind
// them in the mode after. The pool of the next request should be assembled anew.
//
// ExitPlanMode needs the user, see Info.RequiresUser. The answer may edit the plan, by
// Decision.Input, and choose the mode that follows, by Decision.Remember; otherwise it is the mode
// before plan mode, see [pegboard.Permissions.AfterPlan]. A refusal changes nothing, and the model
// reads its reason. If there is no way to ask, the error wraps [pegboard.ErrNoApprover].
//
// They are deferred. A host that lists them in Deferral.AlwaysLoad while [Planning] says so spares
// the model a search.
func PlanTools(o PlanOptions) []pegboard.Tool {
	return []pegboard.Tool{o.enter(), exitPlanMode(), verifyPlanExecution()}
}

// planTraits are those of a call that changes the mode.
func planTraits() pegboard.Traits {
	return pegboard.Traits{
		Kind: pegboard.KindThink, Own: true, Concurrency: pegboard.Exclusive,
		Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessWrite, Value: "plan mode"}},
	}
}

// An EnterPlanOutput is the Result.Data of EnterPlanMode.
type EnterPlanOutput struct {
	Message string `json:"message"`
}

// enter returns EnterPlanMode.
func (o PlanOptions) enter() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, EnterPlanOutput]{
		Info:        pegboard.Info{Name: enterTool, Title: "Plan", Hint: "plan first without changing anything"},
		Description: "Enters plan mode, in which nothing is written.",
		Prompt: func(pegboard.Scope) string {
			return "Enters plan mode, in which nothing is written: look around, ask, and work out a plan that the user approves before you change anything. " +
				"Enter it when the user asks for a plan, or when a task has several ways to do it or many files to change and the choice should be the user's. " +
				"Do not enter it for small changes or for questions that only need reading."
		},
		Traits: planTraits(),
		Lines: func(struct{}, *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Enter plan mode", While: "Entering plan mode"}
		},
		Validate: func(_ context.Context, _ struct{}, c *pegboard.Call) error {
			if c.Parent() != nil {
				return errors.New("a script cannot change the mode: call " + enterTool + " yourself")
			}
			return checkEnter(c.Session())
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "plan mode is stricter than the present mode"}
		},
		ClassifierInput: func(struct{}, *pegboard.Call) string { return "enters plan mode, in which nothing is written" },
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (EnterPlanOutput, error) {
			s := c.Session()
			if s == nil {
				return EnterPlanOutput{}, fmt.Errorf("%w: only a call of an executor can enter it", ErrNoPlanMode)
			}
			return EnterPlanOutput{Message: o.message(c)}, nil
		},
		Result: func(out EnterPlanOutput) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line, r.UpdateSession = out, "Entered plan mode", enterPlanMode
			return r
		},
	})
}

// message says how plan mode works.
func (o PlanOptions) message(c *pegboard.Call) string {
	text := "You are in plan mode from now on: nothing is written, and what does not only read is asked about. " +
		"Look around until you know what has to be done, and ask what only the user can say. "
	then := "Then call " + exitTool + " with the whole plan as the input: what will be changed, where, in which steps, and how it will be tested. " +
		"The user approves it, changes it or refuses it; until then, change nothing."
	if c.Session().Permissions().Mode() == pegboard.ModePlan {
		text, then = "You are in plan mode already. ", "Call "+exitTool+" with the whole plan when you have it."
	}
	if pool := c.Pool(); pool != nil {
		if _, ok := pool.Lookup(exitTool); !ok {
			then = "When you have the whole plan, end with it as your answer: only the user can leave plan mode here."
		}
	}
	text += then
	if guidance := strings.TrimSpace(o.Guidance); guidance != "" {
		text += "\n\n" + guidance
	}
	return text
}

// checkEnter returns an error unless plan mode can be entered in s. A stricter mode stays: plan
// mode lets reads run that it refuses or asks about.
func checkEnter(s *pegboard.Session) error {
	if s == nil {
		return nil
	}
	switch p := s.Permissions(); {
	case pegboard.ModePlan.Laxer(p.Mode()):
		return fmt.Errorf("%w: the mode of this conversation, %s, is stricter. Plan all the same, and write the plan into your answer", ErrNoPlanMode, p.Mode())
	case !p.Offers(pegboard.ModePlan):
		return fmt.Errorf("%w: it is switched off here. Write the plan into your answer, and wait for the user", ErrNoPlanMode)
	}
	return nil
}

// enterPlanMode changes the mode, unless it has become a stricter one meanwhile.
func enterPlanMode(s *pegboard.Session) {
	err := s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		if pegboard.ModePlan.Laxer(p.Mode()) {
			return p, fmt.Errorf("the mode is %s now, which is stricter", p.Mode())
		}
		return p.WithMode(pegboard.ModePlan)
	})
	if err != nil {
		s.Tell(pegboard.Part{Text: "(" + ErrNoPlanMode.Error() + ": " + err.Error() + ".)"})
	}
}
