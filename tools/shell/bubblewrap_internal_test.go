package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBubblewrapArguments: what the program is told, in the order in which it acts.
func TestBubblewrapArguments(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		_, err := Bubblewrap{}.Wrap(SandboxCommand{})
		require.ErrorContains(t, err, "Linux only")
		return
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"cache", "vault", "work/.git/hooks", "work/secret", "out", "temp"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for _, file := range []string{"token", "vault/key", "work/.git/config", "work/.envrc", "work/main.go", "out/log", "note"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, file), nil, 0o600))
	}
	in := func(name string) string { return filepath.Join(home, name) }
	b := Bubblewrap{Program: "/bin/bwrap", Write: []string{"~/cache", "~/none"}, Hide: []string{"~/vault", "~/token", "/none"}}
	base := SandboxCommand{Args: []string{"sh", "-c", "true"}, Dir: in("work"), Home: home, Temp: in("temp"), WorkDirs: []string{in("work")}}
	for _, tc := range []struct {
		name   string
		change func(*SandboxCommand, *Bubblewrap)
		want   string // the mounts, without those that every command has
		net    bool
	}{
		{name: "a command that only reads", want: `
			--ro-bind H/work H/work
			--tmpfs H/vault
			--ro-bind /dev/null H/token
			--remount-ro H/vault`},
		{name: "one that writes", change: func(c *SandboxCommand, _ *Bubblewrap) {
			c.Writable = []string{in("work"), in("work/.git"), in("out/log")}
			c.Kept = []string{in("work/.envrc"), in("work/.git/hooks")}
		}, want: `
			--bind H/cache H/cache
			--bind H/work H/work
			--tmpfs H/vault
			--ro-bind /dev/null H/token
			--ro-bind H/work/.envrc H/work/.envrc
			--bind H/work/.git H/work/.git
			--bind H/out/log H/out/log
			--ro-bind H/work/.git/hooks H/work/.git/hooks
			--remount-ro H/vault`},
		{name: "what is kept was decided to be written", change: func(c *SandboxCommand, _ *Bubblewrap) {
			c.Kept, c.Writable = []string{in("work/.envrc")}, []string{in("work"), in("work/.envrc")}
		}, want: `
			--bind H/cache H/cache
			--bind H/work H/work
			--tmpfs H/vault
			--ro-bind /dev/null H/token
			--remount-ro H/vault`},
		{name: "what is hidden was decided to be read", change: func(c *SandboxCommand, _ *Bubblewrap) {
			c.Readable = []string{in("vault/key"), in("token"), in("work/main.go"), in("note"), in("vault")}
		}, want: `
			--ro-bind H/work H/work
			--tmpfs H/vault
			--ro-bind /dev/null H/token
			--ro-bind H/token H/token
			--ro-bind H/note H/note
			--ro-bind H/vault H/vault
			--remount-ro H/vault`},
		{name: "a rule hides what may be read otherwise", change: func(c *SandboxCommand, _ *Bubblewrap) {
			c.Readable, c.Hidden = []string{in("work/secret"), in("vault/key")}, []string{in("work/secret"), in("vault/key")}
		}, want: `
			--ro-bind H/work H/work
			--tmpfs H/vault
			--ro-bind /dev/null H/token
			--tmpfs H/work/secret
			--ro-bind /dev/null H/vault/key
			--remount-ro H/vault
			--remount-ro H/work/secret`},
		{name: "nothing is hidden", change: func(_ *SandboxCommand, b *Bubblewrap) { b.Hide = []string{} }, want: `
			--ro-bind H/work H/work`},
		{name: "a host was allowed", net: true, change: func(c *SandboxCommand, b *Bubblewrap) { c.Network, b.Hide = true, []string{} }, want: `
			--ro-bind H/work H/work`},
		{name: "all have a network", net: true, change: func(_ *SandboxCommand, b *Bubblewrap) { b.Network, b.Hide = true, []string{} }, want: `
			--ro-bind H/work H/work`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, b := base, b
			if tc.change != nil {
				tc.change(&c, &b)
			}
			args, err := b.Wrap(c)
			require.NoError(t, err)
			all := strings.ReplaceAll(strings.Join(args, " "), home, "H")
			before, after, ok := strings.Cut(all, " --ro-bind / / --dev /dev --proc /proc ")
			require.True(t, ok, all)
			net := " --unshare-net"
			if tc.net {
				net = ""
			}
			require.Equal(t, "/bin/bwrap --die-with-parent --unshare-user-try --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try --cap-drop ALL"+net, before)
			own, run, ok := strings.Cut(after, " --setenv ")
			require.True(t, ok, all)
			require.Equal(t, "TMPDIR /tmp --chdir H/work -- sh -c true", run)
			var got []string
			for line := range strings.SplitSeq(strings.ReplaceAll(own, " --", "\n--"), "\n") {
				if !strings.HasSuffix(line, " /tmp") && !strings.HasSuffix(line, "/run") && !strings.HasSuffix(line, "/var/tmp") && line != "--tmpfs "+strings.TrimSuffix(os.TempDir(), "/") && !strings.Contains(line, "resolv") {
					got = append(got, line)
				}
			}
			require.Equal(t, linesOf(tc.want), got)
		})
	}
}

func linesOf(text string) (all []string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// TestBubblewrapRefusals are told from failures.
func TestBubblewrapRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		exit    SandboxExit
		network bool
		want    string
	}{
		{name: "a failure", exit: SandboxExit{Code: 1, Output: "2 tests failed\nexit status 1"}},
		{name: "not found", exit: SandboxExit{Code: 127, Output: "bash: line 1: nosuch: command not found"}},
		{name: "a wrong option", exit: SandboxExit{Code: 2, Output: "ls: unrecognized option '--x'"}},
		{name: "a file that stays as it is", exit: SandboxExit{Code: 1, Output: "begin\ntouch: cannot touch '/etc/x': Read-only file system\nend"}, want: "touch: cannot touch '/etc/x': Read-only file system"},
		{name: "the same of a program with a code of its own", exit: SandboxExit{Code: 2, Output: "  EROFS: read-only, open '/x'  "}, want: "EROFS: read-only, open '/x'"},
		{name: "a file that cannot be replaced", exit: SandboxExit{Code: 255, Output: "error: could not write config file .git/config: Device or resource busy"}, want: "error: could not write config file .git/config: Device or resource busy"},
		{name: "no network", exit: SandboxExit{Code: 6, Output: "curl: (6) Could not resolve host: example.com"}, want: "curl: (6) Could not resolve host: example.com"},
		{name: "a host that does not exist", exit: SandboxExit{Code: 6, Output: "curl: (6) Could not resolve host: example.com"}, network: true},
		{name: "it was not set up", exit: SandboxExit{Code: 1, Output: "bwrap: No permissions to create new namespace\n"}, want: "it could not be set up: No permissions to create new namespace"},
		{name: "a system call", exit: SandboxExit{Code: 159, Output: "Bad system call"}, want: "a system call that it does not permit"},
		{name: "a long line", exit: SandboxExit{Code: 1, Output: strings.Repeat("x", 300) + " EROFS"}, want: strings.Repeat("x", 200) + "…"},
		{name: "a line that would write on the screen", exit: SandboxExit{Code: 1, Output: "\x1b[2J EROFS"}, want: "[2J EROFS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, Bubblewrap{}.Refusal(SandboxCommand{Network: tc.network}, tc.exit))
		})
	}
}
