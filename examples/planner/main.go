// Command planner shows the tools of a session at work: a model plans, asks the user a
// question, is refused once and approved with another mode, keeps tasks, works in a worktree,
// schedules a check that fires, and sends the user a file. The model is a script; the tools,
// the repository and the user's answers are real. Everything happens in a scratch folder,
// which is removed afterwards.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/comms"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "planner:", err)
		os.Exit(1)
	}
}

// A host is the program around the model.
type host struct {
	out      io.Writer
	scratch  string
	registry pegboard.Registry
	session  *pegboard.Session
	jobs     *schedule.Schedule
	later    time.Duration // by which the clock of the jobs was moved forward
	plans    int           // that were shown to the user
}

func run(ctx context.Context, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "planner")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return err
	}
	h := &host{out: out, scratch: scratch}
	repository := filepath.Join(scratch, "repository")
	if err := makeRepository(ctx, repository); err != nil {
		return err
	}
	cfg := session.Prepare(pegboard.SessionConfig{Dir: repository, Ask: h.answer})
	if h.session, err = pegboard.NewSession(cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(context.WithoutCancel(ctx))) }()
	if err := h.addTools(); err != nil {
		return err
	}
	return h.play(ctx)
}

// addTools registers the tools of a session, and those to work with.
func (h *host) addTools() error {
	list, err := tasks.Open(filepath.Join(h.scratch, "tasks.json"), tasks.Hooks{})
	if err != nil {
		return err
	}
	h.jobs, err = schedule.Open(filepath.Join(h.scratch, "jobs.json"), schedule.Options{
		Exact: true, Now: func() time.Time { return time.Now().Add(h.later) },
	})
	if err != nil {
		return err
	}
	send, err := comms.SendUserFile(comms.Options{SendFile: h.deliver})
	if err != nil {
		return err
	}
	tools := []pegboard.Tool{session.AskUserQuestion(), send, shell.Bash(shell.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{})}
	for _, more := range [][]pegboard.Tool{
		session.PlanTools(session.PlanOptions{}), session.Worktree(session.WorktreeOptions{}), list.Tools(), h.jobs.Tools(), files.Tools(),
	} {
		tools = append(tools, more...)
	}
	return h.registry.Add(tools...)
}

// answer is the user. A program would show the question and wait.
func (h *host) answer(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	if questions, ok := session.Asked(q); ok {
		asked, choice := questions[0].Question, questions[0].Options[1].Label
		h.say("user:    " + asked + " " + choice)
		return session.Answer(q, session.Answers{Answers: map[string]string{asked: choice}})
	}
	if q.Call.Name != "ExitPlanMode" {
		h.say("user:    allows: " + h.short(q.Call.View().Before))
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	if h.plans++; h.plans == 1 {
		h.say("user:    refuses the plan")
		return policy.Decision{Behavior: policy.Deny, Reason: "The plan has no test. Add one."}, nil
	}
	h.say("user:    approves the plan, and edits from now on")
	return policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{
		{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession},
	}}, nil
}

// deliver shows the user a file.
func (h *host) deliver(_ context.Context, _ *pegboard.Session, d comms.Delivery) error {
	for _, f := range d.Files {
		content, err := io.ReadAll(f.Content)
		if err != nil {
			return err
		}
		h.say(fmt.Sprintf("user:    gets %s (%s, %d bytes), %q: %s", f.Name, f.MIME, f.Size, d.Caption, strings.TrimSpace(string(content))))
	}
	return nil
}

// call runs the calls of one message and shows the first line of each result.
func (h *host) call(ctx context.Context, calls ...pegboard.Call) {
	for _, c := range calls {
		h.say("model:   " + c.Name + " " + h.short(string(c.Input)))
	}
	var executor pegboard.Executor
	for _, o := range executor.Run(ctx, h.registry.AssemblePool(h.session, pegboard.PoolConfig{}), calls...) {
		line, _, _ := strings.Cut(strings.TrimSpace(o.Result.Text()), "\n")
		h.say("result:  " + h.short(line))
	}
}

func (h *host) short(text string) string { return strings.ReplaceAll(text, h.scratch, "SCRATCH") }

func (h *host) title(text string) { h.say("\n" + text) }

func (h *host) say(text string) { _, _ = fmt.Fprintln(h.out, text) }

func call(tool string, input map[string]any) pegboard.Call {
	if input == nil {
		input = map[string]any{}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings, bools and lists can be encoded
	}
	return pegboard.Call{ID: tool + string(raw), Name: tool, Input: raw}
}

// makeRepository makes a repository with one commit.
func makeRepository(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "greet.sh"), []byte("echo hello\n"), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "planner"}, {"config", "user.email", "planner@example.com"}, {"add", "-A"}, {"commit", "-qm", "A greeting"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
