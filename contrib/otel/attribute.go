package otel

// Convention is the version of OpenTelemetry's semantic conventions whose names of
// attributes are used. They are constants of this package, since later versions of the Go
// packages leave out those for generative AI, which have moved to a repository of their own.
const Convention = "1.41.0"

// Names of the conventions for generative AI, and of the general ones.
const (
	attrOperation      = "gen_ai.operation.name"
	attrToolName       = "gen_ai.tool.name"
	attrToolCallID     = "gen_ai.tool.call.id"
	attrToolType       = "gen_ai.tool.type"
	attrArguments      = "gen_ai.tool.call.arguments"
	attrResult         = "gen_ai.tool.call.result"
	attrConversationID = "gen_ai.conversation.id"
	attrAgentID        = "gen_ai.agent.id"
	attrAgentName      = "gen_ai.agent.name"
	attrModel          = "gen_ai.request.model"
	attrErrorType      = "error.type"

	operationExecuteTool = "execute_tool"
	toolTypeFunction     = "function"
	errorTypeOther       = "_OTHER"
	unknownTool          = "unknown"
)

// Names of this package.
const (
	attrBatch       = "pegboard.batch.trace_id" // as in the events, a log and an audit log
	attrToolSource  = "pegboard.tool.source"    // of an external tool
	attrAlias       = "pegboard.tool.alias"     // by which the model called it
	attrKind        = "pegboard.call.kind"      // search, read, list, edit, run, …
	attrTargets     = "pegboard.call.targets"   // classes, or values with Contents
	attrRepaired    = "pegboard.call.repaired"  // the input was repaired
	attrAttempts    = "pegboard.call.attempts"  // if more than one
	attrDetached    = "pegboard.call.detached"  // it was answered while its tool still ran
	attrSameAs      = "pegboard.call.same_as"   // id of the call whose outcome it has
	attrStage       = "pegboard.call.stage"     // in which it failed
	attrBehavior    = "pegboard.decision.behavior"
	attrDecider     = "pegboard.decision.by"
	attrRule        = "pegboard.decision.rule"
	attrRuleSource  = "pegboard.decision.rule_source"
	attrReason      = "pegboard.decision.reason" // with Contents
	attrWaitsFor    = "pegboard.call.waits_for"  // id of the call that holds it back
	attrText        = "pegboard.event.text"      // with Contents
	attrDuration    = "pegboard.duration"        // seconds
	attrLink        = "pegboard.link"
	linkStartedBy   = "started_by"
	spanBatch       = "tool_calls"
	eventQuestion   = "question"
	eventDecision   = "decision"
	eventWaiting    = "waiting"
	eventStarted    = "started"
	eventRetried    = "retried"
	eventRepaired   = "repaired"
	eventDetached   = "detached"
	eventAwaited    = "awaited"
	eventReleased   = "released"
	metricTool      = "gen_ai.execute_tool.duration"
	metricQueue     = "pegboard.call.queue.duration"
	metricQuestion  = "pegboard.question.duration"
	metricDecisions = "pegboard.decisions"
)
