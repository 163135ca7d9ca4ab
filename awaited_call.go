package pegboard

import "github.com/seed49eaa51d/pegboard/internal/asking"

// An AwaitedCall is a call that was allowed and that the host executes: one of a tool whose
// Info says Supplied.
type AwaitedCall struct {
	// ID is the argument of [Session.Supply]. No other call has it, in this process or
	// another, unlike the provider's id in Call.
	ID   string
	Tool Tool
	// Call has the input to execute, byte for byte as it was allowed. Its methods may be used
	// until the call has ended: Emit reports progress, Check decides what turns up.
	Call      *Call
	AgentPath []string // the ids of the agents that led to it, outermost first; empty for the main agent
}

// Supply is [Session.Supply] for a caller that has the call and no session.
func (a *AwaitedCall) Supply(s Supply) error {
	if a.Call == nil || a.Call.state == nil {
		return ErrNotAwaited
	}
	return a.Call.state.session.main().Supply(a.ID, s)
}

// awaiting is an open AwaitedCall.
type awaiting struct {
	call   func() *AwaitedCall // makes one that the host may write to
	accept func(Supply) (supplied, error)
}

// awaitedCalls are the open ones of a conversation, in the order in which they began. Each
// gets one answer, or is withdrawn.
type awaitedCalls = asking.Line[*awaiting, supplied]
