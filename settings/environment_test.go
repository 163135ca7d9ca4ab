package settings_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
)

func TestDeferral(t *testing.T) {
	t.Parallel()
	off := pegboard.Deferral{Mode: pegboard.DeferOff}
	tests := []struct {
		name, value, betas string
		want               pegboard.Deferral
		err                string
	}{
		{name: "unset"},
		{name: "on", value: "true"},
		{name: "off", value: " false ", want: off},
		{name: "by share", value: "auto", want: pegboard.Deferral{Mode: pegboard.DeferAuto}},
		{name: "by another share", value: "auto:25", want: pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: 0.25}},
		{name: "any share", value: "auto:0"},
		{name: "too large a share", value: "auto:101", want: off, err: "ENABLE_TOOL_SEARCH=auto:101: after auto:"},
		{name: "no share", value: "auto:", want: off, err: "from 0 to 100"},
		{name: "no number", value: "auto:NaN", want: off, err: "from 0 to 100"},
		{name: "nonsense", value: "sometimes", want: off, err: "true, false, auto or auto:N"},
		{name: "no experiments", value: "true", betas: "1", want: off},
		{name: "experiments", value: "auto", betas: "false", want: pegboard.Deferral{Mode: pegboard.DeferAuto}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := settings.Deferral(func(name string) string {
				return map[string]string{"ENABLE_TOOL_SEARCH": tt.value, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": tt.betas}[name]
			})
			require.Equal(t, tt.want, got)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
		})
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	features := []pegboard.Feature{
		pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureMonitors, pegboard.FeatureConfig,
		pegboard.FeatureWorkflows, pegboard.FeatureCron,
	}
	usual := pegboard.Gates{Features: features}
	tests := []struct {
		name, value string
		change      func(g *pegboard.Gates)
	}{
		{name: "NOTHING"},
		{name: "CLAUDE_CODE_SIMPLE", value: "1", change: func(g *pegboard.Gates) { g.Simple = true }},
		{name: "CLAUDE_CODE_SIMPLE", value: "true", change: func(g *pegboard.Gates) { g.Simple = true }},
		{name: "CLAUDE_CODE_SIMPLE", value: " 0 "},
		{name: "CLAUDE_CODE_SIMPLE", value: "false"},
		{name: "CLAUDE_CODE_REPL", value: "1", change: func(g *pegboard.Gates) { g.REPL = true }},
		{name: "CLAUDE_CODE_USE_POWERSHELL_TOOL", value: "1", change: func(g *pegboard.Gates) { g.PowerShell = true }},
		{name: "CLAUDE_CODE_ENABLE_TASKS", value: "1"},
		{name: "CLAUDE_CODE_ENABLE_TASKS", value: "0", change: func(g *pegboard.Gates) { g.TodoList = true }},
		{name: "CLAUDE_CODE_ENABLE_TASKS", value: "false", change: func(g *pegboard.Gates) { g.TodoList = true }},
		{name: "CLAUDE_CODE_DISABLE_WORKFLOWS", value: "1", change: func(g *pegboard.Gates) {
			g.Features = slices.DeleteFunc(slices.Clone(features), func(f pegboard.Feature) bool { return f == pegboard.FeatureWorkflows })
		}},
		{name: "CLAUDE_CODE_DISABLE_CRON", value: "1", change: func(g *pegboard.Gates) {
			g.Features = slices.DeleteFunc(slices.Clone(features), func(f pegboard.Feature) bool { return f == pegboard.FeatureCron })
		}},
		{name: "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", value: "1", change: func(g *pegboard.Gates) {
			g.Features = append(slices.Clone(features), pegboard.FeatureTeams)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			t.Parallel()
			want := usual
			if tt.change != nil {
				tt.change(&want)
			}
			got := settings.Gates(func(name string) string { return map[string]string{tt.name: tt.value}[name] })
			require.ElementsMatch(t, want.Features, got.Features)
			got.Features, want.Features = nil, nil
			require.Equal(t, want, got)
		})
	}
}

func ExampleGates() {
	environment := map[string]string{"CLAUDE_CODE_SIMPLE": "1"}
	gates := settings.Gates(func(name string) string { return environment[name] }) // os.Getenv in a host
	fmt.Println(gates.Simple, gates.REPL)
	// Output: true false
}

func ExampleDeferral() {
	environment := map[string]string{"ENABLE_TOOL_SEARCH": "auto:5"}
	policy, err := settings.Deferral(func(name string) string { return environment[name] }) // os.Getenv in a host
	fmt.Println(policy.Mode, policy.MaxShare, err)
	// Output: auto 0.05 <nil>
}
