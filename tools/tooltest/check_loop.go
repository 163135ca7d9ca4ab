package tooltest

import (
	"time"

	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// CheckLoop reports every way in which a loop breaks the contract of [agents.Loop]. Build
// returns the loop, which asks the given model in place of its provider's: the code that sends
// a request calls [LoopModel.Reply]. It is called once for each conversation. The error joins
// one *[ContractError] for each violation; nil means that CheckLoop has found none. Use a
// [LoopChecker] to choose the grace period.
//
// CheckLoop runs agents through a real [agents.Agents], executor and registry. It checks these
// rules:
//
//  1. Every call is answered once: each request has the result of every call of the turn
//     before, once, also of calls that fail and of tools that do not exist.
//  2. Next comes before each request: the task is in the first request, and the words that an
//     agent was told meanwhile are in the next one.
//  3. History stays byte for byte: a request begins with the messages of the request before,
//     unchanged, and the first one with those of Agent.History. What was sent was passed to
//     Agent.Append: a loop that is called again finds it in Agent.History.
//  4. It ends when it is stopped: the loop returns within the grace period after its context
//     has ended, while it waits for the model and while it waits for a call.
//  5. It ends on limits: a model that never stops gets as many requests as the definition's
//     MaxTurns and Options.MaxUSD allow, no more and no fewer.
//  6. It ends on StopTurn: after an outcome with StopTurn there is no request, and Reply has
//     StopTurn.
//  7. Costs are told once: those of each request, to the Next that follows or in Reply.
//  8. The last text is the reply: Reply.Text, or the last message that was passed to Append.
//  9. Every run returns: no error of a run in which nothing failed, no panic, no endless wait.
func CheckLoop(build func(m *LoopModel) agents.Loop) error { return LoopChecker{}.Check(build) }

// A LoopChecker is a [CheckLoop] with settings. The zero value is equivalent to CheckLoop.
type LoopChecker struct {
	// Grace is how long a conversation may take, and a loop that was stopped; 0 means a
	// minute.
	Grace time.Duration
}

// Check is like the function [CheckLoop].
func (k LoopChecker) Check(build func(m *LoopModel) agents.Loop) error {
	x := &loopExam{verdict: verdict{purposes: loopPurposes, returns: ruleLoopReturns, grace: k.Grace}, build: build}
	if x.grace <= 0 {
		x.grace = time.Minute
	}
	if err := x.check(); err != nil {
		return err
	}
	return x.err()
}
