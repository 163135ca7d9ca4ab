package settings_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/settings"
)

// one returns any of the choices.
func one[T any](d *rand.Rand, choices ...T) T { return choices[d.IntN(len(choices))] }

func anyUpdate(d *rand.Rand) pegboard.PermissionUpdate {
	u := pegboard.PermissionUpdate{Destination: one(d, local, local, project, user, pegboard.SourceSession)}
	switch u.Type = one(d, pegboard.UpdateAddRules, pegboard.UpdateAddRules, pegboard.UpdateAddRules, pegboard.UpdateRemoveRules, pegboard.UpdateReplaceRules, pegboard.UpdateSetMode, pegboard.UpdateAddDirectories, pegboard.UpdateRemoveDirectories); u.Type {
	case pegboard.UpdateSetMode:
		u.Mode = one(d, pegboard.ModeDefault, "manual", pegboard.ModePlan, pegboard.ModeAcceptEdits, pegboard.ModeDontAsk)
	case pegboard.UpdateAddDirectories, pegboard.UpdateRemoveDirectories:
		for range d.IntN(3) {
			u.Directories = append(u.Directories, one(d, "/a", "../b", "~/c", `d "e"`))
		}
	default:
		u.Behavior = one(d, pegboard.Allow, pegboard.Ask, pegboard.Deny)
		for range d.IntN(4) {
			u.Rules = append(u.Rules, one(d, tool("A"), tool("Bash"), bash("*"), bash("git *"), bash(`echo "é" \ `), edit("/src/**"), edit("//etc"), tool("mcp__s"), tool("mcp__s__*")))
		}
	}
	return u
}

// said returns the rules and directories of the files' sources, sorted.
func said(p pegboard.Permissions) (all []string) {
	for _, r := range p.Rules() {
		if r.Source != pegboard.SourceSession {
			all = append(all, strings.Join([]string{string(r.Source), r.Behavior.String(), r.String()}, " "))
		}
	}
	for _, d := range p.Directories() {
		if d.Source != pegboard.SourceSession {
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
		var p pegboard.Permissions
		modes := map[pegboard.RuleSource]pegboard.Mode{}
		for range 8 {
			var updates []pegboard.PermissionUpdate
			for range 1 + d.IntN(3) {
				updates = append(updates, anyUpdate(d))
			}
			save(t, f, updates...)
			var err error
			p, err = p.Apply(updates...)
			require.NoError(t, err)
			for _, u := range updates {
				if u.Type == pegboard.UpdateSetMode {
					modes[u.Destination] = u.Mode
				}
			}
			l := load(t, f)
			require.Empty(t, l.Warnings)
			got, err := l.Permissions()
			require.NoError(t, err)
			require.Equal(t, said(p), said(got), "seed %d: %v", seed, updates)
			count += len(said(p))
			var want pegboard.Mode
			for _, m := range []pegboard.Mode{modes[user], modes[project], modes[local]} {
				if m != "" {
					want = m
				}
			}
			if want == "" || want == "manual" {
				want = pegboard.ModeDefault
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
		updates := []pegboard.PermissionUpdate{add(pegboard.Allow, local, tool("New"))}
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
		if !slices.ContainsFunc(updates[1:], func(u pegboard.PermissionUpdate) bool {
			return len(u.Rules) > 0 || u.Type == pegboard.UpdateReplaceRules
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
