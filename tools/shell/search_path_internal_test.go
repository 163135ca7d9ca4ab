package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/script"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// TestOpenDirectories: where a program may come from that nobody was asked about.
func TestOpenDirectories(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the links and bits are those of Unix")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"proj/.venv/bin", "home/bin", "shared", "shared/sub", "sticky/sub", "proj/out"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o755))
	}
	require.NoError(t, os.Chmod(at("shared"), 0o777))
	require.NoError(t, os.Chmod(at("sticky"), 0o777|os.ModeSticky))
	for link, to := range map[string]string{"linked": "proj", "into": "proj/.venv/bin", "proj/away": "../home/bin", "through": "proj/away", "harmless": "home", "circle": "circle"} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	for name, want := range map[string]bool{
		"home/bin": false, "harmless/bin": false, "sticky/sub": false, "home/bin/missing": false,
		"proj/.venv/bin": true, "proj": true, "proj/missing/bin": true, "linked/.venv/bin": true, "into": true, "proj/away": true, "through": true,
		"home/../proj/x": true, "shared": true, "shared/sub": true, "sticky": true, "sticky/missing/bin": true, "circle/x": true,
	} {
		p := newSearchPath(root+"/"+name, []string{at("proj")})
		require.Equal(t, want, p.open[0], name)
	}
	for _, entry := range []string{"", ".", "bin", "../x"} {
		require.True(t, newSearchPath("/bin:"+entry, []string{at("proj")}).open[1], "%q", entry)
	}
	p := newSearchPath("/usr/bin", []string{at("proj")})
	require.True(t, p.trusted)
	require.True(t, p.is("/usr/bin", []string{at("proj")}))
	require.False(t, p.is("/usr/bin", []string{at("proj"), at("home")}), "a directory was added")
	require.False(t, p.is("/bin", []string{at("proj")}))
	require.False(t, newSearchPath("/usr/bin", []string{"/"}).open[0], "in a session that works in the root directory")
	require.True(t, newSearchPath("/opt/bin", []string{"/"}).open[0])
	require.Equal(t, at("home/bin")+":/usr/bin", newSearchPath(strings.Join([]string{"", at("proj/.venv/bin"), at("home/bin"), at("shared"), "/usr/bin"}, ":"), []string{at("linked")}).restricted(), "the session has the other name")
}

// TestFindProgram: the first file that can be started counts, as for a shell.
func TestFindProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the bits are those of Unix")
	}
	root := t.TempDir()
	for name, mode := range map[string]os.FileMode{"proj/bin/ls": 0o755, "proj/bin/cat": 0o644, "proj/bin/sub/x": 0o755, "own/ls": 0o755, "own/cat": 0o755, "own/only": 0o755, "proj/here": 0o755} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, mode))
	}
	proj, own := filepath.Join(root, "proj"), filepath.Join(root, "own")
	for _, tc := range []struct {
		name, path, program string
		want                string
		open                bool
	}{
		{name: "in the project", path: proj + "/bin:" + own, program: "ls", want: proj + "/bin/ls", open: true},
		{name: "behind it", path: own + ":" + proj + "/bin", program: "ls", want: own + "/ls"},
		{name: "not executable", path: proj + "/bin:" + own, program: "cat", want: own + "/cat"},
		{name: "a directory", path: proj + "/bin:" + own, program: "sub"},
		{name: "not there", path: proj + "/bin:" + own, program: "only", want: own + "/only"},
		{name: "where the line starts", path: ":" + own, program: "here", want: proj + "/here", open: true},
		{name: "below it", path: "bin:" + own, program: "ls", want: proj + "/bin/ls", open: true},
	} {
		file, open := newSearchPath(tc.path, []string{proj}).find(tc.program, proj)
		require.Equal(t, tc.want, file, tc.name)
		require.Equal(t, tc.open, open, tc.name)
	}
}

func TestProgramsOfCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"ls -l": {"ls"}, "echo a": nil, "echo 'a b'": nil, "[ -f x ]": nil, "timeout 5 ls": {"ls", "timeout"}, "timeout 5 echo a": {"echo", "timeout"},
		"command ls": {"ls", "command"}, `"ls" x`: {"ls"}, `\ls x`: {"ls"}, "xargs cat": {"cat", "xargs"},
	} {
		c := lines.Read(line, lines.Env{Dir: "/proj", Home: "/home"}).Commands[0]
		require.Subset(t, programsOf(&c), want, line)
		if want == nil {
			require.Empty(t, programsOf(&c), line)
		}
	}
	c := lines.Read("find . -name x -exec grep -l y {} +", lines.Env{Dir: "/proj", Home: "/home"}).Commands[0]
	require.Subset(t, programsOf(&c), []string{"find", "grep"})
}

// TestTrustedShell: the shell is no program of the project either. The variable is that of
// the process.
func TestTrustedShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there the finder chooses the shell")
	}
	dir := t.TempDir()
	script.Write(t, filepath.Join(dir, "bash"), "#!/bin/sh\n")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	name, err := trustedShell("bash", []string{dir})
	require.NoError(t, err)
	require.Contains(t, []string{"/usr/bin/bash", "/bin/bash"}, name)
	name, err = trustedShell("bash", []string{"/elsewhere"})
	require.NoError(t, err)
	require.Equal(t, "bash", name, "nothing is open")
	name, err = trustedShell(filepath.Join(dir, "bash"), []string{dir})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "bash"), name, "the host has chosen it")
	t.Setenv("PATH", dir)
	_, err = trustedShell("bash", []string{dir})
	require.ErrorIs(t, err, errOpenShell)
	_, err = trustedShell("nosuch", []string{dir})
	require.NoError(t, err, "that it is missing is said when it is started")
}
