package tooltest

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// CheckRules holds the permission rules of a host against rows that say how calls should be
// decided. The rules and the mode are those of the session of p, and the tools of p say what
// the calls act on; nothing runs, and no one is asked. The error joins one *[ContractError] for
// each violation; nil means that CheckRules has found none. [ParseRuleRows] reads rows from a
// file, or from the log of package audit.
//
// CheckRules checks these rules:
//
//  1. There are rows: at least one is about the mode of the session.
//  2. Rows are about calls: the tool is in the pool, its input is accepted, and the wanted
//     behavior is Allow, Ask or Deny.
//  3. Calls are decided as wanted: as by [pegboard.Pool.Decide]. Got has the steps of the
//     decision, as [pegboard.Pool.ExplainDecision] returns them.
//  4. Rules are about tools of the pool: [pegboard.Pool.RuleProblems] returns nothing.
func CheckRules(p *pegboard.Pool, rows ...RuleRow) error {
	v := verdict{purposes: rulesPurposes}
	mode := p.Session().Permissions().Mode()
	tried := 0
	for _, row := range rows {
		if row.Mode == "" || row.Mode == mode {
			tried++
			checkRow(&v, p, row)
		}
	}
	if tried == 0 {
		v.addViolation(ruleRulesRows, "", "none of %d rows is about the mode %s", len(rows), mode)
	}
	for _, problem := range p.RuleProblems() {
		v.addViolation(ruleRulesTools, "", "%v", problem)
	}
	return v.err()
}

// The rules of CheckRules.
const (
	ruleRulesRows    = "there are rows"
	ruleRulesCalls   = "rows are about calls"
	ruleRulesDecided = "calls are decided as wanted"
	ruleRulesTools   = "rules are about tools of the pool"
)

// rulesPurposes holds the purpose of each rule of CheckRules.
var rulesPurposes = map[string]string{
	ruleRulesRows:    "rules that were compared with nothing were not checked",
	ruleRulesCalls:   "a call that no tool accepts is denied whatever the rules are",
	ruleRulesDecided: "a rule that covers less or more than its author means is found by an example",
	ruleRulesTools:   "a rule with a misspelt name has no effect",
}

// checkRow compares the decision of one row.
func checkRow(v *verdict, p *pegboard.Pool, row RuleRow) {
	c := pegboard.Call{ID: "row", Name: row.Tool, Input: row.Input}
	input := fmt.Sprintf("%s %s", row.Tool, row.Input)
	if _, _, err := p.Rebuild(c); err != nil {
		v.addViolation(ruleRulesCalls, input, "%s%v", row.at(), err)
		return
	}
	if row.Want != pegboard.Allow && row.Want != pegboard.Ask && row.Want != pegboard.Deny {
		v.addViolation(ruleRulesCalls, input, "%sthe wanted behavior is %v", row.at(), row.Want)
		return
	}
	if x := p.ExplainDecision(context.Background(), c); x.Decision.Behavior != row.Want {
		v.addViolation(ruleRulesDecided, input, "%s%v is wanted, and the decision is %v:\n%v", row.at(), row.Want, x.Decision.Behavior, x)
	}
}
