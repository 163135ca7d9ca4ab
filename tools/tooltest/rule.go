package tooltest

// The rules. Each one has an entry in rulePurposes and an item in the comment of
// Check.
const (
	ruleRegisters = "the tool can be registered"
	ruleInfo      = "Info is fixed"
	ruleDeclared  = "the tool is declared"
	ruleStable    = "the declaration is stable"
	ruleSchema    = "the schema is of an object"
	ruleInputs    = "there is an input"
	ruleAccepts   = "inputs are accepted"
	ruleRefuses   = "mutations are refused"
	rulePure      = "traits are pure"
	ruleCoherent  = "traits agree with each other"
	ruleClear     = "targets are clear"
	ruleKind      = "kinds are true"
	ruleOwn       = "own things are named"
	rulePlaces    = "paths and addresses are targets"
	ruleView      = "a view shows nothing that the result does not"
	ruleLines     = "lines are for a person"
	ruleReturns   = "every stage returns"
	ruleCancel    = "a cancelled call ends"
)

// rulePurposes holds the purpose of each rule.
var rulePurposes = map[string]string{
	ruleRegisters: "a tool that Registry.Add refuses reaches no model",
	ruleInfo:      "the registry copies Info once, so whatever changes later is not seen by rules, hooks and logs",
	ruleDeclared:  "a model can call only what is declared to it, under a name that is found again",
	ruleStable:    "the declaration is part of a cached prompt: the same session gets the same bytes, and no session another schema",
	ruleSchema:    "providers take no other schema than one of an object",
	ruleInputs:    "nearly all of the contract is about calls, and only the tool's author knows a good input",
	ruleAccepts:   "an input that its author calls good must get as far as the call",
	ruleRefuses:   "what the declared schema forbids must not reach the tool, and what is decided must be what runs",
	rulePure:      "permission and order are decided by the traits, so one input must always have the same",
	ruleCoherent:  "a read-only call changes nothing, so none of its targets is written; the zero Access is Write",
	ruleClear:     "rules are compared with the values of targets: a host is a bare host name, a path no URL, a name not empty",
	ruleKind:      "a user interface folds what only looks, and marks what edits",
	ruleOwn:       "in plan mode a call may change what belongs to the conversation, and nothing else",
	rulePlaces:    "a deny rule is compared with targets: a path or an address that is in none passes it",
	ruleView:      "a person and the model must know the same of what came of a call",
	ruleLines:     "a person who decides about a call or follows it reads one line, which says the same each time and hides nothing",
	ruleReturns:   "a panic, runtime.Goexit or a stage that never ends leaves the model without an answer it can use",
	ruleCancel:    "a call that does not heed its context holds up the turn, the session's Close and all that conflicts with it",
}

// The rules of CheckAsker. Each one has an entry in askerPurposes and an item in the
// comment of CheckAsker.
const (
	ruleAskerAnswers = "answers count"
	ruleAskerEnds    = "it returns when its context ends"
	ruleAskerSilence = "an end is no answer"
	ruleAskerOther   = "other questions are not answered"
	ruleAskerKnown   = "decisions are known"
	ruleAskerPanics  = "it does not panic"
)

// askerPurposes holds the purpose of each rule.
var askerPurposes = map[string]string{
	ruleAskerAnswers: "a person has decided about the call, and nothing else may happen to it",
	ruleAskerEnds:    "the next question is not shown before the asker returns, and the session's Close waits for it",
	ruleAskerSilence: "a question that no person has answered is no permission",
	ruleAskerOther:   "a person has seen another call than the one that would run",
	ruleAskerKnown:   "an answer of another behavior counts as no answer",
	ruleAskerPanics:  "an asker that panics leaves the call without an answer, and the person without the question",
}

// The rules of CheckInvoke. Each one has an entry in invokePurposes and an item in the
// comment of CheckInvoke.
const (
	ruleInvokeMade    = "an Invoke is made"
	ruleInvokeBytes   = "exactly the decided bytes arrive"
	ruleInvokeResults = "results come back"
	ruleInvokeErrors  = "errors cross"
	ruleInvokePanics  = "panics cross"
	ruleInvokeCancel  = "cancellation arrives"
	ruleInvokeOnce    = "a call runs once"
	ruleInvokeBeside  = "calls run beside each other"
	ruleInvokeReturns = "every call returns"
)

