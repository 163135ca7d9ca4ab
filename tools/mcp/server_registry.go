package mcp

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// takeList makes a list the newest one. It reports whether the list has changed: one that is
// equal only says how long it is valid. The lock is held.
func (s *server) takeList(listed *toolList) (changed bool) {
	if s.listed != nil && s.listed.equal(listed) {
		s.listed.list = listed.list
		return false
	}
	s.listed = listed
	return true
}

// pendingTools returns the list that belongs into the registry. The lock is held.
func (s *server) pendingTools() *toolList {
	if s.status == Failed || s.status == Closed {
		return nil
	}
	return s.listed
}

// apply puts the newest list into the registry.
func (s *server) apply(ctx context.Context) {
	if s.refused {
		return
	}
	if c := s.connection(); c != nil {
		c.refreshIfStale()
	}
	s.mu.Lock()
	list, changed := s.pendingTools(), s.pendingTools() != s.applied
	s.mu.Unlock()
	if !changed {
		return
	}
	var tools []pegboard.Tool
	about := ""
	if list != nil {
		tools, about = list.tools, list.about
	}
	report, err := s.servers.registry.Replace(s.config.Name, tools...)
	if err != nil { // the host has detached the source
		s.servers.options.Logger.WarnContext(ctx, "tools of an MCP server cannot be offered", "server", s.config.Name, "error", err)
	}
	s.servers.registry.SetDescription(s.config.Name, about)
	for tool, reason := range report.Quarantined {
		s.servers.options.Logger.WarnContext(ctx, "a tool of an MCP server cannot be offered", "server", s.config.Name, "tool", tool, "reason", reason)
	}
	s.mu.Lock()
	s.applied, s.report, s.offered = list, report, s.offered+len(report.Added)-len(report.Removed)
	s.mu.Unlock()
	s.tell()
}

// tellRoots tells the server the working directories, if they have changed.
func (s *server) tellRoots(dirs []string) {
	if c := s.connection(); c != nil {
		goroutine.Go(func() { c.setRoots(dirs) }) // it waits for the server
	}
}
