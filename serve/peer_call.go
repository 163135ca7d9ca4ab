package serve

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// call answers a request of the client to call a tool.
func (p *peer) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if state := req.Params.RequestState; state != "" {
		return p.comeBack(ctx, req, state)
	}
	session, pool := p.current()
	if session == nil || !p.use() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the session is closed"}
	}
	c := newOpenCall(p, req)
	runCtx, stop := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), callKey{}, c))
	c.stop = stop
	c.join(req)
	goroutine.Go(func() { c.run(runCtx, pool) })
	return c.wait(ctx, req)
}

// comeBack takes the answer that a client brings with the state it was given.
func (p *peer) comeBack(ctx context.Context, req *mcp.CallToolRequest, state string) (*mcp.CallToolResult, error) {
	c := p.server.callOf(state)
	if c == nil || !c.peer.is(p) {
		return nil, invalid("the requestState is unknown or has expired; call the tool again without it")
	}
	if c.call.Name != req.Params.Name || !sameJSON(c.call.Input, req.Params.Arguments) {
		return nil, invalid("the requestState belongs to another call; send it with the same name and arguments")
	}
	c.join(req)
	c.answer(state, req.Params.InputResponses)
	return c.wait(ctx, req)
}

func invalid(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// is reports whether two peers are the same client. Clients without a name are known
// by nothing but the states and links that they bring.
func (p *peer) is(q *peer) bool { return p == q || p.anonymous && q.anonymous }

// sameJSON reports whether two inputs are the same, whatever their spelling.
func sameJSON(a, b json.RawMessage) bool {
	canonical := func(text json.RawMessage) string {
		if len(bytes.TrimSpace(text)) == 0 {
			return "{}"
		}
		v, err := strictjson.Decode(text, strictjson.Limits{})
		if err != nil {
			return string(text)
		}
		sorted, err := json.Marshal(v)
		if err != nil {
			return string(text)
		}
		return string(sorted)
	}
	return bytes.Equal(a, b) || canonical(a) == canonical(b)
}
