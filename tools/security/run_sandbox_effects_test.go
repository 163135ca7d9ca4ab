package security_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
)

// TestSandboxDetectsEffects: the tests above mean something only as far as each thing that
// a line may do is seen.
func TestSandboxDetectsEffects(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	base := newBase(t, source{folder: "testdata"})
	tests := []struct{ name, line, says string }{
		{name: "a file", line: "touch pwned", says: "there is a new file: proj/pwned"},
		{name: "content", line: "echo x >> data.txt", says: "a file was changed: proj/data.txt"},
		{name: "time", line: "touch data.txt", says: "a file was changed: proj/data.txt"},
		{name: "mode", line: "chmod 600 data.txt", says: "a file was changed: proj/data.txt"},
		{name: "removal", line: "rm ../out/secret.txt", says: "a file is gone: out/secret.txt"},
		{name: "link", line: "ln -sfn src linked", says: "a file was changed: proj/linked"},
		{name: "home", line: "echo x > ~/pwned", says: "there is a new file: home/pwned"},
		{name: "ref", line: "git branch new", says: "there is a new file: proj/.git/refs/heads/new"},
		{name: "index", line: "git rm -q --cached data.txt", says: "a file was changed: proj/.git/index"},
		{name: "an attempt", line: "rm -f nosuch/x; : > nosuch/x", says: "bash opens to write: nosuch/x"},
		{name: "elsewhere", line: "touch /dev/shm/pwned", says: "touch opens to write: /dev/shm/pwned"},
		{name: "and back", line: "touch pwned; rm pwned", says: "rm calls unlinkat"},
		{name: "a secret", line: "cat ../out/secret.txt", says: "cat reads outside the working directory"},
		{name: "a secret through a link", line: "cat outlink", says: "cat reads outside the working directory"},
		{name: "a planted program", line: "PATH=.:$PATH; cat x", says: "a program of the tree ran: ./cat"},
		{name: "a hidden program", line: `x=$(echo l); "${x}s"`, says: "ls ran, of which the parser says nothing"},
		{name: "the network", line: "true </dev/tcp/127.0.0.1/1", says: "bash connects"},
		{name: "a signal", line: "sleep 1 & kill -9 $!", says: "bash sends a signal"},
		{name: "in a child of a child", line: "(bash -c '(bash -c \"touch pwned\")')", says: "touch opens to write: pwned"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			box := enclosure(t, base.grow(t, planted(), "proj"), policy.ModeBypass, patience)
			require.True(t, box.allows(t, tc.line))
			wrong, printed := box.run(t, tc.line)
			require.Contains(t, strings.Join(wrong, "\n"), tc.says, printed)
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		box := enclosure(t, base.grow(t, planted(), "proj"), policy.ModeDefault, patience)
		for _, line := range []string{"cat data.txt | sort", "git status && git diff", "egrep x *.txt; timeout 1 ls", "cat <<E\nx\nE", "time sleep 0; (cd src && ls)"} {
			require.True(t, box.allows(t, line), line)
			wrong, printed := box.run(t, line)
			require.Empty(t, wrong, "%q: %s", line, printed)
		}
	})
	t.Run("another line than the parser read", func(t *testing.T) {
		t.Parallel()
		j := judge{root: "/tree", line: "cat x"}
		require.Equal(t, "cat", j.start("bash", `"\x2f\x62\x69\x6e\x2f\x63\x61\x74", ["\x63\x61\x74", "\x78"]`))
		require.Equal(t, []string{"cat ran, of which the parser says nothing"}, j.wrong)
	})
}
