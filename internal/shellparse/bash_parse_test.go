package shellparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func TestNestedTextsOfUnparsedLines(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"open quote":      "echo 'a; touch marker",
		"open list":       "touch marker &&",
		"if":              "if touch marker",
		"carriage return": "ls\rtouch marker",
		"zero byte":       "ls\x00; touch marker",
		"quoted name":     `"to"uch marker &&`,
		"path":            "/usr/bin/touch marker &&",
		"under sudo":      "sudo -u me touch marker &&",
		"assigned":        "A=1 touch marker &&",
		"too long":        "touch marker; echo " + strings.Repeat("a", 10_000),
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(line)
			require.NotEmpty(t, l.Unknown)
			require.Contains(t, allTexts(l), "touch marker")
		})
	}
}

func TestZsh(t *testing.T) {
	t.Parallel()
	zsh := func(line string) shellparse.Line {
		return shellparse.Parse(line, shellparse.Env{Shell: shellparse.Zsh, Dir: "/proj", Home: "/home/me"})
	}
	for _, line := range []string{
		"cat =(ls)", "echo =ls", "ls *(e:'touch m':)", "noglob ls", "nocorrect touch m", "() { touch m }", "for i (1) touch m", "echo x >! m", "ls &| touch m", "ls &! touch m",
		"echo ${x::=y}", "echo ${(e)x}", "setopt extendedglob", "zmodload zsh/files", "repeat 1 touch m", "< a > b", "> m", "echo $x[1]", "echo $HOME:h", "echo \"$HOME:h\"",
		"path=(a b)", "path=a", "if (true) touch m", "{ ls } always { touch m }", "foreach i (1); ls; end", "emulate sh -c ls", "- touch m", "ls **/x", "alias -g G=x", "echo x >>| m", "export path=a", "functions[ls]='touch m'", "echo $#x",
	} {
		l := zsh(line)
		unsure := l.Unknown != ""
		for _, c := range l.Commands {
			unsure = unsure || c.Class == shellparse.Unknown
		}
		require.True(t, unsure, "%q", line)
	}
	for _, line := range []string{"echo a | echo b", "echo 'a b' \"$TERM\"", "cd src && pwd", "echo *.go", "if true; then echo a; fi", "echo $(pwd)", "CI=1 pwd"} {
		l := zsh(line)
		require.Empty(t, l.Unknown, "%q", line)
		for _, c := range l.Commands {
			require.Equal(t, shellparse.ReadOnly, c.Class, "%q: %s", line, c.Reason)
		}
	}
}

func TestZshEvaluatesArguments(t *testing.T) {
	t.Parallel()
	zsh := shellparse.Env{Shell: shellparse.Zsh, Dir: "/proj", Home: "/home/me"}
	for _, line := range []string{
		"exit 'a[$(touch m)]'", "return $x", "break x", "continue 'a[1]'", "shift 'a[$(touch m)]'", "printf %d 'a[$(touch m)]'", "printf '%*s' 'a[1]' b",
		"printf '%.*s' 'a[1]' b", `printf '\x25d' 'a[1]'`, `printf '\45d' a`, `printf '%s\u0025d' a b`, "printf %x a", "[ -t 'a[$(touch m)]' ]", "test -t 'a[1]'", "[[ -t 'a[1]' ]]",
		"[ 'a[$(touch m)]' -eq 0 ]", "test 0 -lt $x", "read x", "read -r path", "read x <<< 'a[$(touch m)]'", "unset path",
	} {
		require.NotEmpty(t, shellparse.Parse(line, zsh).Unknown, "%q", line)
	}
	for _, line := range []string{"exit 1", "exit", `printf '%s\n' a`, `printf '%-5s %b\t%%\n' a b`, "[ -f a ]", "[ -n a ]", "[ 1 -eq 2 ]", "[ -t 1 ]", "[[ -t 1 ]]"} {
		require.Empty(t, shellparse.Parse(line, zsh).Unknown, "%q", line)
	}
}
