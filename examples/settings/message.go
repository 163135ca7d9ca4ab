package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// message are the calls of the model.
func message(dir string) []pegboard.Call {
	var calls []pegboard.Call
	for _, c := range []struct {
		name  string
		input map[string]string
	}{
		{name: "Bash", input: map[string]string{"command": "rm fruit.txt"}},
		{name: "Bash", input: map[string]string{"command": "sort fruit.txt"}},
		{name: "Bash", input: map[string]string{"command": "touch basket.txt"}},
		{name: "Write", input: map[string]string{"file_path": filepath.Join(dir, "note.txt"), "content": "three kinds\n"}},
		{name: "Read", input: map[string]string{"file_path": filepath.Join(dir, "fruit.txt")}},
		{name: "Bash", input: map[string]string{"command": "git push origin main"}},
	} {
		input, _ := json.Marshal(c.input) // strings always have JSON
		calls = append(calls, pegboard.Call{ID: strconv.Itoa(len(calls) + 1), Name: c.name, Input: input})
	}
	return calls
}

// play makes a session of the settings and runs the calls in it.
func play(ctx context.Context, show screen, f settings.Files, loaded *settings.Loaded) (err error) {
	permissions, err := loaded.Permissions()
	if err != nil {
		return err
	}
	options := loaded.HookOptions()
	options.Message = func(_ *pegboard.Session, text string) { show.printf("for the person: %s\n", text) }
	options.OnProblem = func(_ hooks.Handler, err error) { show.printf("hook problem: %s\n", pegboard.OneLine(err.Error())) }
	runner := hooks.New(loaded.Hooks, options)
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: f.Dir, Home: f.Home, Permissions: permissions, OnRemember: f.Save, Hooks: runner.Hooks(),
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) { // the user
			show.printf("the user is asked: %s\n", pegboard.OneLine(q.Reason))
			return policy.Decision{Behavior: policy.Allow}, nil
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	answer, err := runner.Fire(ctx, session, "SessionStart", map[string]string{"source": "startup"})
	if err != nil {
		return err
	}
	show.printf("The model reads at the start: %v\n", answer.Context)

	var registry pegboard.Registry
	bash := shell.Bash(shell.Options{Timeout: loaded.Values.ShellTimeout, MaxTimeout: loaded.Values.ShellMaxTimeout})
	if err := registry.Add(append(files.Tools(), bash)...); err != nil {
		return err
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{Gates: loaded.Values.Gates, Deferral: loaded.Values.Deferral, Restrictions: loaded.Restrictions})
	var executor pegboard.Executor
	outcomes := executor.Run(ctx, pool, message(f.Dir)...)
	for _, o := range outcomes {
		show.outcome(o)
	}
	for _, part := range session.Notifications() {
		show.printf("news for the model: %s\n", part.Text)
	}
	show.printf("\nThe decisions, without the hooks:\n")
	for _, c := range message(f.Dir) {
		show.printf("%s. %s %s\n%s\n", c.ID, c.Name, c.Input, pool.ExplainDecision(ctx, c))
	}
	return nil
}

// outcome shows the decision on a call, its decider, and the texts that the model reads.
func (s screen) outcome(o pegboard.Outcome) {
	s.printf("\n%s. %s %s\n", o.Call.ID, o.Call.Name, o.Call.Input)
	s.printf("   %v by %v: %s\n", o.Decision.Behavior, o.Decision.By, pegboard.OneLine(o.Decision.Reason))
	for _, p := range o.Result.Parts {
		s.printf("   result: %s\n", pegboard.OneLine(p.Text))
	}
	for _, m := range o.Result.Messages {
		s.printf("   beside it: %s\n", pegboard.OneLine(m.Text))
	}
}
