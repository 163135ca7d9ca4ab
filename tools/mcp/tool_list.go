package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

const (
	settleTime = 100 * time.Millisecond // without another notice, before a changed list is read
	maxSettle  = time.Second            // for a server that sends one notice after the other
	secondLook = 500 * time.Millisecond // after a notice of a change that there was not: some servers send it too early
)

// toolList is the list of a server's tools at one moment.
type toolList struct {
	list      *list // that of the newest equal toolList; guarded by the server
	trusted   bool  // by the host
	tools     []pegboard.Tool
	hidden    []string          // for the server's own user interface
	resources map[string]string // of tools with a user interface, by tool
	about     string            // the server's instructions
	warnings  []toolWarning     // about the definitions
}

// toolWarning is for the host's log.
type toolWarning struct{ tool, text string }

// equal reports whether two lists are of the same tools.
func (l *toolList) equal(other *toolList) bool {
	return l.about == other.about && l.trusted == other.trusted && slices.EqualFunc(l.list.entries, other.list.entries, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// listTools asks the server for its tools.
func (c *connection) listTools(ctx context.Context) (*toolList, error) {
	t := &toolList{list: &list{}, resources: map[string]string{}}
	if info := c.session.InitializeResult(); info != nil {
		t.about = definition.Instructions(info.Instructions)
	}
	if c.capabilities().Tools == nil {
		return t, nil
	}
	l, err := c.pages(ctx, "tools", 0, func(ctx context.Context, meta mcp.Meta, cursor string) error {
		_, err := c.session.ListTools(ctx, &mcp.ListToolsParams{Meta: meta, Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, err
	}
	t.list, t.trusted = l, c.server.servers.options.trusts(ctx, c.server.config)
	s := definition.Server{
		Name: c.server.config.Name, Trusted: t.trusted,
		AlwaysLoad:   c.server.config.AlwaysLoad,
		MirrorsInput: c.server.config.Type == mcpjson.HTTP && c.session.InitializeResult().ProtocolVersion >= newestVersion,
	}
	for _, raw := range l.entries {
		d := definition.Read(s, raw, c.server.call)
		if d.ResourceURI != "" {
			t.resources[d.Name] = d.ResourceURI
		}
		if d.AppOnly {
			t.hidden = append(t.hidden, d.Name)
			continue
		}
		for _, warning := range d.Warnings {
			t.warnings = append(t.warnings, toolWarning{d.Name, warning})
		}
		t.tools = append(t.tools, d.Tool)
	}
	c.warn(ctx, t)
	return t, nil
}

// warn logs the problems of a list, unless the list before was the same.
func (c *connection) warn(ctx context.Context, t *toolList) {
	c.server.mu.Lock()
	known := c.server.listed != nil && c.server.listed.equal(t)
	c.server.mu.Unlock()
	if known {
		return
	}
	logger := c.server.servers.options.Logger.With("server", c.server.config.Name)
	if t.list.problem != nil {
		logger.WarnContext(ctx, "the list of tools of an MCP server is cut", "reason", t.list.problem)
	}
	for _, w := range t.warnings {
		logger.WarnContext(ctx, "definition of an MCP tool", "tool", w.tool, "warning", w.text)
	}
}

// toolsChanged records that the server has announced another list of tools.
func (c *connection) toolsChanged() {
	c.lists.forget("tools")
	select {
	case c.changes <- struct{}{}:
	default:
	}
}

// refreshIfStale has the list read again if it is older than the server said it is valid.
func (c *connection) refreshIfStale() {
	c.server.mu.Lock()
	listed := c.server.listed
	stale := listed != nil && listed.list.expires.After(listed.list.read) && !listed.list.fresh()
	c.server.mu.Unlock()
	if stale {
		c.toolsChanged()
	}
}

// refreshOnChange reads the list of tools again whenever the server announces a change,
// until the connection ends.
func (c *connection) refreshOnChange() {
	for {
		select {
		case <-c.changes:
		case <-c.ctx.Done():
			return
		}
		c.settle()
		if changed := c.refresh(); changed {
			continue
		}
		if c.sleep(secondLook) {
			c.lists.forget("tools")
			c.refresh()
		}
	}
}

// settle waits until the server announces no further change.
func (c *connection) settle() {
	latest := time.NewTimer(maxSettle)
	defer latest.Stop()
	for {
		quiet := time.NewTimer(settleTime)
		select {
		case <-c.changes:
			quiet.Stop()
			continue
		case <-quiet.C:
		case <-latest.C:
		case <-c.ctx.Done():
		}
		quiet.Stop()
		return
	}
}

// sleep waits. It is false if the connection ends before, or another change is announced.
func (c *connection) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.changes:
		c.toolsChanged() // for the caller
	case <-c.ctx.Done():
	}
	return false
}

// refresh reads the list of tools. It reports whether it has changed. If it cannot be read,
// the one before stays.
func (c *connection) refresh() (changed bool) {
	ctx, cancel := context.WithTimeoutCause(c.ctx, c.server.servers.options.Begin, ErrSlowStart)
	defer cancel()
	listed, err := c.listTools(ctx)
	s := c.server
	s.mu.Lock()
	s.listErr = err
	if err == nil && s.conn == c {
		changed = s.takeList(listed)
	}
	s.mu.Unlock()
	if err != nil {
		s.servers.options.Logger.WarnContext(ctx, "the tools of an MCP server could not be listed again", "server", s.config.Name, "error", err)
	}
	if changed || err != nil {
		s.tell()
	}
	return changed
}