// invokePurposes holds the purpose of each rule.
var invokePurposes = map[string]string{
	ruleInvokeMade:    "without it no call runs",
	ruleInvokeBytes:   "permission was decided for these bytes, so nothing else may run",
	ruleInvokeResults: "the model must read the result that the tool has returned",
	ruleInvokeErrors:  "the model learns from the text what was wrong, and hooks run as after a failure",
	ruleInvokePanics:  "a host learns from ErrPanic that a tool has a defect",
	ruleInvokeCancel:  "a user who stops a turn expects that its calls stop",
	ruleInvokeOnce:    "a call may write, pay or send, and was decided once",
	ruleInvokeBeside:  "the executor has put them in order already, so a call that waits here may wait for ever",
	ruleInvokeReturns: "a call that never returns holds up the turn",
}

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

// The rules of CheckRanker. Each one has an entry in rankerPurposes and an item in the
// comment of CheckRanker.
const (
	ruleRankerFinds      = "the named is found"
	ruleRankerLimit      = "the limit holds"
	ruleRankerOrder      = "the best come first"
	ruleRankerNames      = "matches are deferred tools"
	ruleRankerAccept     = "accept decides"
	ruleRankerIrrelevant = "the irrelevant is not found"
	ruleRankerSame       = "the same words find the same"
	ruleRankerOdd        = "odd words are words"
	ruleRankerEnds       = "it ends with its context"
)

// rankerPurposes holds the purpose of each rule.
var rankerPurposes = map[string]string{
	ruleRankerFinds:      "a tool that is not found is not called",
	ruleRankerLimit:      "every tool that is found is added to the prompt",
	ruleRankerOrder:      "only the first matches are loaded",
	ruleRankerNames:      "other matches are ignored, and take the places of those that count",
	ruleRankerAccept:     "the model has asked for tools with certain words, or of one server",
	ruleRankerIrrelevant: "a tool that has nothing to do with the words fills the prompt and misleads the model",
	ruleRankerSame:       "a conversation that is replayed must load the same tools",
	ruleRankerOdd:        "a model writes the words",
	ruleRankerEnds:       "a search that goes on holds up the turn",
}

// The rules of CheckStore. Each one has an entry in storePurposes and an item in the
// comment of CheckStore.
const (
	ruleStoreOpens      = "a store opens"
	ruleStoreKeeps      = "results are kept"
	ruleStoreReads      = "streams are read to the end"
	ruleStoreSame       = "the same has the same name"
	ruleStoreApart      = "others are apart"
	ruleStorePartial    = "nothing partial stays"
	ruleStoreUnknown    = "unknown refs do not exist"
	ruleStorePaths      = "refs are no paths"
	ruleStoreConcurrent = "concurrent calls agree"
	ruleStoreChanges    = "stored results never change"
	ruleStoreReturns    = "every method returns"
)

// storePurposes holds the purpose of each rule.
var storePurposes = map[string]string{
	ruleStoreOpens:      "a conversation is resumed with another store over the same place",
	ruleStoreKeeps:      "the model is told that all of the result is there, and reads on by byte offset",
	ruleStoreReads:      "a program whose output is not read to its end blocks in its write",
	ruleStoreSame:       "a repeated or replayed call must give the model the same bytes, or the cached prompt is lost",
	ruleStoreApart:      "forks and later turns may have calls of the same id, and none may read the result of another",
	ruleStorePartial:    "a part of a result would be taken for all of it",
	ruleStoreUnknown:    "the model is told that a result is gone only if the error says so",
	ruleStorePaths:      "a model writes the ref that is opened, and must not read files with it",
	ruleStoreConcurrent: "the calls of a batch, and of all agents, store their results at the same time",
	ruleStoreChanges:    "the model has seen a part of the result under this name, and relies on the rest",
	ruleStoreReturns:    "a panic, runtime.Goexit or a method that never ends loses the result of the call",
}
