package settings_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/settings"
)

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestLocate makes repositories with git and looks where the files of each place
// are.
func TestLocate(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	base := realpath.Resolve(t.TempDir())
	at := func(path string) string { return filepath.Join(base, filepath.FromSlash(path)) }
	for _, dir := range []string{"main/sub", "plain/sub", "home/x", "bare", "evil"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o755))
	}
	git(t, at("main"), "init", "-q", ".")
	git(t, at("main"), "commit", "-q", "--allow-empty", "-m", "m")
	git(t, at("main"), "worktree", "add", "-q", at("tree"))
	git(t, at("main"), "clone", "-q", "--bare", ".", at("bare"))
	git(t, at("bare"), "worktree", "add", "-q", at("of-bare"), "-b", "other")
	git(t, at("main"), "submodule", "-q", "add", at("bare"), "module")
	git(t, at("home"), "init", "-q", ".")
	require.NoError(t, os.MkdirAll(at("tree/deep"), 0o755))
	// A directory that says it is a worktree of a repository that has not heard of it.
	write(t, at("evil/.git"), "gitdir: "+at("main/.git/worktrees/tree")+"\n")
	link(t, at("main/sub"), at("to-sub"))
	link(t, at("main"), at("to-main"))

	tests := []struct{ name, dir, local, project string }{
		{name: "a repository", dir: "main", local: "main", project: "main"},
		{name: "below a repository", dir: "main/sub", local: "main", project: "main"},
		{name: "a worktree", dir: "tree/deep", local: "main", project: "tree"},
		{name: "a worktree of a bare repository", dir: "of-bare", local: "of-bare", project: "of-bare"},
		{name: "a submodule", dir: "main/module", local: "main/module", project: "main/module"},
		{name: "no repository", dir: "plain/sub", local: "plain/sub", project: "plain/sub"},
		{name: "below home, which is a repository", dir: "home/x", local: "home/x", project: "home/x"},
		{name: "home", dir: "home", local: "home", project: ""},
		{name: "a false worktree", dir: "evil", local: "evil", project: "evil"},
		{name: "a link into a repository", dir: "to-sub", local: "main", project: "main"},
		{name: "below a link to a repository", dir: "to-main/sub", local: "to-main", project: "to-main"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := settings.Locate(at(tc.dir), at("home"))
			want := settings.Files{
				Local:   at(tc.local + "/.claude/settings.local.json"),
				User:    at("home/.claude/settings.json"),
				Servers: at(tc.local + "/.mcp.json"), Person: at("home/.claude.json"),
				Dir: at(tc.dir), Home: at("home"),
			}
			if tc.project != "" {
				want.Servers = at(tc.project + "/.mcp.json")
			}
			if tc.project != "" {
				want.Project = at(tc.project + "/.claude/settings.json")
			}
			require.Len(t, f.Managed, 2)
			require.Equal(t, want, settings.Files{
				Local: f.Local, Project: f.Project, User: f.User, Servers: f.Servers, Person: f.Person, Dir: f.Dir, Home: f.Home,
			})
		})
	}
}

// TestLocateDefaults are those of a session.
func TestLocateDefaults(t *testing.T) {
	t.Parallel()
	dir, err := os.Getwd()
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	require.Equal(t, settings.Locate(dir, home), settings.Locate("", ""))
}
