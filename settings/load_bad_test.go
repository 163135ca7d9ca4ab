package settings_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestBadFileCostsItselfOnly: the others load, the error names the place, what is there and
// what is wanted, and no permissions come of it unless the host goes on without.
func TestBadFileCostsItselfOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string // after the path
		kept             string // a deny rule of the same file that counts all the same
	}{
		{name: "cut off", text: "{\n  \"permissions\": {\"deny\": [\"A\"", want: ":2:30 is not valid: "},
		{name: "not JSON", text: "model: opus\n", want: ":1:1 is not valid: "},
		{name: "not UTF-8", text: "{\"a\":\n \"é\xff\"}", want: ":2:4 is not valid: the file is not UTF-8 here"},
		{name: "a conflict", text: "{\n<<<<<<< ours\n}", want: ":2:1 is not valid: there are marks of a merge conflict"},
		{name: "a list", text: "\n[]", want: ":2:1 is not valid: the whole is not an object"},
		{name: "a comment", text: "{\n\t// x\n}", want: ":2:2: the file has comments"},
		{name: "a last comma", text: "{\n\"a\": 1,\n}", want: "the file has comments or a comma before a closing bracket"},
		{name: "permissions twice", text: "{\"permissions\": {},\n\"permissions\": {}}", want: `:2:1 is not valid: the key "permissions" is there twice; write it once`},
		{name: "a list twice", text: "{\"permissions\": {\"deny\": [],\n\"deny\": []}}", want: `:2:1 is not valid: the key "deny" is there twice`},
		{name: "hooks twice", text: "{\"permissions\": {\"deny\": [\"Kept\"]},\n \"hooks\": {}, \"hooks\": {}}", want: ":2:15: hooks: the key is there twice; write it once", kept: "Kept"},
		{name: "permissions is a list", text: `{"permissions": []}`, want: `:1:17: permissions: there is a list; write an object such as {"deny": ["Read(.env)"]}`},
		{name: "deny is a string", text: `{"permissions": {"deny": "A", "ask": []}}`, want: `:1:26: permissions.deny: there is "A", which is not a list; write a list of strings`},
		{name: "an element of deny", text: `{"permissions": {"deny": ["Kept", {"a": 1}]}}`, want: ":1:35: permissions.deny[1]: there is an object, which is not a string; write it in double quotes", kept: "Kept"},
		{name: "a deny rule", text: `{"permissions": {"deny": ["Kept", "(x)"]}}`, want: `:1:35: permissions.deny: deny rules: rule "(x)"`, kept: "Kept"},
		{name: "hooks is a list", text: `{"permissions": {"deny": ["Kept"]}, "hooks": [{"matcher": 5}]}`, want: ":1:46: hooks: there is a list; write an object of events", kept: "Kept"},
		{name: "hooks nest deep", text: `{"hooks": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, want: ":1:11: hooks: there is a list"},
		{name: "all nests too deep", text: strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000), want: " is not valid: "},
		{name: "too long", text: `{"a": "` + strings.Repeat("x", 4<<20) + `"}`, want: "more than the limit of 4194304"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, source := range []pegboard.RuleSource{project, pegboard.SourcePolicy} {
				f := managedFiles(t)
				f.Trusted = true
				path := f.Project
				if source == pegboard.SourcePolicy {
					path = f.Managed[0]
				}
				write(t, path, tc.text)
				write(t, f.User, `{"permissions": {"deny": ["D"], "allow": ["A"]}, "env": {"E": "1"}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "c"}]}]}}`)
				l, err := f.Load(t.Context())
				require.ErrorContains(t, err, path)
				require.ErrorContains(t, err, tc.want)
				require.Contains(t, l.Env, "E")
				require.Len(t, l.Hooks.Handlers("Stop"), 1)
				require.Len(t, l.Broken, 1)
				require.Equal(t, path, l.Broken[0].Path)
				require.Equal(t, source, l.Broken[0].Source)
				_, failed := l.Permissions()
				require.EqualError(t, failed, err.Error())
				require.Contains(t, settings.Explain(l), "broken: ")

				p, err := l.WithoutBroken().Permissions()
				if source == pegboard.SourcePolicy {
					require.EqualError(t, err, failed.Error())
					continue
				}
				require.NoError(t, err)
				var rules []string
				for _, r := range p.Rules() {
					rules = append(rules, r.Behavior.String()+" "+r.String())
				}
				require.Subset(t, rules, []string{"deny D", "allow A"})
				if tc.kept != "" {
					require.Contains(t, rules, "deny "+tc.kept)
				}
			}
		})
	}
}

// TestWrongValuesAreToldOnly: what allows nothing and denies nothing is a warning.
func TestWrongValuesAreToldOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"env": []}`:                                                    `:1:9: env: there is a list, so that it does not count; write an object such as {"NAME": "text"}`,
		`{"env": {"A": {"b": 1}}}`:                                       `:1:10: env.A: there is an object, so that it does not count`,
		`{"env": {"A": null}}`:                                           `env.A: there is null`,
		`{"env": {"A": "1", "A": "2"}}`:                                  `env.A: the variable is there twice`,
		`{"env": {"A=B": "1"}}`:                                          `a variable cannot have that name`,
		`{"env": {"A": "\u0000"}}`:                                       `NUL`,
		`{"env": {"A": "\ud800"}}`:                                       `half a character`,
		`{"env": {"A": 1e3}}`:                                            `there is a number, which counts as its text`,
		`{"env": {"ENABLE_TOOL_SEARCH": "yes"}}`:                         `:1:10: ENABLE_TOOL_SEARCH=yes: it must be true, false, auto or auto:N`,
		`{"env": {"BASH_DEFAULT_TIMEOUT_MS": "2m"}}`:                     `BASH_DEFAULT_TIMEOUT_MS=2m: it must be a number of milliseconds above 0`,
		`{"permission": {}}`:                                             `:1:2: permission is not known; did you mean permissions?`,
		`{"hook": {}}`:                                                   `did you mean hooks?`,
		`{"Hooks": {}}`:                                                  `did you mean hooks?`,
		`{"enabledMcpJsonServers": []}`:                                  `did you mean enabledMcpjsonServers?`,
		`{"deny": ["Read(.env)"]}`:                                       `:1:2: deny has no effect here; write it inside permissions`,
		`{"disableBypassPermissionsMode": "disable"}`:                    `:1:2: disableBypassPermissionsMode has no effect here; write it inside permissions`,
		`{"permissions": {"disableAllHooks": true}}`:                     `:1:18: permissions.disableAllHooks has no effect here; write it outside of permissions`,
		`{"permissions": {"allowManagedPermissionRulesOnly": true}}`:     `permissions.allowManagedPermissionRulesOnly has no effect here; write it outside of permissions`,
		`{"hooks ": {}}`:                                                 `:1:2: ["hooks "] is not known; did you mean hooks?`,
		`{"mcpServers": {}}`:                                             `mcpServers is not read from settings files; write it into .mcp.json`,
		`{"sandbox": {"enabled": true}}`:                                 `sandbox.enabled has no effect by itself`,
		`{"denyInsteadOfPrompting": true}`:                               `denyInsteadOfPrompting has no effect here`,
		`{"permissions": {"denny": []}}`:                                 `permissions.denny is not known and has no effect; did you mean deny?`,
		`{"permissions": {"blockReadsOutsideWorkingDirectories": true}}`: `write deny rules`,
		`{"model": 1, "model": 2}`:                                       `model is there twice, and the last one counts`,
		`{"enabledMcpjsonServers": "all"}`:                               `which is not a list`,
		`{"allowedHttpHookUrls": "https://a/*"}`:                         `which is not a list; write a list of strings; it does not count`,
		`{"hooks": {"PreToolUse": [{"matcher": 5, "hooks": []}]}}`:       `:1:39: hooks.PreToolUse[0].matcher: there is the number 5; write a string`,
		`{"hooks": {"PreToolUse": [{"matcher": "mcp__memory", "hooks": [{"type": "command", "command": "a"}]}]}}`: `mcp__memory__.*`,
		`{"allowManagedHooksOnly": true}`: `allowManagedHooksOnly counts in managed files only`,
	} {
		f := files(t)
		write(t, f.User, text)
		l := load(t, f)
		require.Contains(t, fmt.Sprint(l.Warnings), want, text)
		require.Contains(t, fmt.Sprint(l.Warnings), f.User+":1:")
		_, err := l.Permissions()
		require.NoError(t, err)
		require.Empty(t, l.HookURLs)
	}
}

