package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestProgramsOfTheProject: PATH begins in the project, as in an environment that was
// activated. What the tables say of a program is not said of another one of its name.
func TestProgramsOfTheProject(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS == "windows" {
		t.Skip("no line is understood there")
	}
	for _, tc := range []struct {
		name, command string
		mode          policy.Mode
		allow         []string
		answer        policy.Behavior // of the person
		want          string          // of the output; empty means that it does not run
	}{
		{name: "one that reads", command: "ls", mode: policy.ModeDefault},
		{name: "one that edits", command: "mkdir d", mode: policy.ModeAcceptEdits},
		{name: "one that edits, in auto", command: "mkdir d", mode: policy.ModeAuto},
		{name: "one that reads, in plan", command: "ls", mode: policy.ModePlan},
		{name: "behind a wrapper", command: "timeout 5 ls", mode: policy.ModeDefault},
		{name: "a builtin behind a wrapper", command: "timeout 5 echo plain", mode: policy.ModeDefault},
		{name: "a builtin", command: "echo plain", mode: policy.ModeDefault, want: "plain"},
		{name: "another one", command: "head -c 5 file", mode: policy.ModeDefault, want: "plain"},
		{name: "made by the line", command: "cp .venv/bin/tool .venv/bin/head; head -c 5 file; rm .venv/bin/head", mode: policy.ModeAcceptEdits, allow: []string{"Edit(.venv/bin/**)"}, want: "plain"},
		{name: "made by the line, with others", command: "cp .venv/bin/tool .venv/bin/head; head file; tool", mode: policy.ModeAcceptEdits, allow: []string{"Bash(tool:*)", "Edit(.venv/**)"}},
		{name: "moved by the line, with others", command: "mv .venv x; mv x .venv; tool", mode: policy.ModeAcceptEdits, allow: []string{"Bash(tool:*)", "Edit(.venv/**)"}},
		{name: "an edit elsewhere, with others", command: "cp file other; tool", mode: policy.ModeAcceptEdits, allow: []string{"Bash(tool:*)"}, want: "planted tool"},
		{name: "a rule with a wildcard", command: "ls", mode: policy.ModeDefault, allow: []string{"Bash(ls:*)"}},
		{name: "a rule with a wildcard, with others", command: "ls && tool", mode: policy.ModeDefault, allow: []string{"Bash(ls:*)", "Bash(tool:*)"}},
		{name: "a rule for what edits, sends and more", command: "git add file", mode: policy.ModeDefault, allow: []string{"Bash(git add:*)"}},
		{name: "what nobody knows anything of", command: "git frobnicate x", mode: policy.ModeDefault, allow: []string{"Bash(git frobnicate:*)"}},
		{name: "a rule that spells it", command: "ls", mode: policy.ModeDefault, allow: []string{"Bash(ls)"}, want: "planted ls"},
		{name: "a rule for every line", command: "ls", mode: policy.ModeDefault, allow: []string{"Bash"}, want: "file"},
		{name: "bypass", command: "ls", mode: policy.ModeBypass, want: "file"},
		{name: "a person", command: "ls", mode: policy.ModeDefault, answer: policy.Allow, want: "planted ls"},
		{name: "the project's own", command: "tool", mode: policy.ModeDefault, allow: []string{"Bash(tool:*)"}, want: "planted tool"},
		{name: "what projects bring", command: "python --version", mode: policy.ModeDefault},
		{name: "what projects bring, by a rule", command: "python --version", mode: policy.ModeDefault, allow: []string{"Bash(python:*)"}, want: "planted python"},
		{name: "what projects bring, in bypass", command: "python --version", mode: policy.ModeBypass, want: "planted python"},
		{name: "where it is", command: "command -v tool", mode: policy.ModeDefault, want: ".venv/bin/tool"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, ".venv", "bin"), 0o755))
			for _, name := range []string{"ls", "mkdir", "echo", "tool", "python", "git"} {
				script.Write(t, filepath.Join(dir, ".venv", "bin", name), "#!/bin/sh\necho planted "+name+"\n")
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("plain\n"), 0o600))
			perms, err := policy.New(tc.mode, policy.RuleSet{Allow: tc.allow})
			require.NoError(t, err)
			cfg := pegboard.SessionConfig{Dir: dir, Permissions: perms}
			if tc.answer != policy.Undecided {
				cfg.Ask = func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
					require.Contains(t, q.Reason, filepath.Join(dir, ".venv", "bin", "ls"))
					return policy.Decision{Behavior: tc.answer}, nil
				}
			}
			s, err := pegboard.NewSession(cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			o := shell.Options{Env: []string{"PATH=" + filepath.Join(dir, ".venv", "bin") + ":" + os.Getenv("PATH")}}
			out := bash(t, s, o, `{"command":"`+tc.command+`"}`)
			if tc.want == "" {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				return
			}
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), tc.want)
		})
	}
}
