package settings_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestFlagRules: rules are split at commas and blanks outside of parentheses.
func TestFlagRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		want   []string
	}{
		{name: "commas", values: []string{"Read,Edit"}, want: []string{"Read", "Edit"}},
		{name: "blanks", values: []string{" Read \t Edit\n"}, want: []string{"Read", "Edit"}},
		{name: "both", values: []string{"Read , Edit,,Write"}, want: []string{"Read", "Edit", "Write"}},
		{name: "several values", values: []string{"Read Edit", "Write"}, want: []string{"Read", "Edit", "Write"}},
		{name: "in parentheses", values: []string{"Bash(git log *),Bash(echo a, b) Read"}, want: []string{"Bash(git log *)", "Bash(echo a, b)", "Read"}},
		{name: "parentheses inside", values: []string{`Read(//c/Program Files (x86)/a) Edit(//b)`}, want: []string{"Read(//c/Program Files (x86)/a)", "Edit(//b)"}},
		{name: "the same twice", values: []string{"Read Read", "Read"}, want: []string{"Read"}},
		{name: "nothing", values: []string{"", " , "}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			f.Flags.AllowedTools, f.Flags.DisallowedTools = tc.values, tc.values
			l := load(t, f)
			require.Empty(t, l.Warnings)
			if tc.want == nil {
				require.Empty(t, l.Rules)
				return
			}
			require.Equal(t, []policy.RuleSet{{Source: policy.SourceCLI, Allow: tc.want, Deny: tc.want}}, l.Rules)
		})
	}
}

// TestFlags: each flag takes effect, above local files and below managed ones.
func TestFlags(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	f.Flags = settings.Flags{Mode: "bypassPermissions", Dirs: []string{"../other dir", ""}, AllowedTools: []string{"Bad("}}
	write(t, f.Local, `{"permissions": {"defaultMode": "plan"}}`)
	l := load(t, f)
	require.Equal(t, policy.ModeBypass, l.Mode)
	require.Equal(t, []policy.Directory{{Path: "../other dir", Source: policy.SourceCLI}}, l.Directories)
	require.Len(t, l.Warnings, 1)
	require.Contains(t, l.Warnings[0].String(), "--allowedTools: an allow rule does not count")
	p, err := l.Permissions()
	require.NoError(t, err)
	require.True(t, p.Offers(policy.ModeBypass))

	write(t, f.Managed[0], `{"permissions": {"disableBypassPermissionsMode": "disable"}}`)
	l = load(t, f)
	require.Equal(t, policy.ModeDefault, l.Mode)
	require.Contains(t, l.Warnings[1].String(), "--permission-mode: defaultMode: bypassPermissions is disabled")

	write(t, f.Managed[0], `{"permissions": {"defaultMode": "acceptEdits"}}`)
	require.Equal(t, policy.ModeAcceptEdits, load(t, f).Mode)

	for name, flags := range map[string]settings.Flags{
		"deny":    {DisallowedTools: []string{"Read(~"}},
		"mode":    {Mode: "Plan"},
		"missing": {Settings: "nowhere.json"},
		"invalid": {Settings: `{"permissions":`},
	} {
		f := files(t)
		f.Flags = flags
		l, err := f.Load(t.Context())
		require.ErrorContains(t, err, "--", name)
		_, err = l.Permissions()
		require.Error(t, err, name)
		_, err = l.WithoutBroken().Permissions()
		require.NoError(t, err, name)
	}
}

// TestToolsFlag leaves the built-in tools that it names, and all attached ones.
func TestToolsFlag(t *testing.T) {
	t.Parallel()
	build := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For a test.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
	}
	tests := []struct {
		name  string
		tools []string
		want  []string
	}{
		{name: "unset", want: []string{"Bash", "Read", "mcp__s__t"}},
		{name: "default", tools: []string{"default"}, want: []string{"Bash", "Read", "mcp__s__t"}},
		{name: "none", tools: []string{""}, want: []string{"mcp__s__t"}},
		{name: "some", tools: []string{"Read,Edit"}, want: []string{"Read", "mcp__s__t"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			f.Flags.Tools = tc.tools
			l := load(t, f)
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			var registry pegboard.Registry
			require.NoError(t, registry.Add(build("Bash"), build("Read")))
			_, err = registry.Attach("s", build("t"))
			require.NoError(t, err)
			var names []string
			for tool := range registry.AssemblePool(s, pegboard.PoolConfig{Restrictions: l.Restrictions}).All() {
				names = append(names, tool.Info().Name)
			}
			require.Equal(t, tc.want, names)
		})
	}
}

// TestSettingsFlag is a file or a text.
func TestSettingsFlag(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, filepath.Join(f.Dir, "more.json"), `{"permissions": {"allow": ["A"], "defaultMode": "auto"}}`)
	for _, value := range []string{"more.json", filepath.Join(f.Dir, "more.json"), ` {"permissions": {"allow": ["A"], "defaultMode": "auto"}}`} {
		f.Flags.Settings = value
		l := load(t, f)
		require.Equal(t, []policy.RuleSet{{Source: settings.SourceFlags, Allow: []string{"A"}}}, l.Rules)
		require.Equal(t, policy.ModeAuto, l.Mode)
	}
}
