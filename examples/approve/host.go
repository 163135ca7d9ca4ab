package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// makeProject makes a repository in dir/project, and dir/home as the home directory
// of its owner.
func makeProject(dir string) error {
	project := filepath.Join(dir, "project")
	if out, err := exec.Command("git", "init", "-q", "--template=", project).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	config := filepath.Join(project, ".git", "config")
	made, err := os.ReadFile(config)
	const owner = "[user]\n\tname = Ada\n\temail = ada@example.org\n[commit]\n\tgpgsign = false\n[core]\n\thooksPath = none\n"
	return errors.Join(err,
		os.Mkdir(filepath.Join(dir, "home"), 0o700),
		os.WriteFile(config, append(made, owner...), 0o600),
		os.WriteFile(filepath.Join(project, "greeting.txt"), []byte("Hello, world!\nHow are you?\n"), 0o600),
	)
}

// A host is the program around the agents. It has their session with the saved
// permissions, their tools, and a log of the decisions.
type host struct {
	session  *pegboard.Session
	agents   map[string]*pegboard.Session // forks, by id
	registry pegboard.Registry
	executor pegboard.Executor
	audit    string // path of the log
	log      *audit.Log
}

// newHost returns the host of the project in dir. ask answers the questions. listen
// gets the executor's events and may be nil.
func newHost(ctx context.Context, dir string, ask pegboard.Asker, listen func(pegboard.Event)) (*host, error) {
	project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	saved := settings.Locate(project, home)
	saved.Trusted = true // this program has made the project
	loaded, err := saved.Load(ctx)
	if err != nil {
		return nil, err
	}
	perms, err := loaded.Permissions()
	if err != nil {
		return nil, err
	}
	h := &host{agents: map[string]*pegboard.Session{}, audit: filepath.Join(dir, "audit.jsonl")}
	if err := h.registry.Add(append(files.Tools(), shell.Bash(shell.Options{}))...); err != nil {
		return nil, err
	}
	if h.log, err = audit.Open(h.audit, audit.Options{}); err != nil {
		return nil, err
	}
	h.executor.OnEvent = func(e pegboard.Event) {
		h.log.Record(e)
		if listen != nil {
			listen(e)
		}
	}
	h.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: project, Home: home, Permissions: perms, Ask: ask, OnRemember: saved.Save})
	if err != nil {
		return nil, errors.Join(err, h.log.Close())
	}
	h.agents[""] = h.session
	return h, nil
}

// agent returns the session of an agent. It forks the session when it is first
// needed.
func (h *host) agent(id string) (s *pegboard.Session, err error) {
	s, ok := h.agents[id]
	if !ok {
		if s, err = h.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: id}); err == nil {
			h.agents[id] = s
		}
	}
	return s, err
}

// close ends the session and closes the log.
func (h *host) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(h.session.Close(ctx), h.log.Close())
}

// report prints the log.
func (h *host) report(out io.Writer) error {
	lines, err := os.ReadFile(h.audit)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nthe audit log:\n%s", lines)
	return err
}
