package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestLoad reads all three files.
func TestLoad(t *testing.T) {
	t.Parallel()
	f := files(t)
	f.Trusted = true
	write(t, f.Local, `{"permissions": {"allow": ["A", "Bash(*)", "A", "Bash"], "deny": ["D"], "additionalDirectories": ["../x", "", "../x"]}}`)
	write(t, f.Project, `{"permissions": {"ask": ["Q"], "defaultMode": "plan", "additionalDirectories": ["/y"]}, "permission": {"allow": ["No"]}}`)
	write(t, f.User, `{"permissions": {"allow": ["U", "Mispelt(", 3, {"a": 1}], "defaultMode": "acceptEdits", "additionalDirectories": ["~/z", 4]}}`)
	l := load(t, f)
	require.Equal(t, pegboard.ModePlan, l.Mode, "of the first file that says")
	require.Equal(t, []pegboard.RuleSet{
		{Source: local, Allow: []string{"A", "Bash"}, Deny: []string{"D"}},
		{Source: project, Ask: []string{"Q"}},
		{Source: user, Allow: []string{"U"}},
	}, l.Rules)
	dirs := []pegboard.AddedDirectory{{Path: "../x", Source: local}, {Path: "/y", Source: project}, {Path: "~/z", Source: user}}
	require.Equal(t, dirs, l.Directories)
	var warnings []string
	require.Equal(t, f.Project+":1:89: permission is not known; did you mean permissions?", l.Warnings[len(l.Warnings)-1].String())
	for _, w := range l.Warnings[:len(l.Warnings)-1] {
		require.Equal(t, f.User, w.Path)
		require.Contains(t, w.String(), f.User)
		warnings = append(warnings, w.Text)
	}
	require.Len(t, warnings, 4)
	require.Contains(t, strings.Join(warnings, "\n"), "Mispelt")

	p, err := l.Permissions()
	require.NoError(t, err)
	require.Equal(t, pegboard.ModePlan, p.Mode())
	require.Equal(t, dirs, p.Directories())
	require.Len(t, p.Rules(), 5)
}

// TestRuleProblems are those of the pool, with the file of each rule.
func TestRuleProblems(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.User, `{"permissions": {"deny": ["readnote", "Read(.env)"], "allow": ["ReadNote"]}}`)
	p, err := load(t, f).Permissions()
	require.NoError(t, err)
	p, err = p.WithRules(pegboard.RuleSet{Source: pegboard.SourceCLI, Deny: []string{"Nothing"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var reg pegboard.Registry
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "ReadNote"}, Description: "For a test.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	require.Len(t, pool.RuleProblems(), 2)
	require.Equal(t, []settings.Warning{{Position: settings.Position{Path: f.User}, Text: `deny rule "readnote" from userSettings: there is no tool readnote; near names: ReadNote`}}, f.RuleProblems(pool))
}

// TestRulesOfOwnToolsAreAnchored: a deny rule on the paths of a host's own tool was relative
// to the session's directory only, not to that of its file.
func TestRulesOfOwnToolsAreAnchored(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.User, `{"permissions": {"deny": ["Save(/reports/**)"], "allow": ["Save(/v1/users)"]}}`)
	l := load(t, f)
	require.Len(t, l.Rules[0].Deny, 2)
	require.Equal(t, "Save(/reports/**)", l.Rules[0].Deny[0])
	require.Regexp(t, `^Save\((~|//).*/\.claude/reports/\*\*\)$`, l.Rules[0].Deny[1])
	require.Equal(t, []string{"Save(/v1/users)"}, l.Rules[0].Allow)
}

// TestRestrictionOnAnotherNameIsAskedAbout: a deny rule such as Write(/x) failed the whole
// load, with all other rules of all files.
func TestRestrictionOnAnotherNameIsAskedAbout(t *testing.T) {
	t.Parallel()
	for text, ask := range map[string]string{
		"Write(x)":                         "Edit(x)",
		"MultiEdit(src/**)":                "Edit(src/**)",
		"NotebookEdit(~/a.ipynb)":          "Edit(~/a.ipynb)",
		"Glob(secrets/**)":                 "Read(secrets/**)",
		"Grep(path:secrets)":               "Read(secrets)",
		"Edit(file_path://etc/x)":          "Edit(//etc/x)",
		"Write(../x)":                      "Edit(//**)",
		"Read(~)":                          "Read(~/**)",
		"Read(//)":                         "Read(//**)",
		"Read(!x)":                         "Read(//**)",
		"Edit()":                           "Edit(//**)",
		"WebFetch(evil.com)":               "WebFetch(domain:evil.com)",
		"WebFetch(url:https://evil.com/*)": "WebFetch(domain:evil.com)",
		"WebFetch(url:*)":                  "WebFetch(domain:*)",
		"Bash(command:rm)":                 "Bash(rm:*)",
		"Bash(command:rm *)":               "Bash(rm *)",
		"Bash()":                           "Bash",
		"Agent(re*)":                       "Agent",
		"Skill(a*b)":                       "Skill",
		"mcp__s__t(a*)":                    "mcp__s__t",
	} {
		for _, list := range []string{"deny", "ask"} {
			f := files(t)
			write(t, f.Local, `{"permissions": {"`+list+`": ["`+text+`", "Other"], "allow": ["A"]}}`)
			l := load(t, f)
			require.Len(t, l.Warnings, 1, text)
			require.Contains(t, l.Warnings[0].Text, list+" rule not understood")
			require.Contains(t, l.Warnings[0].Text, ask)
			require.Contains(t, l.Rules[0].Ask, ask)
			require.Equal(t, []string{"A"}, l.Rules[0].Allow)
			_, err := l.Permissions()
			require.NoError(t, err)
		}
		f := files(t)
		write(t, f.Local, `{"permissions": {"allow": ["`+text+`"]}}`)
		l := load(t, f)
		require.Empty(t, l.Rules[0].Ask, text)
	}
}

