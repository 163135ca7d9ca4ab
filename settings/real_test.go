package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestRealFiles loads files of the kinds that users have, unchanged, as each source that may
// have them, and holds the explanation against testdata/real/*.golden: the file as that of a
// trusted project.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/real/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data := read(t, path)
			for _, source := range []policy.Source{policy.SourceManaged, settings.SourceFlags, local, project, user} {
				f := files(t)
				f.Trusted = true
				f.Managed = []string{filepath.Join(f.Home, "managed.json")}
				switch source {
				case policy.SourceManaged:
					write(t, f.Managed[0], data)
				case settings.SourceFlags:
					f.Flags.Settings = write(t, filepath.Join(f.Home, "flags.json"), data)
				default:
					write(t, map[policy.Source]string{local: f.Local, project: f.Project, user: f.User}[source], data)
				}
				l := load(t, f)
				_, err := l.Permissions()
				require.NoError(t, err)
				if source == project {
					golden(t, strings.TrimSuffix(path, ".json")+".golden", plain(f, settings.Explain(l)))
				}
			}
		})
	}
}

// TestRealServers loads files with MCP servers, unchanged.
func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"all-kinds", "without-outer-key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files(t)
			write(t, f.Servers, read(t, "testdata/servers/"+name+".json"))
			write(t, f.Person, strings.ReplaceAll(read(t, "testdata/servers/person.json"), "PROJECT", filepath.ToSlash(f.Dir)))
			write(t, f.Local, `{"enabledMcpjsonServers": ["stream", "evil"], "disabledMcpjsonServers": ["old"]}`)
			write(t, f.User, `{"deniedMcpServers": [{"serverCommand": ["evil"]}], "env": {"OTHER": "x"}}`)
			golden(t, "testdata/servers/"+name+".golden", plain(f, settings.Explain(load(t, f))))
		})
	}
}

// plain replaces the directories of a test in a text.
func plain(f settings.Files, text string) string {
	return filepath.ToSlash(strings.NewReplacer(f.Dir, "PROJECT", f.Home, "HOME").Replace(text))
}

// golden compares a text with a file.
func golden(t testing.TB, path, text string) {
	t.Helper()
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // test data
	}
	require.Equal(t, read(t, path), text)
}
