package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestReadOnlyCommandsAreTheSystems: no program of a working directory takes the
// place of one that runs unasked.
func TestReadOnlyCommandsAreTheSystems(t *testing.T) {
	t.Parallel()
	needBash(t)
	base := tempDir(t)
	project, more := filepath.Join(base, "project"), filepath.Join(base, "more")
	for _, dir := range []string{project, more} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		script.Write(t, filepath.Join(dir, "ls"), "#!/bin/sh\necho replaced\n")
	}
	link := filepath.Join(base, "link")
	require.NoError(t, os.Symlink(project, link))
	inProject := pegboard.SessionConfig{Dir: project, MoreDirs: []string{more}}
	const system = ":/usr/bin:/bin"
	for _, tc := range []struct {
		name    string
		session pegboard.SessionConfig
		path    string
		want    string
	}{
		{name: "the session's directory", session: inProject, path: project + system, want: "ls"},
		{name: "by another name", session: inProject, path: link + system, want: "ls"},
		{name: "the session has the other name", session: pegboard.SessionConfig{Dir: link}, path: project + system, want: "ls"},
		{name: "a further directory", session: inProject, path: more + system, want: "ls"},
		{name: "nothing else", session: inProject, path: project, want: "command not found"},
		{name: "not absolute", session: inProject, path: "." + system, want: "ls"},
		{name: "everything", session: pegboard.SessionConfig{Dir: "/"}, path: project + system, want: "usr"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Bash"}})
			require.NoError(t, err)
			tc.session.Permissions = perms
			s, err := pegboard.NewSession(tc.session)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			bashPath := []string{"/bin/bash", "-c"}
			out := bash(t, s, shell.Options{Shell: bashPath, Env: []string{"PATH=" + tc.path}}, `{"command":"ls"}`)
			require.Contains(t, out.Result.Text(), tc.want)
			require.NotContains(t, out.Result.Text(), "replaced")
		})
	}
}

// TestHomeIsTheSessions: a line is decided for the home directory of its session, so
// that it has to run with that.
func TestHomeIsTheSessions(t *testing.T) {
	t.Parallel()
	needBash(t)
	home, other := tempDir(t), tempDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "note"), []byte("of the session\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(other, "note"), []byte("of somebody else\n"), 0o600))
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Read(~/note)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(t), Home: home, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	out := bash(t, s, shell.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + other}}, `{"command":"cat ~/note \"$HOME\"/note"}`)
	require.Equal(t, "of the session\nof the session", out.Result.Text())
}

// TestEnvironmentIsNotWhatWasExported: what would give words another meaning is not
// inherited, and nothing that a command exports reaches the next.
func TestEnvironmentIsNotWhatWasExported(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := tempDir(t)
	file := filepath.Join(dir, "rc")
	require.NoError(t, os.WriteFile(file, []byte("echo planted\n"), 0o600))
	o := shell.Options{Env: []string{
		"PATH=" + os.Getenv("PATH"), "KEPT=1", "BASH_ENV=" + file, "SHELLOPTS=xtrace", "BASH_FUNC_ls%%=() { echo planted; }", mark + "=" + os.Getenv(mark),
	}}
	s := session(t, dir, "Bash")
	require.Equal(t, "rc", bash(t, s, o, `{"command":"ls"}`).Result.Text())
	require.Equal(t, "1", bash(t, s, o, `{"command":"export A=2; echo $KEPT"}`).Result.Text())
	require.Equal(t, "[]", bash(t, s, o, `{"command":"echo [$A]"}`).Result.Text())
}

// TestReadOnlyLinesKeepGoFromDownloading: the tables take go version for harmless because of it.
func TestReadOnlyLinesKeepGoFromDownloading(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := tempDir(t)
	for _, name := range []string{"bin", "empty"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	script.Write(t, filepath.Join(dir, "bin", "go"), "#!/bin/sh\necho $GOTOOLCHAIN $GOPROXY $GOVCS\n")
	s := session(t, filepath.Join(dir, "empty"))
	for line, want := range map[string]string{"go version": "local", "go doc fmt.Println": "local off *:off"} {
		out := bash(t, s, shell.Options{Env: []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}}, `{"command":`+jsonOf(t, line)+`}`)
		require.NoError(t, out.Err)
		require.Equal(t, want, outputOf(t, out).Stdout, line)
	}
}