// TestSafeguardIsAnchored: what the rule could mean is below the project, as an Edit rule of
// its file would be.
func TestSafeguardIsAnchored(t *testing.T) {
	t.Parallel()
	f := files(t)
	f.Dir = filepath.Join(f.Dir, "sub")
	require.NoError(t, os.MkdirAll(f.Dir, 0o700))
	write(t, f.Project, `{"permissions": {"deny": ["Write(/x)"], "ask": ["Edit(/x)"]}}`)
	l := load(t, f)
	require.Len(t, l.Warnings, 1)
	require.Len(t, l.Rules, 1)
	require.NotContains(t, l.Rules[0].Ask, "Edit(/x)")
	for _, rule := range l.Rules[0].Ask {
		require.Regexp(t, `/x\)$`, rule)
	}
}

// TestLoadNothing from files that are not there, or empty.
func TestLoadNothing(t *testing.T) {
	t.Parallel()
	f := files(t)
	for _, data := range []string{"", " \n", "{}", `{"permissions": null}`, `{"permissions": {"allow": null, "defaultMode": null}}`} {
		if data != "" {
			write(t, f.User, data)
		}
		l := load(t, f)
		require.Equal(t, pegboard.ModeDefault, l.Mode)
		require.Empty(t, l.Warnings)
		p, err := l.Permissions()
		require.NoError(t, err)
		require.Empty(t, p.Rules())
	}
	require.Empty(t, load(t, settings.Files{}).Rules)
}

