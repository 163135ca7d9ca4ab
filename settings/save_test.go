package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestSave goes through what each type of update does to the bytes of a file.
func TestSave(t *testing.T) {
	t.Parallel()
	const (
		adds     = pegboard.UpdateAddRules
		removes  = pegboard.UpdateRemoveRules
		replaces = pegboard.UpdateReplaceRules
		allow    = pegboard.Allow
		deny     = pegboard.Deny
	)
	tests := []struct {
		name          string
		before, after string
		updates       []pegboard.PermissionUpdate
		passes        bool // through other states, so that doing it twice is work
	}{
		{
			name:    "no file",
			updates: []pegboard.PermissionUpdate{add(allow, local, bash("npm test"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(npm test)\"\n    ]\n  }\n}\n",
		},
		{
			name: "an empty file", before: " \n",
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("Read"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\n      \"Read\"\n    ]\n  }\n}\n",
		},
		{
			name: "an empty object, no line end", before: "{}",
			updates: []pegboard.PermissionUpdate{add(deny, local, tool("Read"))},
			after:   "{\n  \"permissions\": {\n    \"deny\": [\n      \"Read\"\n    ]\n  }\n}",
		},
		{
			name:    "other keys, by tabs",
			before:  "{\n\t\"z\": {\"b\":1,  \"a\" : [ 1,2 ]},\n\t\"hooks\": {}\n}\n",
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("A"), tool("B"))},
			after:   "{\n\t\"z\": {\"b\":1,  \"a\" : [ 1,2 ]},\n\t\"hooks\": {},\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"A\",\n\t\t\t\"B\"\n\t\t]\n\t}\n}\n",
		},
		{
			name:    "Windows line ends and a byte order mark",
			before:  "\ufeff{\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"A\"\r\n        ]\r\n    }\r\n}",
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("B")), add(pegboard.Ask, local, tool("C"))},
			after:   "\ufeff{\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"A\",\r\n            \"B\"\r\n        ],\r\n        \"ask\": [\r\n            \"C\"\r\n        ]\r\n    }\r\n}",
		},
		{
			name:    "one line",
			before:  `{"model":"x","permissions":{"allow":["A","B"],"deny":[]},"env":{"K":"\u00e9\/"}}`,
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("C")), add(deny, local, bash("rm é"))},
			after:   `{"model":"x","permissions":{"allow":["A","B","C"],"deny":["Bash(rm \u00e9)"]},"env":{"K":"\u00e9\/"}}`,
		},
		{
			name:    "a new list looks like the one beside it",
			before:  "{\n  \"permissions\": {\n    \"allow\": [\"A\", \"B\"],\n    \"ask\": []\n  }\n}\n",
			updates: []pegboard.PermissionUpdate{add(deny, local, tool("C"), tool("D")), add(pegboard.Ask, local, tool("E"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\"A\", \"B\"],\n    \"ask\": [\"E\"],\n    \"deny\": [\"C\", \"D\"]\n  }\n}\n",
		},
		{
			name:    "what is there is not added",
			before:  `{"permissions": {"allow": ["Bash(*)", "A"]}}`,
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("Bash"), tool("A"), tool("B"), tool("B"))},
			after:   `{"permissions": {"allow": ["Bash(*)", "A", "B"]}}`,
		},
		{
			name:    "null is nothing",
			before:  `{"permissions": null}`,
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("A"))},
			after:   `{"permissions": {"allow": ["A"]}}`,
		},
		{
			name:    "remove",
			before:  "{\"permissions\": {\"allow\": [\n  \"A\", \"Bash(*)\",\n  \"C\", \"A\" ,\"D\", 7\n]}}",
			updates: []pegboard.PermissionUpdate{change(removes, allow, local, tool("A"), tool("Bash"), tool("Z")), change(removes, deny, local, tool("D"))},
			after:   "{\"permissions\": {\"allow\": [\n  \"C\" ,\"D\", 7\n]}}",
		},
		{
			name:    "remove the last",
			before:  "{\"permissions\": {\"allow\": [\n  \"A\"\n]}}",
			updates: []pegboard.PermissionUpdate{change(removes, allow, local, tool("A"))},
			after:   "{\"permissions\": {\"allow\": []}}",
		},
		{
			name:    "replace",
			before:  `{"permissions": {"deny": ["X"], "allow": ["A", "B", "no rule (", {"k": 1}]}}`,
			updates: []pegboard.PermissionUpdate{change(replaces, allow, local, tool("C"), tool("B"))},
			after:   `{"permissions": {"deny": ["X"], "allow": ["B", {"k": 1}, "C"]}}`,
		},
		{
			name:    "replace by nothing",
			before:  `{"permissions": {"allow": ["A", "B"]}}`,
			updates: []pegboard.PermissionUpdate{change(replaces, allow, local)},
			after:   `{"permissions": {"allow": []}}`,
		},
		{
			name:    "replace all",
			before:  "{\"permissions\": {\"allow\": [\n \"A\",\n \"B\"\n]}}",
			updates: []pegboard.PermissionUpdate{change(replaces, allow, local, tool("C"), tool("D"))},
			after:   "{\"permissions\": {\"allow\": [\n \"C\",\n \"D\"\n]}}",
		},
		{
			name:    "modes",
			before:  `{"permissions": {"defaultMode": "plan", "x": 1}}`,
			updates: []pegboard.PermissionUpdate{setMode(pegboard.ModeAcceptEdits, local), setMode(pegboard.ModeBypass, local), setMode(pegboard.ModeAuto, local)},
			after:   `{"permissions": {"defaultMode": "acceptEdits", "x": 1}}`,
		},
		{
			name:    "manual is default",
			updates: []pegboard.PermissionUpdate{setMode("manual", local)},
			after:   "{\n  \"permissions\": {\n    \"defaultMode\": \"default\"\n  }\n}\n",
		},
		{
			name:    "default is manual",
			before:  `{"permissions": {"defaultMode": "manual"}}`,
			updates: []pegboard.PermissionUpdate{setMode(pegboard.ModeDefault, local)},
			after:   `{"permissions": {"defaultMode": "manual"}}`,
		},
		{
			name:   "directories",
			before: `{"permissions": {"additionalDirectories": ["../a", "/b"]}}`,
			updates: []pegboard.PermissionUpdate{
				directories(pegboard.UpdateAddDirectories, local, "/b", "~/c", `/"d\`),
				directories(pegboard.UpdateRemoveDirectories, local, "../a", "/z"),
			},
			after: `{"permissions": {"additionalDirectories": ["/b", "~/c", "/\"d\\"]}}`,
		},
		{
			name:    "all at once, in their order",
			before:  `{"permissions": {"allow": ["A"]}}`,
			updates: []pegboard.PermissionUpdate{add(allow, local, tool("B")), change(removes, allow, local, tool("A")), add(allow, local, tool("A")), change(adds, deny, local)},
			after:   `{"permissions": {"allow": ["B", "A"]}}`,
			passes:  true,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			if tc.before != "" {
				write(t, f.Local, tc.before)
			}
			save(t, f, tc.updates...)
			require.Equal(t, tc.after, read(t, f.Local))
			require.Equal(t, []string{"settings.local.json"}, names(t, filepath.Dir(f.Local)))
			once, err := os.Stat(f.Local)
			require.NoError(t, err)
			if tc.passes {
				return
			}
			save(t, f, tc.updates...)
			twice, err := os.Stat(f.Local)
			require.NoError(t, err)
			require.True(t, os.SameFile(once, twice), "the second time there is nothing to write")
		})
	}
}

// TestSaveKeepsALargeFile to the byte, but for one rule.
func TestSaveKeepsALargeFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"spaces", "tabs-crlf", "compact", "odd"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			before := read(t, filepath.Join("testdata", name+".json"))
			write(t, f.Project, before)
			save(t, f, add(pegboard.Allow, project, bash("make all")), change(pegboard.UpdateRemoveRules, pegboard.Deny, project, bash("curl *")))
			require.Equal(t, read(t, filepath.Join("testdata", name+".golden")), read(t, f.Project))
		})
	}
}

// TestSaveByDestination: each source has its file, and the session has none.
func TestSaveByDestination(t *testing.T) {
	t.Parallel()
	f := files(t)
	save(t, f)
	save(t, f, add(pegboard.Allow, pegboard.SourceSession, tool("S")), add(pegboard.Allow, pegboard.SourceCLI, tool("S")),
		add(pegboard.Allow, pegboard.SourceCommand, tool("S")), setMode(pegboard.ModeBypass, user), setMode(pegboard.ModeAuto, project),
		change(pegboard.UpdateRemoveRules, pegboard.Allow, user, tool("S")), change(pegboard.UpdateReplaceRules, pegboard.Deny, local))
	require.NoDirExists(t, filepath.Dir(f.Local), "nothing to write, nothing is made")
	require.NoDirExists(t, filepath.Dir(f.User))

	save(t, f, add(pegboard.Allow, local, tool("L")), add(pegboard.Allow, project, tool("P")), add(pegboard.Allow, user, tool("U")), setMode(pegboard.ModeAuto, user))
	f.Trusted = true
	l := load(t, f)
	require.Equal(t, []pegboard.RuleSet{
		{Source: local, Allow: []string{"L"}}, {Source: project, Allow: []string{"P"}}, {Source: user, Allow: []string{"U"}},
	}, l.Rules)
	require.Equal(t, pegboard.ModeAuto, l.Mode)
	for path, perm := range map[string]os.FileMode{f.Local: 0o600, f.Project: 0o644, f.User: 0o600} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, perm, fi.Mode().Perm(), path)
	}
}

// TestSaveRefuses what is wrong before it touches any file.
func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	good := add(pegboard.Allow, local, tool("A"))
	tests := []struct {
		name   string
		update pegboard.PermissionUpdate
		file   string // of the user
		files  func(f *settings.Files)
		want   string
	}{
		{name: "policy", update: add(pegboard.Allow, pegboard.SourcePolicy, tool("A")), want: "policy"},
		{name: "a rule that is none", update: add(pegboard.Allow, user, edit("~")), want: "whole tree"},
		{name: "a tool with a parenthesis", update: add(pegboard.Allow, user, tool("Bash(x)")), want: "parenthesis"},
		{name: "an unknown mode", update: setMode("lax", user), want: "lax"},
		{name: "an unknown type", update: pegboard.PermissionUpdate{Type: "add", Destination: user}, want: "unknown type"},
		{name: "a directory without a name", update: directories(pegboard.UpdateAddDirectories, user, ""), want: "no directory"},
		{name: "a directory that is not text", update: directories(pegboard.UpdateAddDirectories, user, "\xff"), want: "no directory"},
		{name: "no file", update: add(pegboard.Allow, user, tool("A")), files: func(f *settings.Files) { f.User = "" }, want: "no file for userSettings"},
		{name: "a relative file", update: add(pegboard.Allow, user, tool("A")), files: func(f *settings.Files) { f.User = "x/settings.json" }, want: "not an absolute path"},
		{name: "permissions of another kind", update: add(pegboard.Allow, user, tool("A")), file: `{"permissions": []}`, want: "permissions is not an object"},
		{name: "a list of another kind", update: add(pegboard.Allow, user, tool("A")), file: `{"permissions": {"allow": "A"}}`, want: "permissions.allow is not a list"},
		{name: "comments", update: add(pegboard.Allow, user, tool("A")), file: "{\n  // mine\n  \"a\": 1\n}", want: "comments"},
		{name: "a comma too many", update: add(pegboard.Allow, user, tool("A")), file: "{\"a\": [1, ],\n}", want: "comma"},
		{name: "too large", update: add(pegboard.Allow, user, tool("A")), file: `{"a":"` + strings.Repeat("x", 4<<20) + `"}`, want: "limit"},
		{name: "grown too large", update: add(pegboard.Allow, user, bash(strings.Repeat("x", 1000))), file: `{"a":"` + strings.Repeat("x", 4<<20-500) + `"}`, want: "limit"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			if tc.file != "" {
				write(t, f.User, tc.file)
			}
			where := f.User
			if tc.files != nil {
				tc.files(&f)
			}
			err := f.Save(t.Context(), []pegboard.PermissionUpdate{good, tc.update})
			require.ErrorContains(t, err, tc.want)
			require.NoFileExists(t, f.Local, "not the others either")
			if tc.file != "" {
				require.Equal(t, tc.file, read(t, where))
				require.Len(t, names(t, filepath.Dir(where)), 1)
			}
		})
	}
}
