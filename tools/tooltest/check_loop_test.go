package tooltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// loopFlaws are what is wrong with a loop.
type loopFlaws struct {
	nextOnce      bool // Next is called before the first request only
	losesWords    bool // later words of Next are not sent
	losesFailures bool // calls that fail have no outcome
	resultsTwice  bool // results are sent twice
	freshHistory  bool // the conversation begins anew each time
	reencoded     bool // messages are encoded anew for each request
	forgets       bool // the answer is not appended
	deaf          bool // the model is asked with another context
	swallows      bool // a call that was cancelled is a call that failed
	keepsGoing    bool // StopTurn is not looked at
	noStopTurn    bool // Reply has no StopTurn
	costsOfAll    bool // Next is told of the sum
	freeOfCharge  bool
	secretCosts   bool // of the last request
	wrongText     bool // Reply has the first text
	ignoresLimits bool
	fails, panics bool // in the end
}

// flawed is the loop of a host, with flaws. Without any it is good.
func flawed(m *tooltest.LoopModel, f loopFlaws) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		l := &flawedLoop{m: m, a: a, f: f, messages: a.History()}
		if f.freshHistory {
			l.messages = nil
		}
		for {
			reply, on, err := l.step(ctx)
			if !on || err != nil {
				return reply, err
			}
		}
	}
}

type flawedLoop struct {
	m        *tooltest.LoopModel
	a        *agents.Agent
	f        loopFlaws
	messages []json.RawMessage
	outcomes []pegboard.Outcome
	used     agents.Usage
	sum      float64
	requests int
}

func (l *flawedLoop) add(messages ...json.RawMessage) error {
	l.messages = append(l.messages, messages...)
	return l.a.Append(messages...)
}

// next returns the words for the request.
func (l *flawedLoop) next(ctx context.Context) (string, error) {
	if l.f.nextOnce && l.requests > 0 {
		return "", nil
	}
	parts, err := l.a.Next(ctx, l.used)
	if l.f.ignoresLimits && (errors.Is(err, agents.ErrTurns) || errors.Is(err, agents.ErrBudget)) {
		err = nil
	}
	if l.f.swallows && ctx.Err() != nil {
		err = nil
	}
	if l.f.losesWords && l.requests > 0 {
		parts = nil
	}
	var words string
	for _, p := range parts {
		words += p.Text + "\n"
	}
	return words, err
}

func (l *flawedLoop) step(ctx context.Context) (reply agents.Reply, on bool, err error) {
	words, err := l.next(ctx)
	if err != nil {
		return reply, false, err
	}
	l.requests++
	if err := l.add(l.userMessage(words)); err != nil {
		return reply, false, err
	}
	asking := ctx
	if l.f.deaf {
		asking = context.Background()
	}
	turn, err := l.m.Reply(asking, tooltest.LoopRequest{Messages: l.sent(), Outcomes: l.outcomes})
	if err != nil {
		return reply, false, err
	}
	l.used = turn.Used
	if l.f.freeOfCharge {
		l.used = agents.Usage{}
	}
	if l.f.costsOfAll {
		l.sum += turn.Used.USD
		l.used.USD = l.sum
	}
	answer := message("assistant", map[string]any{"text": turn.Text, "calls": turn.Calls})
	if !l.f.forgets || len(turn.Calls) > 0 {
		if err := l.add(answer); err != nil {
			return reply, false, err
		}
	}
	if len(turn.Calls) == 0 {
		return l.end(turn.Text)
	}
	return l.run(ctx, turn.Calls)
}

// end returns the reply of a conversation that has ended by itself.
func (l *flawedLoop) end(text string) (reply agents.Reply, on bool, err error) {
	reply = agents.Reply{Text: text, Used: l.used}
	switch {
	case l.f.panics:
		panic("no more")
	case l.f.fails:
		return reply, false, errors.New("the connection was closed")
	case l.f.wrongText:
		reply.Text = "done"
	case l.f.secretCosts:
		reply.Used = agents.Usage{}
	}
	return reply, false, nil
}

// run runs calls.
func (l *flawedLoop) run(ctx context.Context, calls []pegboard.Call) (reply agents.Reply, on bool, err error) {
	pool, err := l.a.Pool()
	if err != nil {
		return reply, false, err
	}
	running := ctx
	var e pegboard.Executor
	l.outcomes = e.Run(running, pool, calls...)
	if ctx.Err() != nil && !l.f.swallows {
		return reply, false, context.Cause(ctx)
	}
	if l.f.losesFailures {
		l.outcomes = slices.DeleteFunc(l.outcomes, func(o pegboard.Outcome) bool { return o.Err != nil })
	}
	stops := slices.ContainsFunc(l.outcomes, func(o pegboard.Outcome) bool { return o.StopTurn })
	if stops && !l.f.keepsGoing {
		return agents.Reply{StopTurn: !l.f.noStopTurn, Used: l.used}, false, nil
	}
	return reply, true, nil
}

