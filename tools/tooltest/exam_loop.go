package tooltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// A loopExam is one check of a loop.
type loopExam struct {
	verdict
	build func(m *LoopModel) agents.Loop
}

// A loopRun is one conversation of an agent.
type loopRun struct {
	name     string
	model    *LoopModel
	maxTurns int
	maxUSD   float64
	goesOn   string // words with which the loop is called again
	cancels  bool   // the context ends when the model or a call waits

	result agents.Result
	err    error
}

const (
	loopTask  = "the task of the agent that is checked"
	loopFinal = "the last words of the agent"
)

func newLoopModel(script func(request int) LoopReply) *LoopModel {
	return &LoopModel{script: script, reached: make(chan struct{}), release: make(chan struct{}), ended: make(chan struct{})}
}

// endless is a model that calls a tool in each reply, for a dollar.
func endless(request int) LoopReply {
	return LoopReply{Text: "and on", Calls: []pegboard.Call{stepCall(fmt.Sprint("endless-", request), doStep)}, Used: agents.Usage{USD: 1}}
}

// then is a model that makes calls first, and then ends.
func then(calls ...pegboard.Call) func(int) LoopReply {
	return func(request int) LoopReply {
		if request == 1 {
			return LoopReply{Text: "first", Calls: calls, Used: agents.Usage{USD: 1}}
		}
		return LoopReply{Text: loopFinal, Used: agents.Usage{USD: 1}}
	}
}

// conversation is a model with calls of every kind, which is asked once more after its end.
func conversation(request int) LoopReply {
	reply := LoopReply{Used: agents.Usage{USD: 0.25}}
	id := func(call int) string { return fmt.Sprintf("turn-%d-call-%d", request, call) }
	switch request {
	case 1:
		reply.Text = "two calls"
		reply.Calls = []pegboard.Call{stepCall(id(1), doStep), stepCall(id(2), doTell)}
	case 2:
		reply.Calls = []pegboard.Call{stepCall(id(1), doFail), {ID: id(2), Name: "LoopNone", Input: []byte(`{}`)}, stepCall(id(3), doStep)}
	case 3:
		reply.Text = "what it has found so far"
	case 4:
		reply.Text = "once more"
		reply.Calls = []pegboard.Call{stepCall(id(1), doTell)}
	default:
		reply.Text = loopFinal
	}
	return reply
}

// check runs all conversations. The error is not about the loop.
func (x *loopExam) check() error {
	turns, budget, stop := newLoopModel(endless), newLoopModel(endless), newLoopModel(then(stepCall("stops", doStop)))
	turns.most, budget.most, stop.most = 10, 10, 3
	asks, calls := newLoopModel(endless), newLoopModel(then(stepCall("waits", doWait)))
	asks.waits, asks.most, calls.most = 2, 10, 3
	for _, step := range []struct {
		run     loopRun
		examine func(*loopRun)
	}{
		{loopRun{name: "a conversation that goes on", model: newLoopModel(conversation), goesOn: "some more words"}, x.checkConversation},
		{loopRun{name: "a model that never stops, three requests", model: turns, maxTurns: 3}, x.expectRequests},
		{loopRun{name: "a model that never stops, 2.50 dollars", model: budget, maxUSD: 2.5}, x.expectRequests},
		{loopRun{name: "an outcome with StopTurn", model: stop}, x.checkStopTurn},
		{loopRun{name: "cancelled while the model is asked", model: asks, cancels: true}, x.checkStopped},
		{loopRun{name: "cancelled while a call runs", model: calls, cancels: true}, x.checkStopped},
	} {
		r := &step.run
		if err := x.run(r); err != nil {
			return err
		}
		for _, p := range r.model.takeProblems() {
			x.addViolation(p.rule, r.name, "%s", p.got)
		}
		if x.stuck {
			return nil
		}
		step.examine(r)
	}
	return nil
}