// TestKeysOfOthersAreNotNear: no documented key of Claude Code is taken for a misspelling.
func TestKeysOfOthersAreNotNear(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"$schema", "apiKeyHelper", "autoMemoryDirectory", "autoUpdatesChannel", "availableModels", "awsAuthRefresh", "awsCredentialExport", "blockedMarketplaces",
		"channelsEnabled", "cleanupPeriodDays", "companyAnnouncements", "defaultShell", "effortLevel", "enabledPlugins", "extraKnownMarketplaces", "fastMode", "feedbackSurveyRate",
		"fileSuggestion", "forceLoginMethod", "forceLoginOrgUUID", "includeCoAuthoredBy", "includeGitInstructions", "language", "model", "modelOverrides", "otelHeadersHelper", "outputStyle",
		"plansDirectory", "pluginConfigs", "prefersReducedMotion", "respectGitignore", "sandbox", "showTurnDuration", "skipDangerousModePermissionPrompt", "spinnerTipsEnabled",
		"statusLine", "strictKnownMarketplaces", "teammateMode", "theme", "tui", "agent", "attribution", "alwaysThinkingEnabled", "terminalProgressBarEnabled", "worktree", "search", "tools",
	} {
		f := files(t)
		write(t, f.User, `{"`+key+`": {"a": 1}}`)
		l := load(t, f)
		require.Empty(t, l.Warnings, key)
		value, from, ok := l.Key(key)
		require.True(t, ok)
		require.Equal(t, user, from)
		require.Equal(t, `{"a": 1}`, string(value))
	}
	_, _, ok := (&settings.Loaded{}).Key("model")
	require.False(t, ok)
}

