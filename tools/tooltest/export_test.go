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
	RuleKind      = ruleKind
	RuleOwn       = ruleOwn
	RulePlaces    = rulePlaces
	RuleView      = ruleView
	RuleLines     = ruleLines
	RuleReturns   = ruleReturns
	RuleCancel    = ruleCancel
)

// Rules returns all rules with what they are for.
func Rules() map[string]string { return rulePurposes }

// The rules of CheckStore.
const (
	RuleStoreOpens      = ruleStoreOpens
	RuleStoreKeeps      = ruleStoreKeeps
	RuleStoreReads      = ruleStoreReads
	RuleStoreSame       = ruleStoreSame
	RuleStoreApart      = ruleStoreApart
	RuleStorePartial    = ruleStorePartial
	RuleStoreUnknown    = ruleStoreUnknown
	RuleStorePaths      = ruleStorePaths
	RuleStoreConcurrent = ruleStoreConcurrent
	RuleStoreChanges    = ruleStoreChanges
	RuleStoreReturns    = ruleStoreReturns
)

// StoreRules returns the rules of CheckStore with their purposes.
func StoreRules() map[string]string { return storePurposes }

// The rules of CheckInvoke.
const (
	RuleInvokeMade    = ruleInvokeMade
	RuleInvokeBytes   = ruleInvokeBytes
	RuleInvokeResults = ruleInvokeResults
	RuleInvokeErrors  = ruleInvokeErrors
	RuleInvokePanics  = ruleInvokePanics
	RuleInvokeCancel  = ruleInvokeCancel
	RuleInvokeOnce    = ruleInvokeOnce
	RuleInvokeBeside  = ruleInvokeBeside
	RuleInvokeReturns = ruleInvokeReturns
)

// InvokeRules returns the rules of CheckInvoke with their purposes.
func InvokeRules() map[string]string { return invokePurposes }

// The rules of CheckAsker.
const (
	RuleAskerAnswers = ruleAskerAnswers
	RuleAskerEnds    = ruleAskerEnds
	RuleAskerSilence = ruleAskerSilence
	RuleAskerOther   = ruleAskerOther
	RuleAskerKnown   = ruleAskerKnown
	RuleAskerPanics  = ruleAskerPanics
)

// AskerRules returns the rules of CheckAsker with their purposes.
func AskerRules() map[string]string { return askerPurposes }

// The rules of CheckRanker.
const (
	RuleRankerFinds      = ruleRankerFinds
	RuleRankerLimit      = ruleRankerLimit
	RuleRankerOrder      = ruleRankerOrder
	RuleRankerNames      = ruleRankerNames
	RuleRankerAccept     = ruleRankerAccept
	RuleRankerIrrelevant = ruleRankerIrrelevant
	RuleRankerSame       = ruleRankerSame
	RuleRankerOdd        = ruleRankerOdd
	RuleRankerEnds       = ruleRankerEnds
)

// RankerRules returns the rules of CheckRanker with their purposes.
func RankerRules() map[string]string { return rankerPurposes }

// The rules of CheckLoop.
const (
	RuleLoopAnswers = ruleLoopAnswers
	RuleLoopNext    = ruleLoopNext
	RuleLoopHistory = ruleLoopHistory
	RuleLoopStopped = ruleLoopStopped
	RuleLoopLimits  = ruleLoopLimits
	RuleLoopTurn    = ruleLoopTurn
	RuleLoopCosts   = ruleLoopCosts
	RuleLoopText    = ruleLoopText
	RuleLoopReturns = ruleLoopReturns
)

// LoopRules returns the rules of CheckLoop with their purposes.
func LoopRules() map[string]string { return loopPurposes }

// The rules of CheckView.
const (
	RuleViewSearch = ruleViewSearch
	RuleViewLine   = ruleViewLine
	RuleViewDiffs  = ruleViewDiffs
)

// ViewRules returns the rules of CheckView with their purposes.
func ViewRules() map[string]string { return viewPurposes }

// The rules of CheckRules.
const (
	RuleRulesRows    = ruleRulesRows
	RuleRulesCalls   = ruleRulesCalls
	RuleRulesDecided = ruleRulesDecided
	RuleRulesTools   = ruleRulesTools
)

// RulesRules returns the rules of CheckRules with their purposes.
func RulesRules() map[string]string { return rulesPurposes }
