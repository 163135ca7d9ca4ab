package pegboard_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCallWithoutAnExecutorMayTouchNothing: Check and Filter deny everything for a call
// that no executor admitted.
func TestCallWithoutAnExecutorMayTouchNothing(t *testing.T) {
	t.Parallel()
	c := call("1", "T", `{}`)
	require.ErrorIs(t, c.Check(t.Context()), pegboard.ErrDenied)
	require.ErrorIs(t, c.Check(t.Context(), pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "."}), pegboard.ErrDenied)
	require.False(t, c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "."}))
	require.Nil(t, c.Session())
	require.Nil(t, c.Targets())
	require.False(t, c.ReadOnly())
	c.Emit("into the void")
}

// The pool of a call is known in its first event and in the outcome of a call that
// failed early.
func TestCallKnowsItsPoolFromTheFirstEvent(t *testing.T) {
	t.Parallel()
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.Pool() == nil {
			t.Errorf("no pool at %v", e.Kind)
		}
	}})
	out := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "A", `{`))[0]
	require.NotNil(t, out.Call.Pool())
}

// TestCallToolName: everything that is told of a call names the tool as it is called in
// rules, whatever alias the model used. The alias stands beside it.
func TestCallToolName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, spelled, input, want string
		stage                      pegboard.Stage // "" if the call succeeds
	}{
		{name: "the name", spelled: "Agent", input: `{"mode":"ok"}`, want: "Agent"},
		{name: "an alias", spelled: "Task", input: `{"mode":"ok"}`, want: "Agent"},
		{name: "invalid input", spelled: "Task", input: `{`, want: "Agent", stage: pegboard.StageDecode},
		{name: "refused by Validate", spelled: "Task", input: `{"mode":"invalid"}`, want: "Agent", stage: pegboard.StageValidate},
		{name: "denied", spelled: "Task", input: `{"mode":"denied"}`, want: "Agent", stage: pegboard.StagePermission},
		{name: "failed", spelled: "Task", input: `{"mode":"fails"}`, want: "Agent", stage: pegboard.StageCall},
		{name: "panicked", spelled: "Task", input: `{"mode":"panics"}`, want: "Agent", stage: pegboard.StageCall},
		{name: "an alias of a tool that a rule excludes", spelled: "Shell", input: `{}`, want: "Bash", stage: pegboard.StageLookup},
		{name: "a name that no tool has", spelled: "task", input: `{}`, want: "task", stage: pegboard.StageLookup},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms := rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Bash"}})
			seen := func(_ ctx, h *pegboard.HookCall) error {
				require.Equal(t, tc.want, h.Call.ToolName())
				require.Equal(t, tc.spelled, h.Call.Name)
				return nil
			}
			s := session(t, pegboard.SessionConfig{Permissions: perms, Hooks: pegboard.Hooks{
				Pre: func(ctx ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					return pegboard.Decision{}, seen(ctx, h)
				},
				Post: seen, PostFailure: seen,
			}})
			var logged, crashes strings.Builder
			log := pegboard.LogEvents(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
			ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&crashes, nil)), OnEvent: func(e pegboard.Event) {
				require.Equal(t, tc.want, e.Call.ToolName(), e.Kind)
				require.Equal(t, tc.spelled, e.Call.Name, e.Kind)
				log(e)
			}})
			pool := registryOf(t, moody("Agent", "Task"), inert("Bash", "Shell")).AssemblePool(s, pegboard.PoolConfig{})
			o := ex.Run(t.Context(), pool, call("1", tc.spelled, tc.input))[0]

			require.Equal(t, tc.want, o.Call.ToolName())
			if tc.stage != "" {
				var ce *pegboard.CallError
				require.ErrorAs(t, o.Err, &ce)
				require.Equal(t, tc.stage, ce.Stage)
				require.Equal(t, tc.want, ce.Tool)
				if tc.want != "Bash" {
					require.Contains(t, o.Result.Text(), tc.spelled+" ", "the model is told by the name that it used")
				}
			}
			for line := range strings.Lines(logged.String()) {
				require.Contains(t, line, " tool="+tc.want+" ")
				require.Equal(t, tc.want != tc.spelled, strings.Contains(line, " as="+tc.spelled+" "), line)
			}
			require.NotContains(t, crashes.String(), "tool=Task")
		})
	}
	unadmitted := call("1", "Task", `{"mode":"ok"}`)
	require.Equal(t, "Task", unadmitted.ToolName())
	_, rebuilt, err := registryOf(t, moody("Agent", "Task")).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(unadmitted)
	require.NoError(t, err)
	require.Equal(t, "Agent", rebuilt.ToolName())
}

// moody returns a tool whose calls end as their input says.
func moody(name string, aliases ...string) pegboard.Tool {
	type mood struct {
		Mode string `json:"mode"`
	}
	return pegboard.Build(pegboard.Definition[mood, string]{
		Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "Ends as it is told.",
		Validate: func(_ context.Context, in mood, _ *pegboard.Call) error {
			if in.Mode == "invalid" {
				return errors.New("the mode is invalid")
			}
			return nil
		},
		Permit: func(_ context.Context, in mood, _ *pegboard.Call) pegboard.Decision {
			if in.Mode == "denied" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the tool does not want it"}
			}
			return pegboard.Decision{}
		},
		Call: func(_ context.Context, in mood, _ *pegboard.Call) (string, error) {
			switch in.Mode {
			case "fails":
				return "", errors.New("Task failed as it was told")
			case "panics":
				panic("as it was told")
			}
			return "ok", nil
		},
	})
}
