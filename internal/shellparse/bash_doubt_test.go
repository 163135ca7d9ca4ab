package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// free reports whether nobody need be asked about a line, but for its paths.
func free(l shellparse.Line) bool {
	changes := func(c shellparse.Command) bool { return c.Class != shellparse.ReadOnly }
	return l.Unknown == "" && !slices.ContainsFunc(l.Commands, changes)
}

func TestHostileLines(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"printf sets a variable": {
			"printf 'abc%n' PATH", "command printf 'abc%n' PATH", "builtin printf 'abc%n' PATH", `printf "%5d%n" 1 PATH`, "printf '%-5.3n' PATH",
			"printf '%*n' 1 PATH", "printf '%ln' PATH", "printf %%%n PATH", "printf '%(%s)n' PATH", "printf '%y' a", "printf 'a%' a", "printf %*.txt",
		},
		"redirections open a descriptor again": {
			"echo a > /dev/stdin", "echo a > /dev/stdin < f", "echo a > /dev/fd/63", "echo a 63< f > /dev/fd/63", "echo a >/proc/self/fd/0",
			"{ echo a > /dev/stdout; } 1< f", "echo a 2< f > /dev/stderr", "echo a 1<>f > /dev/stdout", "echo a 3< f 1>&3 > /dev/stdout", "[[ -f /dev/fd/63 ]]",
			"tee /dev/stdin < f", "cat < /dev/fd/63",
		},
		"paths of the process": {
			"cat /proc/self/environ", "cat /proc/thread-self/environ", "cat /proc/1/environ", "cat /dev/fd/3", "cat /proc/../proc/self/environ", "cat //proc//self/environ", "cat /p*/self/environ",
			"cat /proc/sel?/environ", "cat ../proc/self/environ", "[ -f /proc/self/x ]", "cd /proc/self",
		},
		"awk writes": {
			`awk '{ for (print "x" > "f"; i < 1; i++) a }'`, `awk '{ for (i = 0; i < 1; print "x" > "f") a }'`, `awk '{ for (;;printf "x" > "f") a }'`,
			`awk '{ while (print "x" > "f") a }'`, "awk '{ for \\\n(print > 1;;) a }'", `awk '{ (print "x" > "f") }'`,
		},
		"go downloads":        {"go version", "go env", "go env GOPATH"},
		"the environment":     {"set", "export -p", "declare -p", "declare -p PATH", "typeset -p", "declare", "export", "readonly", "declare -x"},
		"ps shows it":         {"ps -eo environ", "ps -o pid,environ", "ps eww", "ps axo pid,environ", "ps --format=environ", "ps -O environ", "ps -o pid,environ=X", "ps -o environ:9", "ps o environ", "ps -o $x"},
		"patterns unknown":    {"echo $x/*", `for f in "$x"/*; do echo; done`},
		"a link made before":  {"ln -s /etc d && cat d/passwd", "ln -s /etc d && cat ./d/passwd", "ln -s /etc d; cat d/../x", "ln -s /etc d; cat D/x", "ln -s /etc/passwd a.txt; cat *.txt", "ln -s /x d; echo a > d/f", "mv d e && cat e/f", "cp -a d e && cat e/f", "cp -P d e && touch e/f", "tar xf a.tar && cat f", "unzip a.zip && cat f", "ln -s /etc d && cd d && pwd"},
		"a link in a loop":    {"for i in 1 2; do cat x; ln -sf /etc/passwd x; done", "f() { cat x; }; ln -sf /etc/passwd x; f", "cat x | ln -sf /etc/passwd x", "ln -sf /etc/passwd x & cat x"},
		"git after a command": {"echo a > .gitattributes && git status", "npm t; git diff", "export GIT_DIR=/x; git diff", "touch a; git log", "tee x < y; git status", "while true; do git status; touch a; done"},
	}
	for name, lines := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range lines {
				require.False(t, free(parse(line)), "%q", line)
			}
		})
	}
}

// A variable that the line sets by itself makes what follows unknown: a rule that
// allows to set it must not let that run.
func TestEarlierVariablesDoubtLater(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"PATH=./bin; ls", "export PATH=./bin && ls", "declare -x LD_PRELOAD=./a.so; cat x", "readonly BASH_ENV=x; git status", "PATH+=:./bin; ls", "A=1 PATH=./bin\nls",
		"{ PATH=./bin; }; ls", "if true; then export PATH=.; fi; ls", "PATH=. && (ls)", "PATH=. && cat $(ls)", "f() { ls; }; PATH=.; f; git log", "PATH=.; timeout 5 ls", "CDPATH=/; cd etc", "GIT_DIR=/x; git log",
		"while true; do ls; export PATH=.; done; ls", "PATH=.; touch a",
	} {
		commands := parse(line).Commands
		last := commands[len(commands)-1]
		require.Equal(t, shellparse.Unknown, last.Class, "%q", line)
		require.Nil(t, last.Git, "%q", line)
		require.False(t, last.Edits, "%q", line)
	}
	loop := parse("while true; do ls; export PATH=.; done").Commands
	require.Equal(t, shellparse.Unknown, loop[1].Class, "in a loop, before it too")
	for _, line := range []string{"ls; PATH=.", "x=1; ls", "export NODE_ENV=test && ls", "FOO=1; echo $FOO", "FOO=1; [ -f x ]"} {
		commands := parse(line).Commands
		i := slices.IndexFunc(commands, func(c shellparse.Command) bool { return c.Class == shellparse.ReadOnly })
		require.GreaterOrEqual(t, i, 0, "%q", line)
	}
}