// run runs an agent to its end.
func (x *loopExam) run(r *loopRun) error {
	defer close(r.model.release)
	g, registry, err := x.prepare(r)
	if err != nil {
		return err
	}
	s, err := NewSession("")
	if err != nil {
		return err
	}
	defer func() { _ = closeSession(s) }() // a loop that goes on is reported
	if err := registry.Add(g.Tools()...); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	late := ruleLoopReturns
	if r.cancels {
		late = ruleLoopStopped
	}
	x.runAll(late, "the agent", r.name, func() {
		r.result, r.err = g.Start(ctx, s, agents.Request{Description: "is checked", Prompt: loopTask, Type: "worker"})
	}, func() {
		if !r.cancels {
			return
		}
		select {
		case <-r.model.reached:
			cancel(errStopped)
		case <-r.model.ended:
		}
	}, func() { <-r.model.ended })
	return nil
}

// prepare makes what starts the agent.
func (x *loopExam) prepare(r *loopRun) (*agents.Agents, *pegboard.Registry, error) {
	tool, err := r.model.tool()
	if err != nil {
		return nil, nil, err
	}
	registry := new(pegboard.Registry)
	if err := registry.Add(tool); err != nil {
		return nil, nil, err
	}
	var loop agents.Loop
	if !x.runStage("build", "", func() { loop = x.build(r.model) }) {
		return nil, nil, x.err()
	}
	words := loopTask
	g, err := agents.New(agents.Options{
		Registry: registry, MaxUSD: r.maxUSD, Logger: slog.New(slog.DiscardHandler), // of panics
		Pool: pegboard.PoolConfig{Gates: openGates()},
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "worker", Description: "Works.", MaxTurns: r.maxTurns}}
		},
		Hooks: agents.Hooks{Stop: func(_ context.Context, e agents.Ending) (string, error) {
			if e.Kept > 0 {
				return "", nil
			}
			words = r.goesOn
			return r.goesOn, nil
		}},
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			r.model.begin(a.History(), words)
			defer r.model.end.Do(func() { close(r.model.ended) })
			return loop(ctx, a)
		},
	})
	return g, registry, err
}

// reportOf returns the text that the caller of an agent is shown.
func reportOf(result agents.Result) string {
	var all []string
	for _, c := range result.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

func (x *loopExam) checkConversation(r *loopRun) {
	if r.err != nil {
		x.addViolation(ruleLoopReturns, r.name, "the run failed: %v", r.err)
		return
	}
	if r.model.requests != 5 {
		x.addViolation(ruleLoopReturns, r.name, "the model got %d requests, and its conversation has 5", r.model.requests)
		return
	}
	if text := reportOf(r.result); !strings.Contains(text, loopFinal) {
		x.addViolation(ruleLoopText, r.name, "the report is %q, and the last text %q", shorten(text), loopFinal)
	}
	if got, want := r.result.Usage.USD, r.model.spent.USD; math.Abs(got-want) > 1e-9 {
		x.addViolation(ruleLoopCosts, r.name, "the loop has told of %v dollars, and the model has cost %v", got, want)
	}
}

// expectRequests expects the three requests that the limit allows.
func (x *loopExam) expectRequests(r *loopRun) {
	if r.model.requests != 3 {
		x.addViolation(ruleLoopLimits, r.name, "the model got %d requests, and the limit allows 3", r.model.requests)
	}
}

func (x *loopExam) checkStopTurn(r *loopRun) {
	if r.model.requests != 1 {
		x.addViolation(ruleLoopTurn, r.name, "the model got %d requests", r.model.requests)
	} else if !r.result.StopTurn {
		x.addViolation(ruleLoopTurn, r.name, "the loop has returned without StopTurn: %v", r.err)
	}
}

func (x *loopExam) checkStopped(r *loopRun) {
	if r.err == nil {
		x.addViolation(ruleLoopStopped, r.name, "the run was stopped and has no error")
	} else if !errors.Is(r.err, errStopped) && !errors.Is(r.err, context.Canceled) {
		x.addViolation(ruleLoopStopped, r.name, "the error of the run is %v", r.err)
	}
	want := 1
	if r.model.waits > 0 {
		want = r.model.waits
	}
	if r.model.requests > want {
		x.addViolation(ruleLoopStopped, r.name, "the model got %d requests, the last of them after the end", r.model.requests)
	}
}
