package tooltest

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
