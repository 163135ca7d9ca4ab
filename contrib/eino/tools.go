package eino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/seed49eaa51d/pegboard"
)

// ErrNoPool is the error of a Tools without a pool or an executor. It runs nothing.
var ErrNoPool = errors.New("eino: no pool or no executor")

// ErrNoHandler is the error of a tool that a ToolsNode calls in a run without [Handler]: the
// calls of a message would run in any order.
var ErrNoHandler = errors.New("eino: Handler is not among the callbacks of this run, and the order of its calls would be lost")

// Tools are the tools of a pool for eino. Its methods may be called concurrently. The zero Tools
// runs nothing.
type Tools struct {
	executor *pegboard.Executor
	pool     *pegboard.Pool
	infos    []*schema.ToolInfo
}

// New returns the tools of p, whose calls e runs. A pool is for one turn; make the tools anew with
// each, and give them to a react agent by react.WithTools if it outlives the turn. All are shown to
// the model in full, also those that the pool defers. The error is [ErrNoPool], or names the tool
// whose schema eino cannot hold.
func New(e *pegboard.Executor, p *pegboard.Pool) (*Tools, error) {
	if e == nil || p.Session() == nil {
		return nil, ErrNoPool
	}
	t := &Tools{executor: e, pool: p}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			s, err := schemaOf(d.InputSchema)
			if err != nil {
				return nil, fmt.Errorf("eino: the schema of %s: %w", d.Name, err)
			}
			t.infos = append(t.infos, &schema.ToolInfo{Name: d.Name, Desc: d.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(s)})
		}
	}
	return t, nil
}

// schemaOf returns a schema as eino has it.
func schemaOf(raw json.RawMessage) (*jsonschema.Schema, error) {
	s := new(jsonschema.Schema)
	var older struct{ Definitions json.RawMessage } // where references of older schemas point, which eino's type drops
	if err := errors.Join(json.Unmarshal(raw, s), json.Unmarshal(raw, &older)); err != nil {
		return nil, err
	}
	if older.Definitions != nil {
		s.Extras = map[string]any{"definitions": older.Definitions}
	}
	return s, nil
}

// Infos returns the definitions for the model of a graph of your own: see WithTools of eino's
// chat models.
func (t *Tools) Infos() []*schema.ToolInfo { return slices.Clone(t.infos) }

// Run runs the calls of a message of the model as one message, and returns their results in the
// order of the calls, and after these what tools say in the user's place. It is a node of a graph,
// in the place of a ToolsNode:
//
//	graph.AddLambdaNode("tools", compose.InvokableLambda(tools.Run))
//
// Each call has a result, whatever becomes of it. The error is a *[StopError], or ErrNoPool.
func (t *Tools) Run(ctx context.Context, m *schema.Message) ([]*schema.Message, error) {
	if t.pool == nil {
		return nil, ErrNoPool
	}
	if m == nil || len(m.ToolCalls) == 0 {
		return nil, nil
	}
	outcomes := t.executor.Run(ctx, t.pool, callsOf(m.ToolCalls)...)
	if err := stopped(outcomes...); err != nil {
		return nil, err
	}
	return messagesOf(outcomes), nil
}

// NodeConfig returns the tools for places that insist on tools: react.AgentConfig.ToolsConfig,
// adk.ToolsConfig, compose.NewToolNode. Their results are texts. Each run needs [Handler] among its
// callbacks, or else the tools return [ErrNoHandler]. The error of a run is a *[StopError] if the
// turn should end. Other tools of eino may be added; of these this package knows nothing.
func (t *Tools) NodeConfig() compose.ToolsNodeConfig {
	c := compose.ToolsNodeConfig{UnknownToolsHandler: t.call}
	for _, info := range t.infos {
		c.Tools = append(c.Tools, single{t, info})
	}
	return c
}

// single is one tool.
type single struct {
	of   *Tools
	info *schema.ToolInfo
}

func (s single) Info(context.Context) (*schema.ToolInfo, error) { return s.info, nil }

func (s single) InvokableRun(ctx context.Context, input string, _ ...tool.Option) (string, error) {
	return s.of.call(ctx, s.info.Name, input)
}

// call runs one call in its place in the message that ctx belongs to.
func (t *Tools) call(ctx context.Context, name, input string) (string, error) {
	if t.pool == nil {
		return "", ErrNoPool
	}
	c := pegboard.Call{ID: compose.GetToolCallID(ctx), Name: name, Input: json.RawMessage(input)}
	m, ok := ctx.Value(messageKey{}).(*message)
	if !ok && c.ID != "" {
		return "", ErrNoHandler
	}
	ended := func(_ pegboard.Call, o pegboard.Outcome) error { return stopped(o) } // the program calls the tool itself
	if ok {
		ended = m.gather(t).ended
	}
	o := t.executor.Run(ctx, t.pool, c)[0]
	if err := ended(c, o); err != nil {
		return "", err
	}
	return textOf(o.Result), nil
}

func callsOf(calls []schema.ToolCall) []pegboard.Call {
	all := make([]pegboard.Call, len(calls))
	for i, c := range calls {
		all[i] = pegboard.Call{ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)}
	}
	return all
}