// TestLinksAndDirectories: a link to a file is the file, and nothing else is read.
func TestLinksAndDirectories(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	f.Trusted = true
	real := write(t, filepath.Join(f.Home, "real.json"), `{"permissions": {"deny": ["D"]}, "mcpServers": {"s": {"command": "a"}}}`)
	for _, path := range []string{f.User, f.Project, f.Managed[0], f.Servers} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		link(t, real, path)
	}
	l := load(t, f)
	require.Len(t, l.Rules, 3)
	require.Len(t, l.Servers, 1)

	for _, path := range []string{f.User, f.Project, f.Servers} {
		require.NoError(t, os.Remove(path))
		link(t, filepath.Join(f.Home, "nowhere"), path)
	}
	l, err := f.Load(t.Context())
	require.ErrorContains(t, err, f.User)
	require.ErrorContains(t, err, "is a link that leads nowhere")
	require.Len(t, l.Broken, 2)
	require.Contains(t, fmt.Sprint(l.Warnings), "its MCP servers do not count")

	for _, path := range []string{f.User, f.Project, f.Servers} {
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Mkdir(path, 0o755))
	}
	l, err = f.Load(t.Context())
	require.ErrorContains(t, err, f.User)
	require.Len(t, l.Broken, 2)
	require.Contains(t, fmt.Sprint(l.Warnings), "its MCP servers do not count")
}

// TestFilesThatChange while they are read are read as they were at one moment, or are an
// error.
func TestFilesThatChange(t *testing.T) {
	t.Parallel()
	f := files(t)
	full := `{"permissions": {"deny": ["First", "` + strings.Repeat("x", 1<<16) + `", "Last"]}}`
	write(t, f.User, full)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil { // as an editor without care does it
			_ = os.WriteFile(f.User, []byte(full), 0o644) //nolint:gosec // test data
		}
	}()
	whole := 0
	for began := time.Now(); time.Since(began) < 300*time.Millisecond; {
		l, err := f.Load(t.Context())
		if err != nil {
			require.NotEmpty(t, l.Broken)
			continue
		}
		if len(l.Rules) == 0 || len(l.Rules[0].Deny) == 0 {
			continue // it was empty at that moment
		}
		require.Len(t, l.Rules[0].Deny, 3)
		whole++
	}
	cancel()
	<-done
	require.Positive(t, whole)
}

// FuzzLoad loads any text as each kind of file: nothing panics, what cannot be read is told
// with its place, and no permissions come of a broken file.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.json")
	require.NoError(f, err)
	for i, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data, uint8(i)) //nolint:gosec // there are few
	}
	f.Add([]byte(`{"deniedMcpServers": [{"serverUrl": "a*b"}], "env": {"A": 1}, "hooks": [], "permissions": {"deny": [1, "Write(x)"], "allow": 2}}`), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, where uint8) {
		files := managedFiles(t)
		files.Trusted, files.Strict = where&8 != 0, where&16 != 0
		path := []string{files.User, files.Project, files.Local, files.Managed[0], files.Servers, files.Person}[where%6]
		write(t, path, string(data))
		l, err := files.Load(t.Context())
		require.NotNil(t, l)
		p, failed := l.Permissions()
		require.Equal(t, err == nil, failed == nil)
		for _, w := range l.Warnings {
			require.NotEmpty(t, w.Text)
			require.Equal(t, path, w.Path)
			require.LessOrEqual(t, w.Line, 1+strings.Count(string(data), "\n"))
		}
		for _, b := range l.Broken {
			require.Equal(t, path, b.Path)
		}
		for _, fact := range l.Facts() {
			require.NotEmpty(t, fact.Kind)
		}
		_, err = settings.ExplainJSON(l)
		require.NoError(t, err)
		require.NotEmpty(t, settings.Explain(l))
		require.False(t, files.Changed(l))
		if failed != nil || files.Trusted {
			return
		}
		for _, r := range p.Rules() {
			require.False(t, path == files.Project && r.Behavior == pegboard.Allow)
		}
		if path == files.Project {
			require.Empty(t, l.Env)
			require.Empty(t, l.Hooks.Events())
		}
	})
}
