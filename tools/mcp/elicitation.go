package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// codeAddresses is the code of an error that says which addresses the user must open before
// a request is sent again.
const codeAddresses = -32042

// elicit asks the user the server's question.
//
// From version 2026-07-28 on the SDK calls it with the context of a call. A question that an
// older server sends by itself does not say for which call it is.
func (c *connection) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	form, err := c.form(r.Params)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	filled, err := c.fill(ctx, form)
	if err != nil {
		if errors.Is(err, pegboard.ErrInvalidElicitation) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return nil, err
	}
	result := &mcp.ElicitResult{Action: string(filled.Action)}
	if filled.Action == pegboard.ElicitAccept && form.URL == "" {
		if err := json.Unmarshal(filled.Content, &result.Content); err != nil {
			return nil, fmt.Errorf("the content of the form: %w", err)
		}
		addDefaults(result.Content, r.Params.RequestedSchema)
	}
	return result, nil
}

// fill shows a form to the user of the call that it is for. The clocks of the calls that may
// wait for it stand still.
func (c *connection) fill(ctx context.Context, form pegboard.Elicitation) (pegboard.ElicitResult, error) {
	session, waiting := c.asking(ctx)
	for _, k := range waiting {
		k.clock.pause()
		defer k.clock.resume()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
	if len(waiting) == 1 {
		// The end of a call by itself may only have come before a question that was sent after it.
		defer context.AfterFunc(&waiting[0].ctx, func() {
			if cause := context.Cause(&waiting[0].ctx); !errors.Is(cause, errEnded) {
				cancel(cause)
			}
		})()
	}
	return session.Elicit(ctx, form)
}

// asking returns the session whose user is asked, and the calls that may wait for the answer:
// the call of ctx, or else all that run. If one runs, it is that one's session, and else the
// main session.
func (c *connection) asking(ctx context.Context) (*pegboard.Session, []*call) {
	if k := callFrom(ctx); k != nil {
		return k.session, []*call{k}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var waiting []*call
	for k := range c.calls {
		waiting = append(waiting, k)
	}
	if len(waiting) == 1 {
		return waiting[0].session, waiting
	}
	return c.server.servers.session, waiting
}

// form returns the form for the user.
func (c *connection) form(p *mcp.ElicitParams) (pegboard.Elicitation, error) {
	f := pegboard.Elicitation{From: c.server.config.Name, Message: p.Message, URL: p.URL}
	if p.URL != "" {
		return f, checkAddress(p.URL)
	}
	schema, err := json.Marshal(optionalDefaults(p.RequestedSchema))
	if err != nil {
		return f, err
	}
	if f.Schema = schema; p.RequestedSchema == nil {
		f.Schema = json.RawMessage(`{"type":"object"}`)
	}
	return f, nil
}

// addDefaults adds the defaults of a form to its content. The SDK does so as well, but not
// before it refuses a content in which a value that is required is left out.
func addDefaults(content map[string]any, schema any) {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for name, p := range properties {
		property, _ := p.(map[string]any)
		value, hasDefault := property["default"]
		if _, given := content[name]; hasDefault && !given && content != nil {
			content[name] = value
		}
	}
}

// optionalDefaults returns the schema of a form in which a value with a default may be left
// out: addDefaults adds it.
func optionalDefaults(schema any) any {
	object, _ := schema.(map[string]any)
	required, _ := object["required"].([]any)
	properties, _ := object["properties"].(map[string]any)
	if len(required) == 0 {
		return schema
	}
	changed := make(map[string]any, len(object))
	for key, value := range object {
		changed[key] = value
	}
	left := []any{}
	for _, name := range required {
		text, _ := name.(string)
		property, _ := properties[text].(map[string]any)
		if _, hasDefault := property["default"]; !hasDefault {
			left = append(left, name)
		}
	}
	changed["required"] = left
	return changed
}

// checkAddress refuses addresses that a user should not be asked to open: those that are sent
// unencrypted over a network, or that are no web pages.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("the address cannot be read: %w", err)
	}
	ip := net.ParseIP(u.Hostname())
	switch {
	case u.Scheme == "https" && u.Host != "":
		return nil
	case u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()):
		return nil
	}
	return errors.New("the address must begin with https://, or with http:// for this machine")
}

// addressesOf returns the addresses that the user must open, if the error asks for that, or
// nil.
func addressesOf(err error) []*mcp.ElicitParams {
	var refused *jsonrpc.Error
	var data struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	if !errors.As(err, &refused) || refused.Code != codeAddresses || json.Unmarshal(refused.Data, &data) != nil {
		return nil
	}
	for _, e := range data.Elicitations {
		if e == nil || e.URL == "" {
			return nil
		}
	}
	return data.Elicitations
}

// sendAfter sends the request again when the user has opened the addresses. A server may say
// when the user has finished there. It need not, so the request is sent at once, and once
// more after the server has said so.
func (k *call) sendAfter(elicitations []*mcp.ElicitParams) error {
	c := k.connection
	for _, e := range elicitations {
		finished := c.expect(e.ElicitationID)
		defer c.forget(e.ElicitationID)
		form, err := c.form(e)
		if err != nil {
			return err
		}
		filled, err := c.fill(&k.ctx, form)
		if err != nil {
			return err
		}
		if filled.Action != pegboard.ElicitAccept {
			return fmt.Errorf("%w: %s of %s", ErrElicitationDeclined, filled.Action, e.URL)
		}
		if err = k.send(); addressesOf(err) == nil {
			return err
		}
		select {
		case <-finished:
		case <-k.ctx.Done():
			return context.Cause(&k.ctx)
		}
	}
	return k.send()
}

// expect returns a channel that is closed when the server says that the user has finished at
// an address.
func (c *connection) expect(id string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	finished, ok := c.completed[id]
	if !ok {
		finished = make(chan struct{})
		c.completed[id] = finished
	}
	return finished
}

func (c *connection) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.completed, id)
}

// complete records that the user has finished at an address. An id that is not expected is
// ignored.
func (c *connection) complete(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if finished, ok := c.completed[id]; ok {
		close(finished)
		delete(c.completed, id)
	}
}