// TestLoadFailsClosed: what would deny or ask and cannot be read is an error.
func TestLoadFailsClosed(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"permissions": {"deny": ["Read(~)", "Fine", "(x)"]}}`:  "deny rules: rule \"(x)\"",
		`{"permissions": {"deny": ["Edit(a\u0000b)", "a?(x)"]}}`: "deny rules: rule \"a?(x)\"",
		`{"permissions": {"ask": ["Bash("]}}`:                    "ask rules: rule \"Bash(\"",
		`{"permissions": {"ask": [7]}}`:                          "the number 7, which is not a string",
		`{"permissions": {"deny": "A"}}`:                         "permissions.deny: there is \"A\", which is not a list",
		`{"permissions": {"deny": ["Read(\ud800)"]}}`:            "half a character",
		`{"permissions": []}`:                                    "permissions: there is a list; write an object",
		"{ // x\n}":                                              "comments",
		`{"permissions": {`:                                      "not valid",
	} {
		f := files(t)
		f.Project = write(t, f.Project, data)
		_, err := f.Load(t.Context())
		require.ErrorContains(t, err, want, data)
		require.ErrorContains(t, err, f.Project)
	}
}

// TestLoadModes: which file may say that sessions start in which mode.
func TestLoadModes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode                       string
		local, project, user, bare string // what comes of it; bare is the project without trust
	}{
		{mode: "default"}, {mode: "manual"}, {mode: "Plan"}, {mode: "delegate"}, {mode: ""},
		{mode: "plan", local: "plan", project: "plan", user: "plan", bare: "plan"},
		{mode: "dontAsk", local: "dontAsk", project: "dontAsk", user: "dontAsk", bare: "dontAsk"},
		{mode: "acceptEdits", local: "acceptEdits", project: "acceptEdits", user: "acceptEdits"},
		{mode: "auto", user: "auto"},
		{mode: "bypassPermissions"},
	}
	for _, tc := range tests {
		t.Run(tc.mode, func(t *testing.T) {
			t.Parallel()
			data := `{"permissions": {"defaultMode": "` + tc.mode + `"}}`
			for _, place := range []struct {
				path    func(f settings.Files) string
				trusted bool
				want    string
			}{
				{path: func(f settings.Files) string { return f.Local }, want: tc.local},
				{path: func(f settings.Files) string { return f.Project }, want: tc.project, trusted: true},
				{path: func(f settings.Files) string { return f.Project }, want: tc.bare},
				{path: func(f settings.Files) string { return f.User }, want: tc.user},
			} {
				f := files(t)
				f.Trusted = place.trusted
				write(t, place.path(f), data)
				l := load(t, f)
				want := pegboard.Mode(place.want)
				if want == "" {
					want = pegboard.ModeDefault
				}
				require.Equal(t, want, l.Mode, place.path(f))
				if place.want == "" && tc.mode != "default" && tc.mode != "manual" {
					require.Len(t, l.Warnings, 1)
				} else {
					require.Empty(t, l.Warnings)
				}
				_, err := l.Permissions()
				require.NoError(t, err)
			}
		})
	}
}

// TestLoadDisabledModes: any file may forbid bypass and auto, trusted or not.
func TestLoadDisabledModes(t *testing.T) {
	t.Parallel()
	both := []pegboard.Mode{pegboard.ModeBypass, pegboard.ModeAuto}
	tests := []struct {
		name, data string
		want       []pegboard.Mode
		warns      string
	}{
		{name: "none", data: `{}`},
		{name: "bypass", data: `{"disableBypassPermissionsMode": "disable"}`, want: both[:1]},
		{name: "auto", data: `{"disableAutoMode": "disable"}`, want: both[1:]},
		{name: "both", data: `{"disableAutoMode": "disable", "disableBypassPermissionsMode": "disable"}`, want: both},
		{name: "null", data: `{"disableAutoMode": null}`},
		{name: "false", data: `{"disableAutoMode": false}`, warns: `disableAutoMode: false is not understood`},
		{name: "misspelt", data: `{"disableAutoMode": "disabled"}`, want: both[1:], warns: `"disabled" is not understood`},
		{name: "true", data: `{"disableBypassPermissionsMode": true}`, want: both[:1], warns: `write "disable"`},
		{name: "the mode that it sets", data: `{"disableAutoMode": "disable", "defaultMode": "auto"}`, want: both[1:], warns: "auto"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []func(f settings.Files) string{
				func(f settings.Files) string { return f.Local }, func(f settings.Files) string { return f.Project }, func(f settings.Files) string { return f.User },
			} {
				f := files(t)
				write(t, path(f), `{"permissions": `+tc.data+`}`)
				l := load(t, f)
				require.Equal(t, tc.want, l.Withheld)
				require.Equal(t, pegboard.ModeDefault, l.Mode)
				if tc.warns == "" {
					require.Empty(t, l.Warnings)
				} else {
					require.Len(t, l.Warnings, 1)
					require.Contains(t, l.Warnings[0].Text, tc.warns)
				}
				p, err := l.Permissions()
				require.NoError(t, err)
				p = p.WithAvailable(both...)
				for _, m := range both {
					require.Equal(t, !slices.Contains(tc.want, m), p.Offers(m), m)
				}
			}
		})
	}

	f := files(t)
	write(t, f.User, `{"permissions": {"defaultMode": "auto"}}`)
	write(t, f.Project, `{"permissions": {"disableAutoMode": "disable"}}`)
	l := load(t, f)
	require.Equal(t, pegboard.ModeDefault, l.Mode, "another file sets it")
	require.Equal(t, []settings.Warning{{Position: settings.Position{Path: f.User, Line: 1, Column: 33}, Text: "defaultMode: auto is disabled"}}, l.Warnings)
}

// TestTrust: what a project brings along allows nothing before it is trusted.
func TestTrust(t *testing.T) {
	t.Parallel()
	const data = `{"permissions": {"allow": ["A"], "deny": ["D"], "ask": ["Q"], "additionalDirectories": ["/x"]}}`
	local := func(f settings.Files) string { return f.Local }
	tests := []struct {
		name  string
		file  func(f settings.Files) string
		index string // of the repository, empty for no repository
		trust bool
		local bool // the host trusts the local file
		want  bool
	}{
		{name: "project", file: func(f settings.Files) string { return f.Project }},
		{name: "project, where the local file is trusted", file: func(f settings.Files) string { return f.Project }, local: true},
		{name: "trusted project", file: func(f settings.Files) string { return f.Project }, trust: true, want: true},
		{name: "user", file: func(f settings.Files) string { return f.User }, want: true},
		{name: "local, an unpacked archive", file: local},
		{name: "local, a shipped repository that does not track it", file: local, index: "DIRC\x00\x00\x00\x02\x00\x00\x00\x00"},
		{name: "local, a trusted project", file: local, trust: true, want: true},
		{name: "local, trusted alone", file: local, local: true, want: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			f.Trusted, f.TrustedLocal = tc.trust, tc.local
			write(t, tc.file(f), data)
			if tc.index != "" {
				write(t, filepath.Join(f.Dir, ".git", "index"), tc.index)
			}
			l := load(t, f)
			p, err := l.Permissions()
			require.NoError(t, err)
			if tc.want {
				require.Empty(t, l.Warnings)
				require.Len(t, p.Rules(), 3)
				require.Len(t, p.Directories(), 1)
				return
			}
			require.Len(t, l.Warnings, 1)
			require.Contains(t, l.Warnings[0].Text, "until the project is trusted")
			require.Len(t, p.Rules(), 2)
			require.Empty(t, p.Directories())
		})
	}
}

// TestAnchors: what begins with one slash means the same before and after it was
// saved, and what each file's own stands on is what the contract says. OUT stands
// for the pattern of a directory outside of home.
func TestAnchors(t *testing.T) {
	t.Parallel()
	const root, sub, out = "home/proj", "home/proj/a*b/#c", "o[u]t"
	tests := []struct {
		name, dir      string
		source         pegboard.RuleSource
		rule           string // of the session
		inFile, loaded string
		own, means     string // of the file, and what it is loaded as
	}{
		{name: "project, at its root", dir: root, source: project, rule: "/x/*", inFile: "/x/*", loaded: "/x/*", own: "/y", means: "/y"},
		{name: "project, below", dir: sub, source: project, rule: "/x/*", inFile: `/a\*b/#c/x/*`, loaded: `~/proj/a\*b/#c/x/*`, own: "/y", means: "~/proj/y"},
		{name: "local, below", dir: sub, source: local, rule: "/x", inFile: "/x", loaded: "/x", own: "/y", means: "/y"},
		{name: "user", dir: sub, source: user, rule: "/x", inFile: `~/proj/a\*b/#c/x`, loaded: `~/proj/a\*b/#c/x`, own: "/y", means: "~/.claude/y"},
		{name: "user, from elsewhere", dir: out, source: user, rule: "/x", inFile: "OUT/x", loaded: "OUT/x", own: "/y/", means: "~/.claude/y/"},
		{name: "absolute", dir: sub, source: user, rule: "//etc/x", inFile: "//etc/x", loaded: "//etc/x", own: "//y", means: "//y"},
		{name: "home", dir: sub, source: project, rule: "~/x", inFile: "~/x", loaded: "~/x", own: "~/y", means: "~/y"},
		{name: "here", dir: sub, source: project, rule: "x/**", inFile: "x/**", loaded: "x/**", own: "./y", means: "./y"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := realpath.Resolve(t.TempDir())
			for _, dir := range []string{sub, out, root + "/.git"} {
				require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
			}
			outside := strings.NewReplacer("OUT", "/"+base+`/o\[u]t`)
			f := settings.Locate(filepath.Join(base, tc.dir), filepath.Join(base, "home"))
			f.Trusted = true
			path := map[pegboard.RuleSource]string{local: f.Local, project: f.Project, user: f.User}[tc.source]
			write(t, path, `{"permissions": {"allow": ["Edit(`+tc.own+`)"]}}`)

			save(t, f, add(pegboard.Allow, tc.source, edit(tc.rule), pegboard.PermissionUpdateRule{Tool: "Bash", Pattern: "/x"}))
			data := strings.ReplaceAll(read(t, path), `\\`, `\`)
			require.Contains(t, data, `["Edit(`+tc.own+`)", "Edit(`+outside.Replace(tc.inFile)+`)", "Bash(/x)"]`)
			require.Equal(t, []string{"Edit(" + tc.means + ")", "Edit(" + outside.Replace(tc.loaded) + ")", "Bash(/x)"}, load(t, f).Rules[0].Allow)

			save(t, f, change(pegboard.UpdateRemoveRules, pegboard.Allow, tc.source, edit(tc.means), edit(tc.rule)))
			require.Equal(t, []string{"Bash(/x)"}, load(t, f).Rules[0].Allow)
		})
	}
}

// TestAnchorsBehindLinks: a rule holds under both names of a place.
func TestAnchorsBehindLinks(t *testing.T) {
	t.Parallel()
	base := realpath.Resolve(t.TempDir())
	real := filepath.Join(base, "real")
	require.NoError(t, os.MkdirAll(filepath.Join(real, "sub"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(real, ".git"), 0o755))
	link(t, real, filepath.Join(base, "link"))
	f := settings.Locate(filepath.Join(base, "link", "sub"), filepath.Join(base, "home"))
	f.Trusted = true
	require.Equal(t, filepath.Join(base, "link", ".claude", "settings.json"), f.Project)
	write(t, f.Project, `{"permissions": {"allow": ["Edit(/x)"]}}`)
	require.Equal(t, []string{"Edit(/" + base + "/link/x)", "Edit(/" + real + "/x)"}, load(t, f).Rules[0].Allow)
}
