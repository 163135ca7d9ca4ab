package settings_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
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
	require.Equal(t, policy.ModePlan, l.Mode, "of the first file that says")
	require.Equal(t, []policy.RuleSet{
		{Source: local, Allow: []string{"A", "Bash"}, Deny: []string{"D"}},
		{Source: project, Ask: []string{"Q"}},
		{Source: user, Allow: []string{"U"}},
	}, l.Rules)
	dirs := []policy.Directory{{Path: "../x", Source: local}, {Path: "/y", Source: project}, {Path: "~/z", Source: user}}
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
	require.Equal(t, policy.ModePlan, p.Mode())
	require.Equal(t, dirs, p.Directories())
	require.Len(t, p.Rules(), 5)
}

// TestRuleProblems are those of the pool, with the place of each rule.
func TestRuleProblems(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.User, `{"permissions": {"deny": ["readnote", "Read(.env)"], "allow": ["ReadNote"]}}`)
	l := load(t, f)
	p, err := l.Permissions()
	require.NoError(t, err)
	p, err = p.WithRules(policy.RuleSet{Source: policy.SourceCLI, Deny: []string{"Nothing"}})
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
	require.Equal(t, []settings.Warning{{Position: settings.Position{Path: f.User, Line: 1, Column: 27}, Text: `deny rule "readnote" from userSettings: there is no tool readnote; near names: ReadNote`}}, l.RuleProblems(pool))
}

