package tooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// A LoopRequest is a request that a loop sends.
type LoopRequest struct {
	// Messages are those of the request, without the system prompt, as the provider gets
	// them.
	Messages []json.RawMessage
	// Outcomes are those of the calls of the reply before, in any order.
	Outcomes []pegboard.Outcome
}

// A LoopReply is the answer of a [LoopModel]: a text, calls or both. A reply without calls
// ends the conversation.
type LoopReply struct {
	Text  string
	Calls []pegboard.Call
	Used  agents.Usage // the cost of the request
}

// A LoopModel plays the model of a loop that [CheckLoop] checks.
type LoopModel struct {
	script  func(request int) LoopReply // of requests from 1 on
	most    int                         // requests that are allowed; 0 means any number
	waits   int                         // the request that is answered only when its context ends
	reached chan struct{}               // closed when the request waits has come, or a call waits
	once    sync.Once
	release chan struct{} // closed when the exam is over: nothing waits any more
	ended   chan struct{} // closed when the loop has returned for the first time
	end     sync.Once

	mu       sync.Mutex
	requests int
	begun    []json.RawMessage // the messages that the next request must begin with
	calls    []pegboard.Call   // of the last reply
	words    []string          // that the next request must have, from Next
	spent    agents.Usage
	text     string // of the last reply
	problems []loopProblem
}

// A loopProblem is a violation that a model has seen.
type loopProblem struct{ rule, got string }

// errNoMore is the error of a model that should not have been asked.
var errNoMore = errors.New("the conversation is over")

// Reply answers a request. Its error is the cause of ctx, or says that the loop should not
// have asked: the loop then ends with it.
func (m *LoopModel) Reply(ctx context.Context, r LoopRequest) (LoopReply, error) {
	reply, wait, err := m.reply(r)
	if !wait {
		return reply, err
	}
	m.once.Do(func() { close(m.reached) })
	select {
	case <-ctx.Done():
		return LoopReply{}, context.Cause(ctx)
	case <-m.release:
		return LoopReply{}, errNoMore
	}
}

func (m *LoopModel) reply(r LoopRequest) (reply LoopReply, wait bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	m.examine(r)
	switch {
	case m.requests == m.waits:
		return LoopReply{}, true, nil
	case m.most > 0 && m.requests > m.most:
		return LoopReply{}, false, errNoMore
	}
	reply = m.script(m.requests)
	m.begun, m.calls, m.text = r.Messages, copyCalls(reply.Calls), reply.Text
	m.spent.USD += reply.Used.USD
	for _, c := range reply.Calls {
		if bytes.Contains(c.Input, []byte(doTell)) {
			m.words = append(m.words, toldBy(c.ID))
		}
	}
	return reply, false, nil
}

func (m *LoopModel) addProblem(rule, format string, args ...any) {
	m.problems = append(m.problems, loopProblem{rule, fmt.Sprintf("request %d: ", m.requests) + fmt.Sprintf(format, args...)})
}

// examine examines a request.
func (m *LoopModel) examine(r LoopRequest) {
	if len(m.calls) == 0 {
		if len(r.Outcomes) > 0 {
			m.addProblem(ruleLoopAnswers, "it has %d outcomes, and the reply before had no calls", len(r.Outcomes))
		}
	} else if _, err := matchOutcomes(m.calls, r.Outcomes); err != nil {
		m.addProblem(ruleLoopAnswers, "%v", err)
	}
	if at := changedAt(m.begun, r.Messages); at >= 0 {
		m.addProblem(ruleLoopHistory, "of the %d messages that it must begin with, message %d is missing or differs", len(m.begun), at+1)
	}
	text := joined(r.Messages)
	for _, c := range m.calls {
		if n := bytes.Count(text, []byte(resultOf(c.ID))); c.Name == loopToolName && n != 1 && !bytes.Contains(c.Input, []byte(doWait)) {
			m.addProblem(ruleLoopAnswers, "the result of call %s is in the messages %d times", c.ID, n)
		}
	}
	for _, w := range m.words {
		if !bytes.Contains(text, []byte(w)) {
			m.addProblem(ruleLoopNext, "the words %q that Next returns are not in the messages", w)
		}
	}
	m.words = nil
}

// joined returns all messages in one text.
func joined(messages []json.RawMessage) (text []byte) {
	for _, m := range messages {
		text = append(append(text, m...), '\n')
	}
	return text
}

// changedAt returns the index of the first message of begin that all does not begin with, or
// -1.
func changedAt(begin, all []json.RawMessage) int {
	for i, message := range begin {
		if i >= len(all) || !bytes.Equal(message, all[i]) {
			return i
		}
	}
	return -1
}

// takeProblems returns the problems so far.
func (m *LoopModel) takeProblems() []loopProblem {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.problems
}

// begin is called when the loop is: the history must have all that was sent before.
func (m *LoopModel) begin(history []json.RawMessage, words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := changedAt(m.begun, history); at >= 0 {
		m.addProblem(ruleLoopHistory, "of its %d messages, message %d is not in Agent.History afterwards", len(m.begun), at+1)
	}
	if m.requests > 0 && !bytes.Contains(joined(history), []byte(m.text)) {
		m.addProblem(ruleLoopHistory, "the reply %q is not in Agent.History afterwards", m.text)
	}
	m.begun, m.calls = history, nil
	m.words = append(m.words, words)
}

// The tool of the agents, and the words of its input.
const (
	loopToolName = "LoopStep"
	doStep       = `"step"`
	doFail       = `"fail"`
	doTell       = `"tell"` // the agent is told something
	doStop       = `"stop"` // the turn ends
	doWait       = `"wait"` // until the context ends
)

// resultOf is a text in the result of a call, and only there.
func resultOf(id string) string { return "the result of " + id + " is here" }

// toldBy are the words that a call tells the agent.
func toldBy(id string) string { return "words beside " + id + " for the agent" }

// stepCall returns a call of the tool.
func stepCall(id, do string) pegboard.Call {
	return pegboard.Call{ID: id, Name: loopToolName, Input: json.RawMessage(fmt.Sprintf(`{"do":%s,"id":%q}`, do, id))}
}

// tool returns the tool of the agents.
func (m *LoopModel) tool() (pegboard.Tool, error) {
	return pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: loopToolName},
		Description: "For CheckLoop.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call:        m.call,
	})
}

func (m *LoopModel) call(ctx context.Context, input json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
	result := pegboard.TextResult(resultOf(c.ID))
	switch does := func(what string) bool { return bytes.Contains(input, []byte(what)) }; {
	case does(doFail):
		return nil, errors.New(resultOf(c.ID))
	case does(doTell):
		c.Session().Notify(pegboard.Part{Text: toldBy(c.ID)})
	case does(doStop):
		result.StopTurn = true
	case does(doWait):
		m.once.Do(func() { close(m.reached) })
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.release:
		}
	}
	return result, nil
}
