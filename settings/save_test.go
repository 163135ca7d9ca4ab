package settings_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestSave goes through what each type of update does to the bytes of a file.
func TestSave(t *testing.T) {
	t.Parallel()
	const (
		adds     = policy.AddRules
		removes  = policy.RemoveRules
		replaces = policy.ReplaceRules
		allow    = policy.Allow
		deny     = policy.Deny
	)
	tests := []struct {
		name          string
		before, after string
		updates       []policy.Update
		passes        bool // through other states, so that doing it twice is work
	}{
		{
			name:    "no file",
			updates: []policy.Update{add(allow, local, bash("npm test"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(npm test)\"\n    ]\n  }\n}\n",
		},
		{
			name: "an empty file", before: " \n",
			updates: []policy.Update{add(allow, local, tool("Read"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\n      \"Read\"\n    ]\n  }\n}\n",
		},
		{
			name: "an empty object, no line end", before: "{}",
			updates: []policy.Update{add(deny, local, tool("Read"))},
			after:   "{\n  \"permissions\": {\n    \"deny\": [\n      \"Read\"\n    ]\n  }\n}",
		},
		{
			name:    "other keys, by tabs",
			before:  "{\n\t\"z\": {\"b\":1,  \"a\" : [ 1,2 ]},\n\t\"hooks\": {}\n}\n",
			updates: []policy.Update{add(allow, local, tool("A"), tool("B"))},
			after:   "{\n\t\"z\": {\"b\":1,  \"a\" : [ 1,2 ]},\n\t\"hooks\": {},\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"A\",\n\t\t\t\"B\"\n\t\t]\n\t}\n}\n",
		},
		{
			name:    "Windows line ends and a byte order mark",
			before:  "\ufeff{\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"A\"\r\n        ]\r\n    }\r\n}",
			updates: []policy.Update{add(allow, local, tool("B")), add(policy.Ask, local, tool("C"))},
			after:   "\ufeff{\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"A\",\r\n            \"B\"\r\n        ],\r\n        \"ask\": [\r\n            \"C\"\r\n        ]\r\n    }\r\n}",
		},
		{
			name:    "one line",
			before:  `{"model":"x","permissions":{"allow":["A","B"],"deny":[]},"env":{"K":"\u00e9\/"}}`,
			updates: []policy.Update{add(allow, local, tool("C")), add(deny, local, bash("rm é"))},
			after:   `{"model":"x","permissions":{"allow":["A","B","C"],"deny":["Bash(rm \u00e9)"]},"env":{"K":"\u00e9\/"}}`,
		},
		{
			name:    "a new list looks like the one beside it",
			before:  "{\n  \"permissions\": {\n    \"allow\": [\"A\", \"B\"],\n    \"ask\": []\n  }\n}\n",
			updates: []policy.Update{add(deny, local, tool("C"), tool("D")), add(policy.Ask, local, tool("E"))},
			after:   "{\n  \"permissions\": {\n    \"allow\": [\"A\", \"B\"],\n    \"ask\": [\"E\"],\n    \"deny\": [\"C\", \"D\"]\n  }\n}\n",
		},
		{
			name:    "what is there is not added",
			before:  `{"permissions": {"allow": ["Bash(*)", "A"]}}`,
			updates: []policy.Update{add(allow, local, tool("Bash"), tool("A"), tool("B"), tool("B"))},
			after:   `{"permissions": {"allow": ["Bash(*)", "A", "B"]}}`,
		},
		{
			name:    "null is nothing",
			before:  `{"permissions": null}`,
			updates: []policy.Update{add(allow, local, tool("A"))},
			after:   `{"permissions": {"allow": ["A"]}}`,
		},
		{
			name:    "remove",
			before:  "{\"permissions\": {\"allow\": [\n  \"A\", \"Bash(*)\",\n  \"C\", \"A\" ,\"D\", 7\n]}}",
			updates: []policy.Update{change(removes, allow, local, tool("A"), tool("Bash"), tool("Z")), change(removes, deny, local, tool("D"))},
			after:   "{\"permissions\": {\"allow\": [\n  \"C\" ,\"D\", 7\n]}}",
		},
		{
			name:    "remove the last",
			before:  "{\"permissions\": {\"allow\": [\n  \"A\"\n]}}",
			updates: []policy.Update{change(removes, allow, local, tool("A"))},
			after:   "{\"permissions\": {\"allow\": []}}",
		},
		{
			name:    "replace",
			before:  `{"permissions": {"deny": ["X"], "allow": ["A", "B", "no rule (", {"k": 1}]}}`,
			updates: []policy.Update{change(replaces, allow, local, tool("C"), tool("B"))},
			after:   `{"permissions": {"deny": ["X"], "allow": ["B", {"k": 1}, "C"]}}`,
		},
		{
			name:    "replace by nothing",
			before:  `{"permissions": {"allow": ["A", "B"]}}`,
			updates: []policy.Update{change(replaces, allow, local)},
			after:   `{"permissions": {"allow": []}}`,
		},
		{
			name:    "replace all",
			before:  "{\"permissions\": {\"allow\": [\n \"A\",\n \"B\"\n]}}",
			updates: []policy.Update{change(replaces, allow, local, tool("C"), tool("D"))},
			after:   "{\"permissions\": {\"allow\": [\n \"C\",\n \"D\"\n]}}",
		},
		{
			name:    "modes",
			before:  `{"permissions": {"defaultMode": "plan", "x": 1}}`,
			updates: []policy.Update{setMode(policy.ModeAcceptEdits, local), setMode(policy.ModeBypass, local), setMode(policy.ModeAuto, local)},
			after:   `{"permissions": {"defaultMode": "acceptEdits", "x": 1}}`,
		},
		{
			name:    "manual is default",
			updates: []policy.Update{setMode("manual", local)},
			after:   "{\n  \"permissions\": {\n    \"defaultMode\": \"default\"\n  }\n}\n",
		},
		{
			name:    "default is manual",
			before:  `{"permissions": {"defaultMode": "manual"}}`,
			updates: []policy.Update{setMode(policy.ModeDefault, local)},
			after:   `{"permissions": {"defaultMode": "manual"}}`,
		},
		{
			name:   "directories",
			before: `{"permissions": {"additionalDirectories": ["../a", "/b"]}}`,
			updates: []policy.Update{
				directories(policy.AddDirectories, local, "/b", "~/c", `/"d\`),
				directories(policy.RemoveDirectories, local, "../a", "/z"),
			},
			after: `{"permissions": {"additionalDirectories": ["/b", "~/c", "/\"d\\"]}}`,
		},
		{
			name:    "all at once, in their order",
			before:  `{"permissions": {"allow": ["A"]}}`,
			updates: []policy.Update{add(allow, local, tool("B")), change(removes, allow, local, tool("A")), add(allow, local, tool("A")), change(adds, deny, local)},
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
			save(t, f, add(policy.Allow, project, bash("make all")), change(policy.RemoveRules, policy.Deny, project, bash("curl *")))
			require.Equal(t, read(t, filepath.Join("testdata", name+".golden")), read(t, f.Project))
		})
	}
}

// TestSaveByDestination: each source has its file, and the session has none.
func TestSaveByDestination(t *testing.T) {
	t.Parallel()
	f := files(t)
	save(t, f)
	save(t, f, add(policy.Allow, policy.SourceSession, tool("S")), add(policy.Allow, policy.SourceCLI, tool("S")),
		add(policy.Allow, policy.SourceCommand, tool("S")), setMode(policy.ModeBypass, user), setMode(policy.ModeAuto, project),
		change(policy.RemoveRules, policy.Allow, user, tool("S")), change(policy.ReplaceRules, policy.Deny, local))
	require.NoDirExists(t, filepath.Dir(f.Local), "nothing to write, nothing is made")
	require.NoDirExists(t, filepath.Dir(f.User))

	save(t, f, add(policy.Allow, local, tool("L")), add(policy.Allow, project, tool("P")), add(policy.Allow, user, tool("U")), setMode(policy.ModeAuto, user))
	f.Trusted = true
	l := load(t, f)
	require.Equal(t, []policy.RuleSet{
		{Source: local, Allow: []string{"L"}}, {Source: project, Allow: []string{"P"}}, {Source: user, Allow: []string{"U"}},
	}, l.Rules)
	require.Equal(t, policy.ModeAuto, l.Mode)
	for path, perm := range map[string]os.FileMode{f.Local: 0o600, f.Project: 0o644, f.User: 0o600} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, perm, fi.Mode().Perm(), path)
	}
}

// TestSaveRefuses what is wrong before it touches any file.
func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	good := add(policy.Allow, local, tool("A"))
	tests := []struct {
		name   string
		update policy.Update
		file   string // of the user
		files  func(f *settings.Files)
		want   string
	}{
		{name: "policy", update: add(policy.Allow, policy.SourceManaged, tool("A")), want: "policy"},
		{name: "a rule that is none", update: add(policy.Allow, user, edit("~")), want: "whole tree"},
		{name: "a tool with a parenthesis", update: add(policy.Allow, user, tool("Bash(x)")), want: "parenthesis"},
		{name: "an unknown mode", update: setMode("lax", user), want: "lax"},
		{name: "an unknown type", update: policy.Update{Type: "add", Destination: user}, want: "unknown type"},
		{name: "a directory without a name", update: directories(policy.AddDirectories, user, ""), want: "no directory"},
		{name: "a directory that is not text", update: directories(policy.AddDirectories, user, "\xff"), want: "no directory"},
		{name: "no file", update: add(policy.Allow, user, tool("A")), files: func(f *settings.Files) { f.User = "" }, want: "no file for userSettings"},
		{name: "a relative file", update: add(policy.Allow, user, tool("A")), files: func(f *settings.Files) { f.User = "x/settings.json" }, want: "not an absolute path"},
		{name: "permissions of another kind", update: add(policy.Allow, user, tool("A")), file: `{"permissions": []}`, want: "permissions is not an object"},
		{name: "a list of another kind", update: add(policy.Allow, user, tool("A")), file: `{"permissions": {"allow": "A"}}`, want: "permissions.allow is not a list"},
		{name: "comments", update: add(policy.Allow, user, tool("A")), file: "{\n  // mine\n  \"a\": 1\n}", want: "comments"},
		{name: "a comma too many", update: add(policy.Allow, user, tool("A")), file: "{\"a\": [1, ],\n}", want: "comma"},
		{name: "too large", update: add(policy.Allow, user, tool("A")), file: `{"a":"` + strings.Repeat("x", 4<<20) + `"}`, want: "limit"},
		{name: "grown too large", update: add(policy.Allow, user, bash(strings.Repeat("x", 1000))), file: `{"a":"` + strings.Repeat("x", 4<<20-500) + `"}`, want: "limit"},
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
			err := f.Save(t.Context(), []policy.Update{good, tc.update})
			require.ErrorContains(t, err, tc.want)
			require.NoFileExists(t, f.Local, "not the others either")
			if tc.file != "" {
				require.Equal(t, tc.file, read(t, where))
				require.Len(t, names(t, filepath.Dir(where)), 1)
			}
		})
	}
}

// one returns any of the choices.
func one[T any](d *rand.Rand, choices ...T) T { return choices[d.IntN(len(choices))] }

func anyUpdate(d *rand.Rand) policy.Update {
	u := policy.Update{Destination: one(d, local, local, project, user, policy.SourceSession)}
	switch u.Type = one(d, policy.AddRules, policy.AddRules, policy.AddRules, policy.RemoveRules, policy.ReplaceRules, policy.SetMode, policy.AddDirectories, policy.RemoveDirectories); u.Type {
	case policy.SetMode:
		u.Mode = one(d, policy.ModeDefault, "manual", policy.ModePlan, policy.ModeAcceptEdits, policy.ModeDontAsk)
	case policy.AddDirectories, policy.RemoveDirectories:
		for range d.IntN(3) {
			u.Directories = append(u.Directories, one(d, "/a", "../b", "~/c", `d "e"`))
		}
	default:
		u.Behavior = one(d, policy.Allow, policy.Ask, policy.Deny)
		for range d.IntN(4) {
			u.Rules = append(u.Rules, one(d, tool("A"), tool("Bash"), bash("*"), bash("git *"), bash(`echo "é" \ `), edit("/src/**"), edit("//etc"), tool("mcp__s"), tool("mcp__s__*")))
		}
	}
	return u
}

// said returns the rules and directories of the files' sources, sorted.
func said(p policy.Permissions) (all []string) {
	for _, r := range p.Rules() {
		if r.Source != policy.SourceSession {
			all = append(all, strings.Join([]string{string(r.Source), r.Behavior.String(), r.String()}, " "))
		}
	}
	for _, d := range p.Directories() {
		if d.Source != policy.SourceSession {
			all = append(all, strings.Join([]string{string(d.Source), "directory", d.Path}, " "))
		}
	}
	slices.Sort(all)
	return all
}

// TestSavedIsApplied: what is saved by and by, over whatever the files held, and
// then loaded is what the updates make of permissions.
func TestSavedIsApplied(t *testing.T) {
	t.Parallel()
	starts := []string{"", "", "{}", `{"a":1}`, "{\n\t\"permissions\": {\n\t\t\"allow\": [ ]\n\t}\n}", `{"permissions":{"x":[],"deny":null}}`}
	count := 0
	for seed := range effort.Of(t, uint64(60)) {
		d := rand.New(rand.NewPCG(seed, 1))
		f := files(t)
		f.Trusted = true
		f.User = filepath.Join(f.Dir, "user.json") // where "/p" of the user means the same
		for _, path := range []string{f.Local, f.Project, f.User} {
			if data := one(d, starts...); data != "" {
				write(t, path, data)
			}
		}
		var p policy.Permissions
		modes := map[policy.Source]policy.Mode{}
		for range 8 {
			var updates []policy.Update
			for range 1 + d.IntN(3) {
				updates = append(updates, anyUpdate(d))
			}
			save(t, f, updates...)
			var err error
			p, err = p.Apply(updates...)
			require.NoError(t, err)
			for _, u := range updates {
				if u.Type == policy.SetMode {
					modes[u.Destination] = u.Mode
				}
			}
			l := load(t, f)
			require.Empty(t, l.Warnings)
			got, err := l.Permissions()
			require.NoError(t, err)
			require.Equal(t, said(p), said(got), "seed %d: %v", seed, updates)
			count += len(said(p))
			var want policy.Mode
			for _, m := range []policy.Mode{modes[user], modes[project], modes[local]} {
				if m != "" {
					want = m
				}
			}
			if want == "" || want == "manual" {
				want = policy.ModeDefault
			}
			require.Equal(t, want, got.Mode(), "seed %d: %v", seed, updates)
		}
	}
	if effort.Full(t) {
		require.Greater(t, count, 1000)
	}
}

// FuzzSave saves into any file. What was no settings file is found beside it to the
// byte; of what was one nothing but the lists is changed.
func FuzzSave(f *testing.F) {
	for _, data := range corrupt() {
		f.Add([]byte(data), uint64(1))
	}
	for i, data := range []string{"", "{}", "\ufeff{ }", `{"a":{"permissions":1},"permissions":{"deny":["A",7],"z":"\ud800"},"permissiona":2}`, "{\r\n\t\"permissions\":\r\n\t{\"allow\":[ \"A\" ,\r\n\"Bash(*)\"]}}", `{"permissions":{"allow":{}}}`, "{//\n}"} {
		f.Add([]byte(data), uint64(i))
	}
	f.Fuzz(func(t *testing.T, before []byte, seed uint64) {
		d := rand.New(rand.NewPCG(seed, 2))
		files := files(t)
		write(t, files.Local, string(before))
		var aside []*settings.SetAsideError
		files.OnSetAside = func(e *settings.SetAsideError) { aside = append(aside, e) }
		updates := []policy.Update{add(policy.Allow, local, tool("New"))}
		for range d.IntN(3) {
			u := anyUpdate(d)
			u.Destination = local
			updates = append(updates, u)
		}
		err := files.Save(t.Context(), updates)
		after := read(t, files.Local)
		if err != nil {
			require.Empty(t, aside)
			require.Equal(t, string(before), after)
			require.Len(t, names(t, filepath.Dir(files.Local)), 1)
			return
		}
		if len(aside) > 0 {
			require.Equal(t, string(before), read(t, aside[0].Copy))
			require.Len(t, names(t, filepath.Dir(files.Local)), 2)
			before = nil
		}
		require.Equal(t, others(t, before), others(t, []byte(after)))
		again := read(t, files.Local)
		require.NoError(t, files.Save(t.Context(), updates[:1]))
		if !slices.ContainsFunc(updates[1:], func(u policy.Update) bool {
			return len(u.Rules) > 0 || u.Type == policy.ReplaceRules
		}) {
			require.Equal(t, again, read(t, files.Local))
		}
	})
}

// others returns all tokens of a settings file but the permissions that are
// edited: strings and numbers as they are spelled, keys in their order.
func others(t testing.TB, data []byte) []string {
	t.Helper()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	require.True(t, json.Valid(data), "%q", data)
	var all []string
	for _, m := range fields(t, data) {
		if m.key != "permissions" {
			all = append(all, m.key, m.value)
			continue
		}
		if m.value == "null" {
			continue
		}
		for _, p := range fields(t, []byte(m.value)) {
			if !slices.Contains([]string{"allow", "ask", "deny", "additionalDirectories", "defaultMode"}, p.key) {
				all = append(all, "permissions", p.key, p.value)
			}
		}
	}
	return all
}

type field struct{ key, value string }

// fields returns the members of an object in order, each value as it stands.
func fields(t testing.TB, object []byte) (all []field) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
		all = append(all, field{key.(string), string(value)}) //nolint:errcheck,forcetypeassert // a key is a string
	}
	return all
}

// corrupt are files that nobody can edit.
func corrupt() map[string]string {
	return map[string]string{
		"cut off":            `{"permissions": {"allow": ["A"`,
		"not JSON":           "model: x\n",
		"not UTF-8":          "{\"a\": \"\xff\"}",
		"a conflict":         "{\n<<<<<<< ours\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> theirs\n}",
		"no object":          `["A"]`,
		"null":               `null`,
		"permissions twice":  `{"permissions": {}, "permissions": {"deny": ["A"]}}`,
		"a list twice":       `{"permissions": {"deny": ["A"], "d\u0065ny": []}}`,
		"an open comment":    `{"a": 1} /* never closed`,
		"a comment and more": "// x\n{\"a\": }",
	}
}

// TestCorruptFilesAreSetAside: the old bytes are in a file beside it, the updates
// in a new one, and somebody is told.
func TestCorruptFilesAreSetAside(t *testing.T) {
	t.Parallel()
	for name, data := range corrupt() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			write(t, f.Local, data)
			_, err := f.Load(t.Context())
			var bad *settings.CorruptError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, f.Local, bad.Path)

			var told []*settings.SetAsideError
			f.OnSetAside = func(e *settings.SetAsideError) { told = append(told, e) }
			save(t, f, add(policy.Allow, local, tool("N")), add(policy.Allow, user, tool("U")))
			require.Len(t, told, 1)
			require.Equal(t, f.Local, told[0].Path)
			require.Regexp(t, `/settings\.local\.json\.corrupt-\d{8}T\d{6}Z-[A-Z2-7]{8}$`, filepath.ToSlash(told[0].Copy))
			require.Equal(t, data, read(t, told[0].Copy))
			require.ErrorContains(t, told[0], told[0].Copy)
			require.Len(t, names(t, filepath.Dir(f.Local)), 2)
			require.Equal(t, []string{"N"}, load(t, f).Rules[0].Allow)

			save(t, f, add(policy.Allow, local, tool("O")))
			require.Len(t, told, 1, "only once")
		})
	}
}

// TestSetAsideWithoutListener: it is an error that says so, and all is saved.
func TestSetAsideWithoutListener(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Local, "{")
	err := f.Save(t.Context(), []policy.Update{add(policy.Allow, local, tool("N")), add(policy.Allow, user, tool("U"))})
	var aside *settings.SetAsideError
	require.ErrorAs(t, err, &aside)
	require.Equal(t, "{", read(t, aside.Copy))
	l := load(t, f)
	require.Equal(t, []string{"N"}, l.Rules[0].Allow)
	require.Equal(t, []string{"U"}, l.Rules[1].Allow)
}

// TestLinkedFiles: a link is followed, but what a project links to is never set
// aside, nor another source's file.
func TestLinkedFiles(t *testing.T) {
	t.Parallel()
	allow := []policy.Update{add(policy.Allow, local, tool("N"))}
	tests := []struct {
		name  string
		link  func(t *testing.T, f settings.Files) (target string)
		data  string // of the target, empty for none
		wrong string
	}{
		{name: "the file", data: `{"a": 1}`, link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			to := filepath.Join(f.Home, "dotfiles", "x.json")
			link(t, to, f.Local)
			return to
		}},
		{name: "its directory", data: `{"a": 1}`, link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			to := filepath.Join(f.Home, "dotfiles")
			require.NoError(t, os.Mkdir(to, 0o755))
			link(t, to, filepath.Dir(f.Local))
			return filepath.Join(to, "settings.local.json")
		}},
		{name: "nowhere", wrong: "leads nowhere", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			to := filepath.Join(f.Home, "gone")
			link(t, to, f.Local)
			return to
		}},
		{name: "a directory that is nowhere", wrong: "leads nowhere", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			to := filepath.Join(f.Home, "gone")
			link(t, to, filepath.Dir(f.Local))
			return to
		}},
		{name: "a circle", wrong: "", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			link(t, f.Local+"2", f.Local)
			link(t, f.Local, f.Local+"2")
			return f.Home + "/none"
		}},
		{name: "what is no settings file", data: "export PATH=/bin\n", wrong: "not valid", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			to := filepath.Join(f.Home, ".bashrc")
			link(t, to, f.Local)
			return to
		}},
		{name: "the user's file", data: `{"a": 1}`, wrong: "the file of userSettings", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			link(t, f.User, f.Local)
			return f.User
		}},
		{name: "a directory", wrong: "", link: func(t *testing.T, f settings.Files) string {
			t.Helper()
			link(t, f.Home, f.Local)
			return f.Home + "/none"
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			f.Trusted = true
			to := tc.link(t, f)
			if tc.data != "" {
				write(t, to, tc.data)
			}
			err := f.Save(t.Context(), allow)
			if tc.data != "" && tc.wrong == "" {
				require.NoError(t, err)
				require.Equal(t, `{"a": 1,"permissions": {"allow": ["N"]}}`, strings.ReplaceAll(read(t, to), `, "p`, `,"p`))
				require.Equal(t, []string{"N"}, load(t, f).Rules[0].Allow)
				f.Trusted = false
				require.True(t, load(t, f).Rules[0].Untrusted, "it may be the project's")
				return
			}
			require.ErrorContains(t, err, tc.wrong)
			if tc.data != "" {
				require.Equal(t, tc.data, read(t, to))
				require.NoFileExists(t, to+".corrupt")
			} else {
				require.NoFileExists(t, to)
				_, err := f.Load(t.Context())
				require.Error(t, err)
			}
		})
	}
}

func link(t testing.TB, to, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.Symlink(to, name))
}

// TestNoFiles: what is no file is left alone.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	f := files(t)
	require.NoError(t, os.MkdirAll(f.Local, 0o755))
	require.ErrorIs(t, f.Save(t.Context(), []policy.Update{add(policy.Allow, local, tool("N"))}), realpath.ErrNotRegular)
	_, err := f.Load(t.Context())
	require.ErrorIs(t, err, realpath.ErrNotRegular)
}

// TestForbiddenFiles: what may not be read or written is left alone.
func TestForbiddenFiles(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read and write everything")
	}
	f := files(t)
	for mode, data := range map[os.FileMode]string{0: "{}", 0o400: "{}", 0o444: "junk"} {
		write(t, f.User, data)
		require.NoError(t, os.Chmod(f.User, mode))
		err := f.Save(t.Context(), []policy.Update{add(policy.Allow, user, tool("N"))})
		require.ErrorIs(t, err, fs.ErrPermission, mode)
		require.NoError(t, os.Chmod(f.User, 0o600))
		require.Equal(t, data, read(t, f.User))
		require.Len(t, names(t, filepath.Dir(f.User)), 1)
	}
}
