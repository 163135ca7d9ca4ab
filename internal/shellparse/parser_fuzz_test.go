package shellparse_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		fiveCommands, "if a; then b; elif c; then d; else e; fi", "cat <<E | x\n$(a)\nE", "echo {a,b{1..3}} ~/x $'\\x41' \"$HOME\"", "for i in *; do (cd $i && ls); done > x 2>&1",
		"f() { case $1 in a|b) c;; esac; }; f", "A=1 B=(x y) timeout 5 sh -c 'a; b' &", "echo `a` <(b) >(c) $((1+2)) [[ -f x ]]", "[[ a -nt b && ! -f c ]] || test -f d", "sudo env -S 'a b' find . -exec c ';'", "!(a) # \\\nb", ">0>0", "A=()#\"", "time&a", "0()0", "\\;=:[", "else", "echo {a..", "declare -x A=b",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	bash, _ := exec.LookPath("bash")
	var used shellparse.Parser
	f.Fuzz(func(t *testing.T, line string, zsh bool) {
		env := shellparse.Env{Dir: "/proj", Home: "/home/me"}
		if zsh {
			env.Shell = shellparse.Zsh
		}
		l := shellparse.Parse(line, env)
		require.Equal(t, l, used.Parse(line, env))
		require.LessOrEqual(t, len(l.Commands), 500)
		for _, c := range l.Commands {
			require.Equal(t, c.Class == shellparse.ReadOnly, c.Reason == "", "%+v", c)
		}
		if l.Unknown != "" {
			return
		}
		require.True(t, utf8.ValidString(line))
		for _, c := range l.Commands {
			for _, p := range c.Paths {
				require.True(t, p.Guess || strings.HasPrefix(p.Name, "/"), "%+v", p)
			}
		}
		if bash != "" {
			out, err := exec.Command(bash, "-n", "-c", "--", line).CombinedOutput()
			require.NoError(t, err, "%q: %s", line, out)
		}
	})
}