// sent returns the messages of a request.
func (l *flawedLoop) sent() []json.RawMessage {
	sent := slices.Clone(l.messages)
	for i := range sent {
		if l.f.reencoded {
			var b bytes.Buffer
			_ = json.Indent(&b, sent[i], "", fmt.Sprintf("%*s", l.requests, ""))
			sent[i] = b.Bytes()
		}
	}
	return sent
}

// userMessage returns the message with results and words.
func (l *flawedLoop) userMessage(words string) json.RawMessage {
	var results []map[string]string
	for _, o := range l.outcomes {
		for range 1 + min(1, len(o.Call.ID)*boolean(l.f.resultsTwice)) {
			results = append(results, map[string]string{"id": o.Call.ID, "text": o.Result.Text()})
		}
	}
	return message("user", map[string]any{"results": results, "text": words})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func message(role string, content any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"role": role, "content": content}) // of strings and calls
	return raw
}

type badLoop struct {
	name  string
	flaws loopFlaws
	rules []string
	got   string
}

func badLoops() []badLoop {
	answers, next, history := tooltest.RuleLoopAnswers, tooltest.RuleLoopNext, tooltest.RuleLoopHistory
	stopped, limits, turn := tooltest.RuleLoopStopped, tooltest.RuleLoopLimits, tooltest.RuleLoopTurn
	return []badLoop{
		{name: "failures have no outcome", flaws: loopFlaws{losesFailures: true}, rules: []string{answers}, got: "no outcome was handed over for turn-2-call-1"},
		{name: "results are sent twice", flaws: loopFlaws{resultsTwice: true}, rules: []string{answers}, got: "is in the messages 2 times"},
		{name: "Next is called once", flaws: loopFlaws{nextOnce: true}, rules: []string{next, limits, tooltest.RuleLoopCosts}, got: "that Next returns are not in the messages"},
		{name: "later words are lost", flaws: loopFlaws{losesWords: true}, rules: []string{next}, got: "that Next returns are not in the messages"},
		{name: "each conversation is the first", flaws: loopFlaws{freshHistory: true}, rules: []string{history}, got: "message 1 is missing or differs"},
		{name: "messages are encoded anew", flaws: loopFlaws{reencoded: true}, rules: []string{history}, got: "message 1 is missing or differs"},
		{name: "the answer is not kept", flaws: loopFlaws{forgets: true}, rules: []string{history}, got: "is not in Agent.History afterwards"},
		{name: "asks with another context", flaws: loopFlaws{deaf: true}, rules: []string{stopped}, got: "did not return within 1m0s"},
		{name: "goes on after a cancelled call", flaws: loopFlaws{swallows: true}, rules: []string{stopped}, got: "the last of them after the end"},
		{name: "never stops", flaws: loopFlaws{ignoresLimits: true}, rules: []string{limits}, got: "the model got 11 requests, and the limit allows 3"},
		{name: "tells no costs", flaws: loopFlaws{freeOfCharge: true}, rules: []string{tooltest.RuleLoopCosts, limits}, got: "the loop has told of 0 dollars, and the model has cost 1.25"},
		{name: "tells the sum each time", flaws: loopFlaws{costsOfAll: true}, rules: []string{tooltest.RuleLoopCosts, limits}, got: "and the model has cost 1.25"},
		{name: "keeps the last costs to itself", flaws: loopFlaws{secretCosts: true}, rules: []string{tooltest.RuleLoopCosts}, got: "the loop has told of 0.75 dollars"},
		{name: "asks after StopTurn", flaws: loopFlaws{keepsGoing: true}, rules: []string{turn}, got: "the model got 2 requests"},
		{name: "does not tell of StopTurn", flaws: loopFlaws{noStopTurn: true}, rules: []string{turn}, got: "without StopTurn"},
		{name: "another text", flaws: loopFlaws{wrongText: true}, rules: []string{tooltest.RuleLoopText}, got: `the report is "done"`},
		{name: "fails in the end", flaws: loopFlaws{fails: true}, rules: []string{tooltest.RuleLoopReturns}, got: "the run failed: "},
		{name: "panics in the end", flaws: loopFlaws{panics: true}, rules: []string{tooltest.RuleLoopReturns}, got: "the run failed: "},
	}
}

func TestCheckLoopFindsBadLoops(t *testing.T) {
	t.Parallel()
	for _, tt := range badLoops() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				err := tooltest.CheckLoop(func(m *tooltest.LoopModel) agents.Loop { return flawed(m, tt.flaws) })
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckLoopRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badLoops() {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "check_loop.go", tooltest.LoopRules(), broken)
}

func TestCheckLoopPassesAGoodLoop(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckLoop(func(m *tooltest.LoopModel) agents.Loop { return flawed(m, loopFlaws{}) }))
}