// TestRulePosition finds each rule of the permissions, whatever became of its text.
func TestRulePosition(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.User, `{"permissions": {"deny": ["Read(/x)", "Write(/y)", "Bash", "Bash(*)"],
		"allow": ["Edit(/src/**)", "Skill"]}}`)
	write(t, f.Project, `{"permissions": {"deny": ["Bash"]}}`)
	f.Flags.AllowedTools = []string{"Glob, WebFetch(domain:go.dev)"}
	l := load(t, f)
	p, err := l.Permissions()
	require.NoError(t, err)
	found := map[string]string{}
	for _, r := range p.Rules() {
		at, ok := l.RulePosition(r)
		require.True(t, ok, "%v", r.Describe())
		found[at.String()] += r.Tool + " "
	}
	require.Equal(t, map[string]string{
		f.User + ":1:27": "Read ", f.User + ":1:39": "Edit ", f.User + ":1:52": "Bash ", f.Project + ":1:27": "Bash ",
		f.User + ":2:13": "Edit ", f.User + ":2:30": "Skill ", "--allowedTools": "Glob WebFetch ",
	}, found)
	added, err := p.WithRules(policy.RuleSet{Source: policy.SourceUser, Ask: []string{"Bash"}})
	require.NoError(t, err)
	for _, r := range added.Rules() {
		_, ok := l.RulePosition(r)
		require.Equal(t, r.Behavior != policy.Ask || r.Tool != "Bash", ok, r.Describe())
	}
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
		require.Equal(t, policy.ModeDefault, l.Mode)
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
				want := policy.Mode(place.want)
				if want == "" {
					want = policy.ModeDefault
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
	both := []policy.Mode{policy.ModeBypass, policy.ModeAuto}
	tests := []struct {
		name, data string
		want       []policy.Mode
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
				require.Equal(t, policy.ModeDefault, l.Mode)
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
	require.Equal(t, policy.ModeDefault, l.Mode, "another file sets it")
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
		source         policy.Source
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
			path := map[policy.Source]string{local: f.Local, project: f.Project, user: f.User}[tc.source]
			write(t, path, `{"permissions": {"allow": ["Edit(`+tc.own+`)"]}}`)

			save(t, f, add(policy.Allow, tc.source, edit(tc.rule), policy.UpdateRule{Tool: "Bash", Pattern: "/x"}))
			data := strings.ReplaceAll(read(t, path), `\\`, `\`)
			require.Contains(t, data, `["Edit(`+tc.own+`)", "Edit(`+outside.Replace(tc.inFile)+`)", "Bash(/x)"]`)
			require.Equal(t, []string{"Edit(" + tc.means + ")", "Edit(" + outside.Replace(tc.loaded) + ")", "Bash(/x)"}, load(t, f).Rules[0].Allow)

			save(t, f, change(policy.RemoveRules, policy.Allow, tc.source, edit(tc.means), edit(tc.rule)))
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
			for _, source := range []policy.Source{project, policy.SourceManaged} {
				f := managedFiles(t)
				f.Trusted = true
				path := f.Project
				if source == policy.SourceManaged {
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
				if source == policy.SourceManaged {
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
		"plansDirectory", "pluginConfigs", "prefersReducedMotion", "respectGitignore", "sandbox", "showTurnDuration", "skipAutoPermissionPrompt", "skipDangerousModePermissionPrompt", "spinnerTipsEnabled",
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
	for began := time.Now(); time.Since(began) < 300*time.Millisecond || whole == 0 && time.Since(began) < time.Minute; {
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
			require.False(t, path == files.Project && r.Behavior == policy.Allow)
		}
		if path == files.Project {
			require.Empty(t, l.Env)
			require.Empty(t, l.Hooks.Events())
		}
	})
}

// A largeFile is a file that has one item many times.
type largeFile struct {
	name, begin, item, end string
	servers                bool // it is .mcp.json
}

// largeFiles have each list and object that may be long, with right and wrong items.
func largeFiles() []largeFile {
	return []largeFile{
		{name: "deny rules", begin: `{"permissions": {"deny": [`, item: `"Read(/a/b%d/**)"`, end: `]}}`},
		{name: "rules that ask", begin: `{"permissions": {"deny": [`, item: `"Write(/a/b%d/**)"`, end: `]}}`},
		{name: "wrong allow rules", begin: `{"permissions": {"allow": [`, item: `"(x%d"`, end: `]}}`},
		{name: "directories", begin: `{"permissions": {"additionalDirectories": [`, item: `"/d/%d"`, end: `]}}`},
		{name: "keys", begin: `{`, item: `"k%d": 1`, end: `}`},
		{name: "one key", begin: `{`, item: `"k": %d`, end: `}`},
		{name: "variables", begin: `{"env": {`, item: `"V%d": "1"`, end: `}}`},
		{name: "approvals", begin: `{"enabledMcpjsonServers": [`, item: `"s%d"`, end: `]}`},
		{name: "hooks", begin: `{"hooks": {"Stop": [{"hooks": [`, item: `{"type": "command", "command": "c%d"}`, end: `]}]}}`},
		{name: "events", begin: `{"hooks": {`, item: `"E%d": [{"hooks": [{"type": "command", "command": "c"}]}]`, end: `}}`},
		{name: "wrong hooks", begin: `{"hooks": {"Stop": [`, item: `%d`, end: `]}}`},
		{name: "comments that do not end", begin: `{`, item: `/* %d`, end: `}`},
		{name: "servers", begin: `{"mcpServers": {`, item: `"s%d": {"command": "c"}`, end: `}}`, servers: true},
		{name: "wrong servers", begin: `{"mcpServers": {`, item: `"s%d": 1`, end: `}}`, servers: true},
		{name: "servers in no object", begin: `{`, item: `"s%d": {"command": "c"}`, end: `}`, servers: true},
		{name: "keys of one server", begin: `{"mcpServers": {"s": {"command": "c"`, item: `, "k%d": 1`, end: `}}}`, servers: true},
		{name: "denied servers", begin: `{"deniedMcpServers": [`, item: `{"serverUrl": "https://h%d/*"}`, end: `]}`},
	}
}

// text returns a file of a size.
func (l *largeFile) text(size int) string {
	var b strings.Builder
	b.WriteString(l.begin)
	for i := 0; b.Len() < size; i++ {
		if i > 0 && !strings.HasPrefix(l.item, ",") && !strings.HasPrefix(l.item, "/") {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, l.item, i)
	}
	b.WriteString(l.end)
	return b.String()
}

// load returns how long a file of a size takes.
func (l *largeFile) load(t *testing.T, size int) time.Duration {
	t.Helper()
	f := files(t)
	f.Trusted = true
	path := f.Project
	if l.servers {
		path = f.Servers
	}
	write(t, path, l.text(size))
	begun := time.Now()
	loaded, err := f.Load(t.Context())
	if err == nil {
		_, err = loaded.Permissions()
	}
	took := time.Since(begun)
	if !strings.Contains(l.name, "comments") {
		require.NoError(t, err)
	}
	return took
}

// TestLargeFilesAreReadInLinearTime: a file as large as may be read, on one line, takes seconds and
// not minutes.
func TestLargeFilesAreReadInLinearTime(t *testing.T) {
	t.Parallel()
	size := min(effort.Of(t, 4_000_000), 4_000_000) // no larger file is read
	for _, l := range largeFiles() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			require.Less(t, l.load(t, size), time.Minute)
		})
	}
}

// TestManyServersAndPatternsAreNotAllCompared: what a project brings along keeps nobody waiting, and
// what is not compared is off.
func TestManyServersAndPatternsAreNotAllCompared(t *testing.T) {
	t.Parallel()
	f := files(t)
	patterns, servers := largeFile{begin: `{"deniedMcpServers": [`, item: `{"serverUrl": "https://h%d/*"}`, end: `]}`}, largeFile{begin: `{"mcpServers": {`, item: `"s%d": {"url": "https://x/"}`, end: `}}`}
	write(t, f.Project, patterns.text(100_000))
	write(t, f.Servers, servers.text(100_000))
	write(t, f.Person, `{"mcpServers": {"mine": {"url": "https://x/"}}}`)
	off := 0
	for _, s := range load(t, f).Servers {
		switch {
		case s.Name == "mine":
			require.Equal(t, settings.ServerOn, s.Approval, "the user's own are compared in any case")
		case s.Approval == settings.ServerOff:
			off++
			require.Contains(t, s.Why, "more servers and entries about them than are compared")
		}
	}
	require.Greater(t, off, 1000)
}
