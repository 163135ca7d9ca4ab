package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A host is the program around the agent.
type host struct {
	dir, scratch   string
	address, token string // of the page

	tools    *builtin.Set
	session  *pegboard.Session
	executor pegboard.Executor
	screen   *screen
	server   *http.Server
}

// newHost makes everything and serves the page.
func newHost(dir, listen string, ask pegboard.Asker, s *screen) (_ *host, err error) {
	h := &host{dir: dir, token: rand.Text(), screen: s}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close(context.Background()))
		}
	}()
	if h.scratch, err = os.MkdirTemp("", "pegboard-demo-"); err != nil {
		return nil, err
	}
	if h.scratch, err = filepath.EvalSymlinks(h.scratch); err != nil {
		return nil, err
	}
	if err := h.open(ask); err != nil {
		return nil, err
	}
	page, err := inspect.New(inspect.Options{
		Registry: h.tools.Registry, Session: h.session,
		Token: h.token, Answers: true, Contents: true,
		Sections: []inspect.Section{{Title: "Agents", Rows: h.agentRows}, {Title: "Background tasks", Rows: h.taskRows}},
	})
	if err != nil {
		return nil, err
	}
	h.executor.OnEvent = func(e pegboard.Event) {
		page.Record(e)
		s.event(e)
	}
	return h, h.serve(listen, page)
}

// open makes the tools and the session.
func (h *host) open(ask pegboard.Asker) error {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceProject,
		Allow:  []string{"Bash(" + steps + ")", "Bash(" + numbers + ")", "Agent"},
		Ask:    []string{"Bash(git push *)"},
		Deny:   []string{"Read(**/.env)", "Bash(rm *)"},
	})
	if err != nil {
		return err
	}
	if h.tools, err = builtin.Tools(builtin.Options{Loop: h.loop}); err != nil {
		return err
	}
	h.session, err = h.tools.NewSession(pegboard.SessionConfig{Dir: h.dir, MoreDirs: []string{h.scratch}, Permissions: perms, Ask: ask})
	return err
}

// serve serves the page. It is at the root of a server of its own; a program with other
// pages mounts it with http.StripPrefix.
func (h *host) serve(listen string, page http.Handler) error {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	h.address = listener.Addr().String()
	h.server = &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = h.server.Serve(listener) }() // close ends it
	return nil
}

// close ends all parts of the host. It may be called for a host that is not whole.
func (h *host) close(ctx context.Context) (err error) {
	if h.server != nil {
		err = h.server.Close()
	}
	if h.session != nil {
		err = errors.Join(err, h.session.Close(ctx))
	}
	if h.scratch != "" {
		err = errors.Join(err, os.RemoveAll(h.scratch))
	}
	return err
}

// agentRows is a section of the page.
func (h *host) agentRows() (header []string, rows [][]string) {
	for _, a := range h.tools.Agents.List(h.session) {
		rows = append(rows, []string{a.ID, a.Type, a.Description, string(a.State), fmt.Sprint(a.Calls)})
	}
	return []string{"id", "type", "task", "state", "calls"}, rows
}

// taskRows is a section of the page.
func (h *host) taskRows() (header []string, rows [][]string) {
	for _, t := range background.Of(h.session).List() {
		rows = append(rows, []string{t.ID, t.Kind, string(t.State), cmp.Or(t.Command, t.Description), t.Started.Format(time.TimeOnly)})
	}
	return []string{"id", "kind", "state", "what", "since"}, rows
}
