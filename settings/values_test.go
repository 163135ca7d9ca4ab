package settings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestReadValues: each variable becomes the value of the package that it is about.
func TestReadValues(t *testing.T) {
	t.Parallel()
	defaults, problems := settings.ReadValues(func(string) string { return "" })
	require.Empty(t, problems)
	tests := []struct {
		name, value string
		want        func(v *settings.Values)
		problem     string
	}{
		{name: "ENABLE_TOOL_SEARCH", value: "auto:20", want: func(v *settings.Values) { v.Deferral = pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: 0.2} }},
		{name: "ENABLE_TOOL_SEARCH", value: "nonsense", want: func(v *settings.Values) { v.Deferral.Mode = pegboard.DeferOff }, problem: "it must be true, false, auto or auto:N"},
		{name: "CLAUDE_CODE_SIMPLE", value: "1", want: func(v *settings.Values) { v.Gates.Simple = true }},
		{name: "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", value: " 4 ", want: func(v *settings.Values) { v.MaxParallel = 4 }},
		{name: "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", value: "0", problem: "it must be a whole number above 0"},
		{name: "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", value: "4.5", problem: "whole number"},
		{name: "BASH_DEFAULT_TIMEOUT_MS", value: "300000", want: func(v *settings.Values) { v.ShellTimeout = 5 * time.Minute }},
		{name: "BASH_DEFAULT_TIMEOUT_MS", value: "1200000", want: func(v *settings.Values) { v.ShellTimeout, v.ShellMaxTimeout = 20*time.Minute, 20*time.Minute }},
		{name: "BASH_DEFAULT_TIMEOUT_MS", value: "-1", problem: "BASH_DEFAULT_TIMEOUT_MS=-1: it must be a number of milliseconds above 0"},
		{name: "BASH_DEFAULT_TIMEOUT_MS", value: "NaN", problem: "above 0"},
		{name: "BASH_DEFAULT_TIMEOUT_MS", value: "1e300", want: func(v *settings.Values) { v.ShellTimeout, v.ShellMaxTimeout = 1<<63-1, 1<<63-1 }},
		{name: "BASH_MAX_TIMEOUT_MS", value: "60000", want: func(v *settings.Values) { v.ShellMaxTimeout = time.Minute }},
		{name: "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", value: "1", want: func(v *settings.Values) { v.ShellNoBackground = true }},
		{name: "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", value: "0"},
		{name: "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR", value: "true", want: func(v *settings.Values) { v.ShellFixedDir = true }},
		{name: "MCP_TIMEOUT", value: "1500.5", want: func(v *settings.Values) { v.MCPBegin = 1500500 * time.Microsecond }},
		{name: "MCP_TOOL_TIMEOUT", value: "1000", want: func(v *settings.Values) { v.MCPCall = time.Second }},
		{name: "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", value: "0", want: func(v *settings.Values) { v.MCPIdle = -1 }},
		{name: "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", value: "5000", want: func(v *settings.Values) { v.MCPIdle = 5 * time.Second }},
		{name: "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", value: "0", want: func(v *settings.Values) { v.MCPBackground = -1 }},
		{name: "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", value: "1000", want: func(v *settings.Values) { v.ReadMaxTokens = 1000 }},
		{name: "CLAUDE_CODE_GLOB_NO_IGNORE", value: "false", want: func(v *settings.Values) { v.GlobIgnore = true }},
		{name: "CLAUDE_CODE_GLOB_NO_IGNORE", value: "true"},
		{name: "CLAUDE_CODE_GLOB_HIDDEN", value: "false", want: func(v *settings.Values) { v.GlobNoHidden = true }},
		{name: "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", value: "60", want: func(v *settings.Values) { v.GlobTimeout = time.Minute }},
		{name: "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", value: "3000", want: func(v *settings.Values) { v.SessionEnd = 3 * time.Second }},
		{name: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", value: "3", want: func(v *settings.Values) { v.StopCap = 3 }},
		{name: "SLASH_COMMAND_TOOL_CHAR_BUDGET", value: "12000", want: func(v *settings.Values) { v.SkillsListed = 12000 }},
	}
	for _, tc := range tests {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			t.Parallel()
			want, _ := settings.ReadValues(func(string) string { return "" })
			if tc.want != nil {
				tc.want(&want)
			}
			got, problems := settings.ReadValues(func(name string) string {
				if name == tc.name {
					return tc.value
				}
				return ""
			})
			require.Equal(t, want, got)
			if tc.problem == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, tc.name, problems[0].Name)
			require.ErrorContains(t, problems[0], tc.problem)
		})
	}

	f := files(t)
	f.Lookup = func(name string) (string, bool) {
		value, set := map[string]string{"MCP_TIMEOUT": "1000", "MCP_TOOL_TIMEOUT": "1000"}[name]
		return value, set
	}
	require.Equal(t, defaults, load(t, files(t)).Values)
	write(t, f.User, `{"env": {"MCP_TIMEOUT": "2000"}}`)
	v := load(t, f).Values
	require.Equal(t, 2*time.Second, v.MCPBegin, "env is above the environment")
	require.Equal(t, time.Second, v.MCPCall)
}

// TestShellCeiling: it is the larger one of the ceiling and the default, and one that is wrong
// has no effect.
func TestShellCeiling(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, ceiling string
		want           time.Duration
	}{
		{limit: "300000", want: 0},
		{limit: "300000", ceiling: "120000", want: 5 * time.Minute},
		{limit: "300000", ceiling: "900000", want: 15 * time.Minute},
		{limit: "300000", ceiling: "nonsense", want: 0},
		{limit: "1200000", ceiling: "nonsense", want: 20 * time.Minute},
	} {
		v, _ := settings.ReadValues(func(name string) string {
			return map[string]string{"BASH_DEFAULT_TIMEOUT_MS": tc.limit, "BASH_MAX_TIMEOUT_MS": tc.ceiling}[name]
		})
		require.Equal(t, tc.want, v.ShellMaxTimeout, tc)
	}
}

// TestShownKeys reads the limits of outputs from keys of the files.
func TestShownKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		file        string
		bash, tasks int
		warning     string
	}{
		{file: `{}`},
		{file: `{"bashOutputMaxChars": 64000, "taskOutputMaxChars": 5000}`, bash: 64000, tasks: 5000},
		{file: `{"bashOutputMaxChars": 1, "taskOutputMaxChars": 1e9}`, bash: 4000, tasks: 128_000},
		{file: `{"bashOutputMaxChars": "many"}`, warning: "settings.json:1:2: bashOutputMaxChars has no effect: write a number of characters"},
	} {
		f := files(t)
		write(t, f.User, tc.file)
		l := load(t, f)
		require.Equal(t, tc.bash, l.Values.ShellShown, tc.file)
		require.Equal(t, tc.tasks, l.Values.TaskShown, tc.file)
		if tc.warning != "" {
			require.Len(t, l.Warnings, 1)
			require.Contains(t, l.Warnings[0].String(), tc.warning)
		} else {
			require.Empty(t, l.Warnings)
		}
	}
	f := files(t)
	f.Trusted = false
	write(t, f.Project, `{"bashOutputMaxChars": 64000}`)
	require.Zero(t, load(t, f).Values.ShellShown)
}
