// Command coordinator has a small job done on this repository: which examples have no test? A
// coordinator directs two workers and a teammate with an agent of its own, and puts their
// reports together. The program prints who may use which tool, and the reasons. The models are
// scripts; the roles, the tools and the files are real.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := run(ctx, os.Stdout); err != nil {
		cancel()
		fmt.Fprintln(os.Stderr, "coordinator:", err)
		os.Exit(1)
	}
}

// newHost returns a host whose main agent is a coordinator.
func newHost(out io.Writer) (*host, error) {
	roles := pegboard.DefaultRoleTables()
	roles.Coordinator = append(roles.Coordinator, "TeamCreate", "TeamDelete") // tables are data
	h := &host{out: out, config: pegboard.PoolConfig{Roles: &roles}, pools: map[string]*pegboard.Pool{}}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceProject, Deny: []string{"Write"}})
	if err != nil {
		return nil, err
	}
	h.session, err = pegboard.NewSession(pegboard.SessionConfig{Role: pegboard.RoleCoordinator, Dir: root, Permissions: permissions})
	if err != nil {
		return nil, err
	}
	h.agents, err = agents.New(agents.Options{
		Loop: h.loop, Registry: &h.registry, Pool: h.config, Teams: true,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
	})
	if err != nil {
		return nil, err
	}
	tools := slices.Concat(h.agents.Tools(), files.Tools(), []pegboard.Tool{shell.Bash(shell.Options{}), shell.TaskStop(), shell.TaskOutput(shell.TaskOutputOptions{})})
	if err := h.registry.Add(tools...); err != nil {
		return nil, err
	}
	_, err = h.registry.Attach("github", remote("list_issues"), remote("subscribe_pr_activity"))
	return h, err
}

func run(ctx context.Context, out io.Writer) (err error) {
	h, err := newHost(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(context.WithoutCancel(ctx))) }()

	h.title("The prompt of the coordinator says what workers can do")
	text, err := h.agents.WorkerTools(h.session)
	if err != nil {
		return err
	}
	h.say(text)

	h.title("Two workers, in the background since a coordinator starts them")
	h.call(ctx, agent("list the examples", listExamples, nil), agent("list the tests", listTests, nil))
	reports, err := h.await(ctx, 2)
	if err != nil {
		return err
	}
	missing := without(names(reports, listExamples), names(reports, listTests))

	h.title("A teammate checks it, with an agent that it waits for, and stays until it is asked to end")
	h.call(ctx, call("TeamCreate", map[string]any{"team_name": "release"}))
	h.call(ctx, agent("check the result", check+strings.Join(missing, " "), map[string]any{"name": "checker", "team_name": "release"}))
	if reports, err = h.await(ctx, 1); err != nil {
		return err
	}
	h.call(ctx, call("SendMessage", map[string]any{"to": "checker", "message": map[string]any{"type": "shutdown_request"}}))
	if _, err = h.await(ctx, 2); err != nil { // its answer, and its end
		return err
	}
	h.call(ctx, call("TeamDelete", map[string]any{}))

	h.title("The coordinator does no work itself")
	h.call(ctx, call("Glob", map[string]any{"pattern": "examples/*/main.go"}))
	h.say("answer:   Examples without a test:", strings.Join(missing, ", ")+".", "Checked:", reports[0])

	h.title("Who may use what")
	h.explain("coordinator", h.pool())
	for _, who := range []string{"worker", "teammate", "teammate's agent"} {
		if h.pools[who] == nil {
			return fmt.Errorf("no %s has run", who)
		}
		h.explain(who, h.pools[who])
	}
	return nil
}

// await waits until agents have reported n times, and returns the reports in the order of their
// bytes. The host passes them to the coordinator before its next request.
func (h *host) await(ctx context.Context, n int) (reports []string, err error) {
	changed := make(chan struct{}, 1)
	defer background.Of(h.session).Watch(func([]background.Task) {
		select {
		case changed <- struct{}{}:
		default: // a wake-up is already pending
		}
	})()
	for {
		arrival := h.agents.Notified(h.session)
		for _, part := range h.session.Notifications() {
			reports = append(reports, h.report(part.Text))
		}
		if len(reports) >= n {
			break
		}
		select {
		case <-arrival:
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	slices.Sort(reports)
	for _, r := range reports {
		h.say("report:  ", r)
	}
	return reports, nil
}

// report returns the words of an agent in a text for the coordinator.
func (h *host) report(text string) string {
	if _, words, ok := strings.Cut(text, "Its last words:\n"); ok {
		text = words
	} else if _, words, ok := strings.Cut(text, "It reports:\n"); ok {
		_, text, _ = strings.Cut(words, "\n\n") // the host's lines come before the report
	}
	line, _, _ := strings.Cut(text, "\n")
	return h.named(line)
}

// names returns the folders that the report about a task lists.
func names(reports []string, task string) []string {
	for _, r := range reports {
		if list, ok := strings.CutPrefix(r, task+" "); ok {
			return strings.Fields(list)
		}
	}
	return nil
}

// without returns all but some.
func without(all, some []string) []string {
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(some, name) })
}

// explain prints the tools of a pool, and the others by the reasons for their absence.
func (h *host) explain(who string, pool *pegboard.Pool) {
	var has, reasons []string
	for t := range pool.All() {
		has = append(has, t.Info().Name)
	}
	slices.Sort(has)
	h.sayf("%s: %s\n", who, strings.Join(has, ", "))
	lacks := map[string][]string{}
	for _, e := range pool.Excluded() {
		if lacks[e.Reason] == nil {
			reasons = append(reasons, e.Reason)
		}
		lacks[e.Reason] = append(lacks[e.Reason], e.Name)
	}
	for _, reason := range reasons {
		h.sayf("    not %s: %s\n", strings.Join(lacks[reason], ", "), reason)
	}
}
