package skills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, args, want string
	}{
		{name: "in a line", body: "It is !`echo one`, and !`echo two`.", want: "It is one, and two."},
		{name: "of several lines", body: "First:\n```!\nif true; then\n  echo yes\nfi\n```\nLast.", want: "First:\nyes\nLast."},
		{name: "an argument", body: "!`echo [$0]`", args: "seven eight", want: "[seven]"},
		{name: "a quoted argument", body: "!`echo \"$ARGUMENTS\"`", args: "seven  eight", want: "seven  eight"},
		{name: "an exit code", body: "!`echo found; false`", want: "found\n[exit code 1]"},
		{name: "no output", body: "[ !`true`]", want: "[ ]"},
		{name: "behind a letter", body: "wow!`echo no`", want: "wow!`echo no`"},
		{name: "output that looks like a command", body: "!`printf '!\\140echo again\\140 \\44ARGUMENTS \\44{CLAUDE_SESSION_ID}'`", args: "x",
			want: "!`echo again` $ARGUMENTS ${CLAUDE_SESSION_ID}\n\nARGUMENTS: x"},
		{name: "an argument that looks like a command", body: "$ARGUMENTS", args: "!`echo again` $0", want: "!`echo again` $0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: tt.body}}, rules: allowSkills("Bash")})
			o := w.load(t, "it", tt.args)
			require.NoError(t, o.Err)
			require.Equal(t, "Skill it:\n\n"+tt.want, messages(o))
		})
	}
}

// TestArgumentsAreNoCommands checks that what the model writes cannot add to a command.
func TestArgumentsAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"a;touch made", "$(touch made)", "`touch made`", "a\ntouch made", "a&touch made", "a|touch made", `a" ; touch made; "`, "' ; touch made '", "a>made", "*", "~", `\`, "a\u2028b", "\x00"} {
		for _, body := range []string{"!`echo $ARGUMENTS`", "!`echo \"$ARGUMENTS\"`", "!`echo '$ARGUMENTS'`"} {
			w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: body}}, rules: allowSkills("Bash")})
			o := w.load(t, "it", args)
			require.ErrorContains(t, o.Err, "an argument is put into a command", "%q in %s", args, body)
			require.NoFileExists(t, filepath.Join(w.dir, "made"))
			require.Empty(t, messages(o))
		}
	}
}

// TestRefusedCommandLeavesNoTrace checks that a command which does not run ends the call: nothing
// of the body reaches the model, no rule is added, no directory is lent, and no other command has
// run.
func TestRefusedCommandLeavesNoTrace(t *testing.T) {
	t.Parallel()
	denyInHook := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		if h.Call.Name == "Bash" && strings.Contains(string(h.Call.Input), "secretword") {
			return policy.Decision{Behavior: policy.Deny, Reason: "a hook says no"}, nil
		}
		return policy.Decision{}, nil
	}}
	allowed := func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	tests := []struct {
		name  string
		rules policy.RuleSet
		hooks pegboard.Hooks
		ask   pegboard.Asker
		mode  policy.Mode
		shell bool // PowerShell, which the pool does not have
		runs  bool // the first command
	}{
		{name: "denied by a rule", rules: policy.RuleSet{Allow: []string{"Skill", "Bash"}, Deny: []string{"Bash(secretword *)"}}},
		{name: "asked about, although a person would allow it", rules: policy.RuleSet{Allow: []string{"Skill", "Bash(touch *)"}}, ask: allowed},
		{name: "plan mode", rules: policy.RuleSet{Allow: []string{"Skill", "Bash"}}, ask: allowed, mode: policy.ModePlan},
		{name: "denied by a hook while it runs", rules: allowSkills("Bash"), hooks: denyInHook, runs: true},
		{name: "no such shell", rules: allowSkills("Bash"), shell: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(realDir(t), "it")
			write(t, filepath.Join(dir, "more.md"), "more\n")
			skill := skills.Skill{
				Name: "it", Body: "Bodyword.\n!`touch made`\n!`secretword now`", Trusted: true, Dir: dir, PowerShell: tt.shell,
				AllowedTools: []string{"Read(//etc/hosts)"}, DisallowedTools: []string{"Read(//etc/fstab)"},
			}
			w := newWorld(t, worldConfig{list: []skills.Skill{skill}, rules: tt.rules, hooks: tt.hooks, ask: tt.ask, mode: tt.mode})
			before := w.session.Permissions()
			o := w.load(t, "it", "")
			require.ErrorIs(t, o.Err, skills.ErrCommand)
			var refused *skills.CommandError
			require.ErrorAs(t, o.Err, &refused)
			require.Contains(t, []string{"touch made", "secretword now"}, refused.Command)
			for _, text := range []string{o.Result.Text(), messages(o), o.Err.Error()} {
				require.NotContains(t, text, "odyword")
				require.NotContains(t, text, "secretword")
				require.NotContains(t, text, "touch")
			}
			require.Nil(t, o.Result.Data)
			require.Equal(t, before.Rules(), w.session.Permissions().Rules())
			_, err := os.Stat(filepath.Join(w.dir, "made"))
			require.Equal(t, tt.runs, err == nil)
			require.NotEqual(t, policy.Allow, w.pool.Decide(t.Context(), pegboard.Call{Name: "Read", Input: []byte(`{"file_path":"` + filepath.Join(dir, "more.md") + `"}`)}).Behavior)
			require.Empty(t, w.skills.Carry(w.session))
		})
	}
}

