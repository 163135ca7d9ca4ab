package settings_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/settings"
)

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
			save(t, f, add(pegboard.Allow, local, tool("N")), add(pegboard.Allow, user, tool("U")))
			require.Len(t, told, 1)
			require.Equal(t, f.Local, told[0].Path)
			require.Regexp(t, `/settings\.local\.json\.corrupt-\d{8}T\d{6}Z-[A-Z2-7]{8}$`, filepath.ToSlash(told[0].Copy))
			require.Equal(t, data, read(t, told[0].Copy))
			require.ErrorContains(t, told[0], told[0].Copy)
			require.Len(t, names(t, filepath.Dir(f.Local)), 2)
			require.Equal(t, []string{"N"}, load(t, f).Rules[0].Allow)

			save(t, f, add(pegboard.Allow, local, tool("O")))
			require.Len(t, told, 1, "only once")
		})
	}
}

// TestSetAsideWithoutListener: it is an error that says so, and all is saved.
func TestSetAsideWithoutListener(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Local, "{")
	err := f.Save(t.Context(), []pegboard.PermissionUpdate{add(pegboard.Allow, local, tool("N")), add(pegboard.Allow, user, tool("U"))})
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
	allow := []pegboard.PermissionUpdate{add(pegboard.Allow, local, tool("N"))}
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
	require.ErrorIs(t, f.Save(t.Context(), []pegboard.PermissionUpdate{add(pegboard.Allow, local, tool("N"))}), realpath.ErrNotRegular)
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
		err := f.Save(t.Context(), []pegboard.PermissionUpdate{add(pegboard.Allow, user, tool("N"))})
		require.ErrorIs(t, err, fs.ErrPermission, mode)
		require.NoError(t, os.Chmod(f.User, 0o600))
		require.Equal(t, data, read(t, f.User))
		require.Len(t, names(t, filepath.Dir(f.User)), 1)
	}
}
