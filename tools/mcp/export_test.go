package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// StartWith is Start for servers of this process: connect returns the client's end of a
// transport to the server of that name.
func StartWith(s *pegboard.Session, r *pegboard.Registry, o Options, connect func(name string) (mcp.Transport, error), servers ...mcpjson.Server) *Servers {
	return start(s, r, o, func(_ context.Context, c *connection) (wire, error) {
		t, err := connect(c.server.config.Name)
		if err != nil {
			return nil, err
		}
		return &ownProcessWire{Transport: t, exchange: c.exchange}, nil
	}, servers)
}

// Lasting marks an error of connecting as one that another attempt would meet again.
func Lasting(err error) error { return &lastingError{err} }

// ownProcessWire passes the messages through the exchange as bytes, as the wires of real
// servers do.
type ownProcessWire struct {
	mcp.Transport
	exchange *exchange.Exchange

	mu   sync.Mutex
	conn mcp.Connection
}

func (w *ownProcessWire) Connect(ctx context.Context) (mcp.Connection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	conn, err := w.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w.conn = conn
	return ownProcessConnection{conn, w.exchange}, nil
}

func (w *ownProcessWire) Shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != nil {
		_ = w.conn.Close()
	}
}

func (w *ownProcessWire) Fault(err error) error { return err }

type ownProcessConnection struct {
	mcp.Connection
	exchange *exchange.Exchange
}

func (c ownProcessConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return nil, err
		}
		if m := c.exchange.Received(raw); m != nil {
			return m, nil
		}
	}
}

func (c ownProcessConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.exchange.Sent(raw)
	return c.Connection.Write(ctx, m)
}