// What an earlier command did doubts the later ones themselves: a rule that
// allows the earlier one must not let them run.
func TestEarlierCommandsDoubtLater(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"ln -s /etc d && cat d/passwd", "mv d e && cat e/f", "cp -rs /etc d; ls d/x", "git mv a b && ln -s a c && cat c", "git checkout b && cat a", "git stash; cat *", "tar xf a && cat b", "/bin/ln -s /etc d; cat d/x", "git -C d switch e && cat a"} {
		require.NotEmpty(t, parse(line).Unknown, "%q", line)
	}
	for _, line := range []string{"npm t && git diff", "touch a && git diff", "echo a > b; git diff", "mkdir d && git diff"} {
		l := parse(line)
		last := l.Commands[len(l.Commands)-1]
		require.Equal(t, shellparse.Unknown, last.Class, "%q", line)
		require.Nil(t, last.Git, "%q", line)
	}
}

func TestHostileLinesOfZsh(t *testing.T) {
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

// Lines like those above that are to stay free.
func TestHarmlessLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"printf '%s\\n' a", "printf '%5.2f %d %x %q %b %c %%\\n' 1 2 3 a b c", "printf '%(%F)T' -1", "printf -- '%s' a", "printf '%*d' 3 1", "printf a",
		"ls > /dev/null", "ls > /dev/null 2>&1", "echo a > /dev/stderr", "echo a >&2", "ls 2> /dev/null", "cat < /dev/stdin", "cat /dev/stdin", "echo a > /dev/stdout 2> /dev/null", "diff <(ls) <(pwd)",
		"cat /proc/cpuinfo", `awk '{ print $1 }'`, `awk '$1 > 3 { print ($2 > 4) }'`, `awk '{ if ($1 > 3) print "x > y" }'`, `awk '{ for (i = 1; i > 0; i--) print i }'`,
		"node --version", "set -e", "set -euo pipefail", "ps", "ps -ef", "ps aux", "ps -eo pid,cmd", "ps -o pid=,comm=", "ps axo pid,%cpu --sort=-%cpu", "ps -o 'pid ppid'",
		"echo *.go", "for f in *.go; do echo $f; done", "x=1; echo $x", "ls | head -3", "git status && git log",
	} {
		l := parse(line)
		require.True(t, free(l), "%q: %s %v", line, l.Unknown, l.Commands)
	}
}

func TestLaterCommandsStay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line string
		want []string
	}{
		"git and git":      {"git status && git add . && git commit -m wip", []string{"read git status", "change git add .", "change git commit -m wip"}},
		"git after git":    {"git add . && git status", []string{"change git add .", "read git status"}},
		"git before":       {"git status; touch a", []string{"read git status", "change touch a"}},
		"made and entered": {"mkdir x && cd x && touch a", []string{"change mkdir x", "read cd x", "change touch a"}},
		"after any":        {"npm test; echo done && ls | tail -20", []string{"? npm test", "read echo done", "read ls", "read tail -20"}},
		"git and here":     {"git checkout b && ls", []string{"change git checkout b", "read ls"}},
		"git and a file":   {"git add --all && cat a", []string{"change git add --all", "read cat a"}},
		"other file":       {"ln -s a b && cat c", []string{"change ln -s a b", "read cat c"}},
		"read before":      {"cat a && mv a b", []string{"read cat a", "change mv a b"}},
		"plain copy":       {"cp a b && cat b", []string{"change cp a b", "read cat b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Empty(t, l.Unknown)
			require.Equal(t, tt.want, texts(l))
		})
	}
}

// To replace a pattern, the shell reads a directory.
func TestPatternsAreReads(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"echo /etc/*":                         "/etc/*",
		"echo ~/.ssh/*":                       "/home/me/.ssh/*",
		`printf '%s\n' secrets/*`:             "/proj/secrets/*",
		"for f in ../*; do echo $f; done":     "/proj/../*",
		"select f in ../*; do echo; done":     "/proj/../*",
		"basename -a ../*":                    "/proj/../*",
		"npm run x /etc/*":                    "/etc/*",
		"x=(/etc/*)":                          "/etc/*",
		"declare x=(/etc/*)":                  "/etc/*",
		"x='/etc/*'; echo $x":                 "/etc/*",
		"for f in 'a /etc/*'; do ls $f; done": "/etc/*",
		"cd /etc && echo *":                   "/etc/*",
		"true /etc/s[h]*":                     "/etc/s[h]*",
	}
	for line, want := range tests {
		l := parse(line)
		found := slices.Clone(l.Paths)
		for _, c := range l.Commands {
			found = append(found, c.Paths...)
		}
		require.Contains(t, found, shellparse.Path{Name: want, Glob: true}, "%q", line)
	}
}

func TestLinksAreNoEdits(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"cp -s a b", "cp -P a b", "cp -d a b", "cp -a a b", "cp -ra a b", "cp --symbolic-link a b", "cp -l a b", "cp --preserve=links a b", "ln -s a b", "ln a b"} {
		require.False(t, parse(line).Commands[0].Edits, "%q", line)
	}
	require.True(t, parse("cp a b").Commands[0].Edits)
}

func TestXargsIsNotExact(t *testing.T) {
	t.Parallel()
	l := parse("echo -f evil.mk | xargs make build")
	require.Equal(t, "make build …", l.Commands[1].Text)
	require.Contains(t, l.Commands[1].Inner, "make build")
}