// TestOwnRulesAllowCommands checks that the commands of a trusted skill run under its rules, and
// those of another do not.
func TestOwnRulesAllowCommands(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		skill := skills.Skill{Name: "it", Body: "!`touch made`", AllowedTools: []string{"Bash(touch *)"}, Trusted: trusted}
		w := newWorld(t, worldConfig{list: []skills.Skill{skill}, rules: allowSkills()})
		o := w.load(t, "it", "")
		require.Equal(t, !trusted, errors.Is(o.Err, skills.ErrCommand), "%v", o.Err)
		_, err := os.Stat(filepath.Join(w.dir, "made"))
		require.Equal(t, trusted, err == nil)
	}
}

func TestNoCommands(t *testing.T) {
	t.Parallel()
	list := func(*pegboard.Session, []string) []skills.Skill {
		return []skills.Skill{{Name: "it", Body: "On !`date`."}}
	}
	w := newWorld(t, worldConfig{options: skills.Options{List: list, NoCommands: true}, rules: allowSkills()})
	require.Equal(t, "Skill it:\n\nOn [the host runs no commands of skills].", messages(w.load(t, "it", "")))
}

func TestLongOutputIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "!`seq 1 20000`"}}, rules: allowSkills("Bash")})
	o := w.load(t, "it", "")
	require.NoError(t, o.Err)
	require.Less(t, len(messages(o)), pegboard.DefaultPerResult+100)
	require.Contains(t, messages(o), "[cut after 30000 characters]")
}

func TestCarry(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 15_000) // 30,000 bytes
	var list []skills.Skill
	for i := range 7 {
		list = append(list, skills.Skill{Name: fmt.Sprint("long-", i), Body: long})
	}
	list = append(list, skills.Skill{Name: "short", Body: "Be brief."}, skills.Skill{Name: "unused", Body: "x"})
	w := newWorld(t, worldConfig{list: list, rules: allowSkills()})
	require.Empty(t, w.skills.Carry(w.session))
	for i := range 7 {
		require.NoError(t, w.load(t, fmt.Sprint("long-", i), "").Err)
	}
	require.NoError(t, w.load(t, "short", "").Err)

	parts := w.skills.Carry(w.session)
	require.Len(t, parts, 6)
	require.Equal(t, "Skill short:\n\nBe brief.", parts[0].Text, "the last used")
	total := 0
	for i, p := range parts[1:] {
		require.True(t, strings.HasPrefix(p.Text, fmt.Sprintf("Skill long-%d:\n\né", 6-i)), p.Text[:20])
		require.Contains(t, p.Text, "[The rest of skill long-")
		require.NotContains(t, p.Text, "\uFFFD")
		total += len(p.Text)
	}
	require.Less(t, total, (skills.MaxCarriedAll+200)*4)

	require.Len(t, w.skills.Carry(w.session), 6, "at the next summary")
	require.Empty(t, messages(w.load(t, "short", "")), "it was carried whole")
	require.NotEmpty(t, messages(w.load(t, "long-6", "")), "it was cut")
	require.NotEmpty(t, messages(w.load(t, "long-0", "")), "it was left out")
}

func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: allowSkills()})
	require.NotEmpty(t, messages(w.load(t, "it", "")))
	require.Empty(t, messages(w.load(t, "it", "")))
	w.skills.Forget(w.session)
	require.Empty(t, w.skills.Carry(w.session))
	w.session.NewTurn()
	require.NotEmpty(t, messages(w.load(t, "it", "")))
	require.Empty(t, messages(w.load(t, "it", "")))
}
