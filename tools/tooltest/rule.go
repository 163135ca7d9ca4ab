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
