package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// age makes all files of a test look as if they had been written long ago.
func age(t testing.TB, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			old := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(path, old, old))
		}
	}
}

// TestChanged: each change of each file is found, and nothing else is one.
func TestChanged(t *testing.T) {
	t.Parallel()
	const before, after = `{"env": {"A": "1"}}`, `{"env": {"A": "2"}}` // of the same length
	changes := map[string]func(t *testing.T, path string){
		"written": func(t *testing.T, path string) { t.Helper(); write(t, path, after) },
		"longer":  func(t *testing.T, path string) { t.Helper(); write(t, path, after+"\n") },
		"removed": func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Remove(path)) },
		"made a link": func(t *testing.T, path string) {
			t.Helper()
			other := write(t, path+".other", before)
			require.NoError(t, os.Remove(path))
			link(t, other, path)
		},
		"replaced": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Rename(write(t, path+".new", after), path))
		},
		"made a pipe": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o755))
		},
		"a dangling one": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Remove(path))
			link(t, path+".nowhere", path)
		},
	}
	for name, change := range changes {
		for _, old := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " old ", old), func(t *testing.T) {
				t.Parallel()
				f := managedFiles(t)
				f.Trusted = true
				f.Flags.Settings = filepath.Join(f.Dir, "flags.json")
				drop := filepath.Join(f.Managed[1], "a.json")
				sources := map[string]policy.Source{
					f.Managed[0]: policy.SourceManaged, drop: policy.SourceManaged, f.Flags.Settings: settings.SourceFlags, f.Local: local,
					f.Project: project, f.User: user, f.Servers: project, f.Person: user,
				}
				for path := range sources {
					write(t, path, before)
				}
				for path, source := range sources {
					write(t, path, before)
					if old {
						age(t, path)
					}
					l := load(t, f)
					require.False(t, f.Changed(l))
					require.Empty(t, f.Changes(l))
					change(t, path)
					require.True(t, f.Changed(l), path)
					found := f.Changes(l)
					require.Equal(t, []settings.Change{{Source: source, Path: path}}, found)
					require.NoError(t, os.RemoveAll(path))
					write(t, path, before)
				}
			})
		}
	}
}

// TestChangedFiles that come and go, and other ways to load them.
func TestChangedFiles(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	require.True(t, f.Changed(nil))
	l := load(t, f)
	require.False(t, f.Changed(l), "there are none")
	added := write(t, filepath.Join(f.Managed[1], "new.json"), `{}`)
	require.True(t, f.Changed(l))
	require.Equal(t, []settings.Change{{Source: policy.SourceManaged, Path: added}}, f.Changes(l))
	require.Equal(t, "policy_settings", f.Changes(l)[0].ConfigSource())
	l = load(t, f)
	write(t, filepath.Join(f.Managed[1], "other.txt"), `{}`)
	require.False(t, f.Changed(l))
	write(t, f.User, `{`)
	require.Equal(t, "user_settings", f.Changes(l)[0].ConfigSource())
	l, err := f.Load(t.Context())
	require.Error(t, err)
	require.False(t, f.Changed(l), "broken as it was")

	for name, change := range map[string]func(f *settings.Files){
		"trust":   func(f *settings.Files) { f.Trusted = true },
		"strict":  func(f *settings.Files) { f.Strict = true },
		"flags":   func(f *settings.Files) { f.Flags.AllowedTools = []string{"A"} },
		"tools":   func(f *settings.Files) { f.Flags.Tools = []string{} },
		"file":    func(f *settings.Files) { f.Local = "" },
		"managed": func(f *settings.Files) { f.Managed = nil },
	} {
		other := f
		change(&other)
		require.True(t, other.Changed(l), name)
	}
}

// TestOwnSavesAreNoChange, whatever their order, and those of others are one in between.
func TestOwnSavesAreNoChange(t *testing.T) {
	t.Parallel()
	f := files(t)
	first := load(t, f)
	save(t, f, add(policy.Allow, local, tool("A")))
	require.False(t, f.Changed(first), "it made the file")
	require.NoError(t, f.Approve(t.Context(), "s", true))
	save(t, f, add(policy.Allow, user, tool("B")), add(policy.Deny, local, tool("C")))
	require.False(t, f.Changed(first))
	second := load(t, f)
	require.False(t, f.Changed(second))
	age(t, f.Local)
	require.True(t, f.Changed(first), "somebody touched it")
	write(t, f.Local, read(t, f.Local)+" ")
	save(t, f, add(policy.Allow, local, tool("D")))
	require.True(t, f.Changed(first), "somebody wrote it in between")
	require.True(t, f.Changed(second))
	third := load(t, f)
	for i := range 30 {
		save(t, f, setMode([]policy.Mode{"plan", "dontAsk"}[i%2], local))
	}
	require.False(t, f.Changed(third))
	other := f
	other.User, other.Local = f.User, f.Local
	require.False(t, other.Changed(third), "a copy knows the saves, too")
	bare := settings.Files{Local: f.Local, Project: f.Project, User: f.User, Servers: f.Servers, Person: f.Person, Dir: f.Dir, Home: f.Home}
	l := load(t, bare)
	save(t, bare, add(policy.Allow, local, tool("E")))
	require.True(t, bare.Changed(l), "Locate has not made it")
}

// TestChangedWhileLoading: a file that is made while the files are read is either loaded, or is
// a change.
func TestChangedWhileLoading(t *testing.T) {
	t.Parallel()
	f := files(t)
	const text = `{"permissions": {"deny": ["D"]}}`
	write(t, f.User, text)
	var took time.Duration
	for i := range 1500 {
		require.NoError(t, os.Remove(f.User))
		made := make(chan error)
		wait := took * time.Duration(i%50) / 50
		go func() {
			for begin := time.Now(); time.Since(begin) < wait; { // a timer is too coarse
			}
			made <- os.WriteFile(f.User, []byte(text), 0o600)
		}()
		begin := time.Now()
		l, err := f.Load(t.Context())
		took = time.Since(begin)
		require.NoError(t, <-made)
		if err == nil && !f.Changed(l) {
			require.Len(t, l.Rules, 1, i)
		}
	}
}
