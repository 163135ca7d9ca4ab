package session

import (
	"github.com/seed49eaa51d/pegboard"
)

// A Plan is a plan that was approved.
type Plan struct {
	Text   string           // as it was approved; empty if the model has given none with the call
	Sent   string           // as the model wrote it
	Edited bool             // whether it was changed before it was approved
	By     pegboard.Decider // ByPerson, or ByHook or ByApprover in the user's place; ByDefault and no Edited for a call of Pool.Rebuild
}

// planKey has the last approved plan. A fork begins with that of its parent.
var planKey = pegboard.NewClonedKey("approved plan", func(p Plan) Plan { return p })

// ApprovedPlan returns the plan that was approved last in s, or in a parent before s was forked,
// and whether there is one. It stays until another one is approved. It is not kept when the
// conversation is resumed in another program.
func ApprovedPlan(s *pegboard.Session) (Plan, bool) { return planKey.Get(s) }
