package serve

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// sync asks for the tools of the client and offers them. Announce tells the client of
// changes.
func (p *peer) sync(announce bool) error {
	p.syncing.Lock()
	defer p.syncing.Unlock()
	p.mu.Lock()
	tools := p.tools
	p.mu.Unlock()
	if tools == nil {
		return nil // the client has no session yet, or none any more
	}
	var pool *pegboard.Pool
	if err := goroutine.Try(func() error { pool = tools(); return nil }); err != nil {
		return err
	}
	if pool.Session() == nil {
		return errors.New("the func that Options.Open has returned returned no pool")
	}
	offered := offersOf(pool)
	p.mu.Lock()
	p.pool, p.announce, p.schemas = pool, p.announce || announce, map[string]bool{}
	for _, o := range offered {
		p.schemas[o.Name] = o.OutputSchema != nil
	}
	p.mu.Unlock()
	return p.offer(offered)
}

// offer makes the tools those of the server. A tool that the protocol cannot describe is left
// out; the error names it.
func (p *peer) offer(tools []*mcp.Tool) error {
	var errs []error
	now := make(map[string]string, len(tools))
	for _, t := range tools {
		text, err := json.Marshal(t)
		if err == nil && p.listed[t.Name] != string(text) {
			err = goroutine.Try(func() error { p.mcp.AddTool(t, p.call); return nil })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s is not offered: %w", t.Name, err))
			continue
		}
		now[t.Name] = string(text)
	}
	for name := range p.listed {
		if _, stays := now[name]; !stays {
			p.mcp.RemoveTools(name)
		}
	}
	p.listed = now
	if err := errors.Join(errs...); err != nil {
		p.server.logError("tools of a client", err)
	}
	return nil
}
