// Command subagent shows agents at work on this repository: two of one type at the same time,
// one that must ask, one in the background whose report comes as a notice while the main agent
// goes on, and one that had ended and is asked again. The models are scripts; the loop, the tools and the files are real.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "subagent:", err)
		os.Exit(1)
	}
}

// A host is the program around the main agent.
type host struct {
	out      io.Writer
	registry pegboard.Registry
	agents   *agents.Agents
	session  *pegboard.Session
	together *tooltest.Barrier // which the two agents of one type reach at the same time
}

func run(ctx context.Context, out io.Writer) (err error) {
	h := &host{out: out, together: &tooltest.Barrier{N: 2}}
	root, err := repository()
	if err != nil {
		return err
	}
	if h.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: root, Ask: h.ask}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(context.WithoutCancel(ctx))) }()
	h.agents, err = agents.New(agents.Options{
		Loop: h.loop, Registry: &h.registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
	})
	if err != nil {
		return err
	}
	tools := append(h.agents.Tools(), files.Read(files.ReadOptions{}), files.Glob(files.GlobOptions{}), files.Grep(files.GrepOptions{}), shell.Bash(shell.Options{}))
	if err := h.registry.Add(tools...); err != nil {
		return err
	}

	h.title("Two agents of one type, in one message")
	h.call(ctx,
		agent(map[string]any{"subagent_type": "Explore", "description": "count the examples", "prompt": countExamples}),
		agent(map[string]any{"subagent_type": "Explore", "description": "find Fork", "prompt": findFork}))

	h.title("One that asks")
	h.call(ctx, agent(map[string]any{"description": "ask for the version", "prompt": goVersion, "name": "versions"}))

	h.title("One in the background")
	h.call(ctx, agent(map[string]any{"description": "count the tests", "prompt": countTests, "run_in_background": true}))
	h.call(ctx, call("Read", map[string]any{"file_path": filepath.Join(root, "go.mod"), "limit": 1})) // the main agent goes on
	if err := h.awaitNews(ctx); err != nil {
		return err
	}

	h.title("One that has ended, and goes on with all that it knows")
	h.call(ctx, call("SendMessage", map[string]any{"to": "versions", "message": "How do you know?"}))
	if err := h.awaitNews(ctx); err != nil {
		return err
	}

	h.title("All of them")
	all := h.agents.List(h.session)
	slices.SortFunc(all, func(a, b agents.Status) int { return strings.Compare(a.Description, b.Description) })
	for _, a := range all {
		h.sayf("%-15s  %-20s %-9s calls: %d\n", a.Type, a.Description, a.State, a.Calls)
	}
	return nil
}

// call runs the calls of one message of the main agent and prints the results.
func (h *host) call(ctx context.Context, calls ...pegboard.Call) {
	for _, c := range calls {
		h.sayf("model:    %s %s\n", c.Name, strings.ReplaceAll(string(c.Input), h.session.Dir(), "."))
	}
	var executor pegboard.Executor
	for _, o := range executor.Run(ctx, h.registry.AssemblePool(h.session, pegboard.PoolConfig{}), calls...) {
		h.print("result:  ", o.Result.Text())
	}
}

// ask stands for the user. It prints which agent asks, and allows the call.
func (h *host) ask(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	who := "the main agent"
	for _, a := range h.agents.List(h.session) {
		if len(q.AgentPath) > 0 && a.ID == q.AgentPath[len(q.AgentPath)-1] {
			who = "the agent for \"" + a.Description + "\""
		}
	}
	h.print("question:", fmt.Sprintf("%s wants to %s; the user says yes", who, q.Call.View().Before))
	return policy.Decision{Behavior: policy.Allow, Reason: "allowed once"}, nil
}

// awaitNews waits until nothing runs in the background, and prints the words that the host
// passes to the main agent before its next request.
func (h *host) awaitNews(ctx context.Context) error {
	tasks := background.Of(h.session)
	for _, t := range tasks.List() {
		if _, err := tasks.Wait(ctx, t.ID); err != nil {
			return err
		}
	}
	for _, part := range h.session.Notifications() {
		h.print("news:    ", part.Text)
	}
	return nil
}

func (h *host) title(text string) { h.sayf("\n%s\n", text) }

func (h *host) say(texts ...any) { _, _ = fmt.Fprintln(h.out, texts...) }

func (h *host) sayf(format string, args ...any) { _, _ = fmt.Fprintf(h.out, format, args...) }

// print prints a text without ids and directories, which differ from run to run.
func (h *host) print(who, text string) {
	for i, a := range h.agents.List(h.session) {
		text = strings.ReplaceAll(text, a.ID, fmt.Sprintf("#%d", i+1))
	}
	for i, t := range background.Of(h.session).List() {
		text = strings.ReplaceAll(text, t.ID, fmt.Sprintf("agent_%d", i+1))
		text = strings.ReplaceAll(text, t.OutputFile, "its file")
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), h.session.Dir()+string(filepath.Separator), "")
	h.say(who, strings.ReplaceAll(text, "\n", "\n          "))
}

// agent returns a call of the Agent tool.
func agent(input map[string]any) pegboard.Call { return call("Agent", input) }

func call(tool string, input map[string]any) pegboard.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and bools can be encoded
	}
	return pegboard.Call{ID: tool + fmt.Sprint(len(raw)), Name: tool, Input: raw}
}

// repository returns the directory of this repository.
func repository() (string, error) {
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "ROUGH_EDGES.md")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("run it inside the repository")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
