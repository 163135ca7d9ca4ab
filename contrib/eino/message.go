package eino

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/schema"
	ucb "github.com/cloudwego/eino/utils/callbacks"

	"github.com/seed49eaa51d/pegboard"
)

// Handler shows the tools of [Tools.NodeConfig] the message that a call is of, so that the calls
// keep its order. Give it to each run: to one of react by
// agent.WithComposeOptions(compose.WithCallbacks(h)), to one of a graph by compose.WithCallbacks(h),
// and to one of ADK, which takes no callbacks, by its context:
// callbacks.InitCallbacks(ctx, &callbacks.RunInfo{}, h). A program can give it to all runs by
// callbacks.AppendGlobalHandlers. All Handlers are the same, and serve any number of Tools.
func Handler() callbacks.Handler {
	end := func(ctx context.Context) context.Context {
		if m, ok := ctx.Value(messageKey{}).(*message); ok {
			m.end()
		}
		return ctx
	}
	return ucb.NewHandlerHelper().ToolsNode(&ucb.ToolsNodeCallbackHandlers{
		OnStart: func(ctx context.Context, _ *callbacks.RunInfo, in *schema.Message) context.Context {
			m := &message{announce: func(t *Tools, calls []pegboard.Call) *pegboard.Gathering {
				return t.executor.Gather(ctx, t.pool, calls...)
			}}
			if in != nil {
				m.calls = callsOf(in.ToolCalls)
			}
			return context.WithValue(ctx, messageKey{}, m)
		},
		OnEnd: func(ctx context.Context, _ *callbacks.RunInfo, _ []*schema.Message) context.Context { return end(ctx) },
		OnEndWithStreamOutput: func(ctx context.Context, _ *callbacks.RunInfo, out *schema.StreamReader[[]*schema.Message]) context.Context {
			out.Close()
			return end(ctx) // the tools have returned, only their texts are a stream
		},
		OnError: func(ctx context.Context, _ *callbacks.RunInfo, _ error) context.Context { return end(ctx) },
	}).Handler()
}

type messageKey struct{}

// A message is one message of the model in a ToolsNode.
type message struct {
	calls    []pegboard.Call
	announce func(*Tools, []pegboard.Call) *pegboard.Gathering // in the context of the node: that of one tool may end before

	mu         sync.Mutex
	gatherings map[*Tools]*gathering
}

// gather announces the calls of the message that are t's, once. It waits for the first call of a
// tool of t, since only then it is known that the message is for t: the handlers of an agent also
// see the messages of other agents that its tools run.
func (m *message) gather(t *Tools) *gathering {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.gatherings[t]; g != nil {
		return g
	}
	g := &gathering{}
	for _, c := range m.calls {
		if _, ok := t.pool.Lookup(c.Name); ok {
			g.open = append(g.open, c)
		}
	}
	if len(g.open) > 0 {
		g.end = m.announce(t, g.open).End
	}
	if m.gatherings == nil {
		m.gatherings = map[*Tools]*gathering{}
	}
	m.gatherings[t] = g
	return g
}

// end ends what was announced. After an error of the node, some of it was not handed in.
func (m *message) end() {
	m.mu.Lock()
	all := slices.Collect(maps.Values(m.gatherings))
	m.mu.Unlock()
	for _, g := range all {
		if g.end != nil {
			g.end()
		}
	}
}

// A gathering is the part of a message that one Tools runs.
type gathering struct {
	end func() []pegboard.Outcome // nil if nothing was announced

	mu   sync.Mutex
	open []pegboard.Call // announced, and not ended
}

// ended notes that a call has ended, and returns a *StopError if the turn should end. The last
// call ends the message: a callback would come too late, since it cannot end a run of eino.
func (g *gathering) ended(c pegboard.Call, o pegboard.Outcome) error {
	g.mu.Lock()
	i := slices.IndexFunc(g.open, func(a pegboard.Call) bool {
		return a.Name == c.Name && a.ID == c.ID && (c.ID != "" || bytes.Equal(a.Input, c.Input))
	})
	if i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
	last := i >= 0 && len(g.open) == 0
	g.mu.Unlock()
	if i < 0 {
		return stopped(o)
	}
	if o.StopTurn || last && stops(g.end()) {
		return &StopError{outcomes: g.end}
	}
	return nil
}
