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
		mode          pegboard.Mode
		allow         []string
		answer        pegboard.Behavior // of the person
		want          string            // of the output; empty means that it does not run
	}{
		{name: "one that reads", command: "ls", mode: pegboard.ModeDefault},
		{name: "one that edits", command: "mkdir d", mode: pegboard.ModeAcceptEdits},
		{name: "one that edits, in auto", command: "mkdir d", mode: pegboard.ModeAuto},
		{name: "one that reads, in plan", command: "ls", mode: pegboard.ModePlan},
		{name: "behind a wrapper", command: "timeout 5 ls", mode: pegboard.ModeDefault},
		{name: "a builtin behind a wrapper", command: "timeout 5 echo plain", mode: pegboard.ModeDefault},
		{name: "a builtin", command: "echo plain", mode: pegboard.ModeDefault, want: "plain"},
		{name: "another one", command: "head -c 5 file", mode: pegboard.ModeDefault, want: "plain"},
		{name: "made by the line", command: "cp .venv/bin/tool .venv/bin/head; head -c 5 file; rm .venv/bin/head", mode: pegboard.ModeAcceptEdits, allow: []string{"Edit(.venv/bin/**)"}, want: "plain"},
		{name: "made by the line, with others", command: "cp .venv/bin/tool .venv/bin/head; head file; tool", mode: pegboard.ModeAcceptEdits, allow: []string{"Bash(tool:*)", "Edit(.venv/**)"}},
		{name: "moved by the line, with others", command: "mv .venv x; mv x .venv; tool", mode: pegboard.ModeAcceptEdits, allow: []string{"Bash(tool:*)", "Edit(.venv/**)"}},
		{name: "an edit elsewhere, with others", command: "cp file other; tool", mode: pegboard.ModeAcceptEdits, allow: []string{"Bash(tool:*)"}, want: "planted tool"},
		{name: "a rule with a wildcard", command: "ls", mode: pegboard.ModeDefault, allow: []string{"Bash(ls:*)"}},
		{name: "a rule with a wildcard, with others", command: "ls && tool", mode: pegboard.ModeDefault, allow: []string{"Bash(ls:*)", "Bash(tool:*)"}},
		{name: "a rule for what edits, sends and more", command: "git add file", mode: pegboard.ModeDefault, allow: []string{"Bash(git add:*)"}},
		{name: "what nobody knows anything of", command: "git frobnicate x", mode: pegboard.ModeDefault, allow: []string{"Bash(git frobnicate:*)"}},
		{name: "a rule that spells it", command: "ls", mode: pegboard.ModeDefault, allow: []string{"Bash(ls)"}, want: "planted ls"},
		{name: "a rule for every line", command: "ls", mode: pegboard.ModeDefault, allow: []string{"Bash"}, want: "file"},
		{name: "bypass", command: "ls", mode: pegboard.ModeBypass, want: "file"},
		{name: "a person", command: "ls", mode: pegboard.ModeDefault, answer: pegboard.Allow, want: "planted ls"},
		{name: "the project's own", command: "tool", mode: pegboard.ModeDefault, allow: []string{"Bash(tool:*)"}, want: "planted tool"},
		{name: "what projects bring", command: "python --version", mode: pegboard.ModeDefault},
		{name: "what projects bring, by a rule", command: "python --version", mode: pegboard.ModeDefault, allow: []string{"Bash(python:*)"}, want: "planted python"},
		{name: "what projects bring, in bypass", command: "python --version", mode: pegboard.ModeBypass, want: "planted python"},
		{name: "where it is", command: "command -v tool", mode: pegboard.ModeDefault, want: ".venv/bin/tool"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, ".venv", "bin"), 0o755))
			for _, name := range []string{"ls", "mkdir", "echo", "tool", "python", "git"} {
				script.Write(t, filepath.Join(dir, ".venv", "bin", name), "#!/bin/sh\necho planted "+name+"\n")
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("plain\n"), 0o600))
			perms, err := pegboard.NewPermissions(tc.mode, pegboard.RuleSet{Allow: tc.allow})
			require.NoError(t, err)
			cfg := pegboard.SessionConfig{Dir: dir, Permissions: perms}
			if tc.answer != pegboard.Undecided {
				cfg.Ask = func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
					require.Contains(t, q.Reason, filepath.Join(dir, ".venv", "bin", "ls"))
					return pegboard.Decision{Behavior: tc.answer}, nil
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
