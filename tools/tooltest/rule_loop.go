package tooltest

// The rules of CheckLoop. Each one has an entry in loopPurposes and an item in the comment of
// CheckLoop.
const (
	ruleLoopAnswers = "every call is answered once"
	ruleLoopNext    = "next comes before each request"
	ruleLoopHistory = "history stays byte for byte"
	ruleLoopStopped = "it ends when it is stopped"
	ruleLoopLimits  = "it ends on limits"
	ruleLoopTurn    = "it ends on StopTurn"
	ruleLoopCosts   = "costs are told once"
	ruleLoopText    = "the last text is the reply"
	ruleLoopReturns = "every run returns"
)

// loopPurposes holds the purpose of each rule.
var loopPurposes = map[string]string{
	ruleLoopAnswers: "providers refuse a request in which a call has no result, or two",
	ruleLoopNext:    "messages, notices and limits reach the agent only by Next",
	ruleLoopHistory: "a prompt that changes loses the provider's cache, and an agent that goes on must know what it has said",
	ruleLoopStopped: "a loop that goes on is abandoned, and its calls with it",
	ruleLoopLimits:  "an agent that never stops spends without an end",
	ruleLoopTurn:    "the user has ended the turn, and expects that no model is asked",
	ruleLoopCosts:   "the budget of a conversation is counted by what its loops tell",
	ruleLoopText:    "the caller sees nothing else of the agent's work",
	ruleLoopReturns: "the caller waits for the loop, or is told that the agent has failed",
}
