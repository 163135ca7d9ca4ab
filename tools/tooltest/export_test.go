package tooltest

// Mutation is a mutation for the tests of mutate.
type Mutation struct{ What, Input string }

// Mutate returns all mutations of an input.
func Mutate(schema, input string) []Mutation {
	var all []Mutation
	for _, m := range mutate([]byte(schema), input) {
		all = append(all, Mutation{m.defect, m.input})
	}
	return all
}

// The rules of Check.
const (
	RuleRegisters = ruleRegisters
	RuleInfo      = ruleInfo
	RuleDeclared  = ruleDeclared
	RuleStable    = ruleStable
	RuleSchema    = ruleSchema
	RuleInputs    = ruleInputs
	RuleAccepts   = ruleAccepts
	RuleRefuses   = ruleRefuses
	RulePure      = rulePure
	RuleCoherent  = ruleCoherent
	RuleClear     = ruleClear
	RuleLines     = ruleLines
	RuleReturns   = ruleReturns
	RuleCancel    = ruleCancel
)

// Rules returns all rules with what they are for.
func Rules() map[string]string { return rulePurposes }
