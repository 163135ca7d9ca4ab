package shellparse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// testEnv is where the lines of the tests are read.
func testEnv() shellparse.Env { return shellparse.Env{Dir: "/proj", Home: "/home/me"} }

func parse(line string) shellparse.Line { return shellparse.Parse(line, testEnv()) }

// texts are the allow texts of a line, each behind its class.
func texts(l shellparse.Line) []string {
	var list []string
	for _, c := range l.Commands {
		list = append(list, []string{"read ", "change ", "? "}[c.Class]+c.Text)
	}
	return list
}

// allTexts are all texts that rules that deny see.
func allTexts(l shellparse.Line) []string {
	var list []string
	for _, c := range l.Commands {
		list = append(append(list, c.Text), c.Nested...)
	}
	return list
}

// names are the files of the last command of a line.
func names(l shellparse.Line) []string {
	var list []string
	for _, p := range l.Commands[len(l.Commands)-1].Paths {
		list = append(list, p.Name)
	}
	return list
}

// readOnly reports whether nobody need be asked about a line, but for its paths.
func readOnly(l shellparse.Line) bool {
	changes := func(c shellparse.Command) bool { return c.Class != shellparse.ReadOnly }
	return l.Unknown == "" && !slices.ContainsFunc(l.Commands, changes)
}

func TestPlainLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"", "  ", "# nothing", "ls # a comment", "echo 'a\n; b'", "echo a \\\n  b", "ls\n\n\tpwd\n",
		"echo " + strings.Repeat("é", 9_995),
		"echo '# \\'\necho b",
	} {
		require.Empty(t, parse(line).Unknown, "%q", line)
	}
}

// An unicode blank is an ordinary character to the shell.
func TestUnicodeBlankStaysInWord(t *testing.T) {
	t.Parallel()
	l := parse("npm run test\u00a0evil")
	require.Equal(t, []string{"? npm run test\u00a0evil"}, texts(l))
}

// Lines like those above that are to stay free.
func TestReadOnlyLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"printf '%s\\n' a", "printf '%5.2f %d %x %q %b %c %%\\n' 1 2 3 a b c", "printf '%(%F)T' -1", "printf -- '%s' a", "printf '%*d' 3 1", "printf a",
		"ls > /dev/null", "ls > /dev/null 2>&1", "echo a > /dev/stderr", "echo a >&2", "ls 2> /dev/null", "cat < /dev/stdin", "cat /dev/stdin", "echo a > /dev/stdout 2> /dev/null", "diff <(ls) <(pwd)",
		"cat /proc/cpuinfo", `awk '{ print $1 }'`, `awk '$1 > 3 { print ($2 > 4) }'`, `awk '{ if ($1 > 3) print "x > y" }'`, `awk '{ for (i = 1; i > 0; i--) print i }'`,
		"node --version", "set -e", "set -euo pipefail", "ps", "ps -ef", "ps aux", "ps -eo pid,cmd", "ps -o pid=,comm=", "ps axo pid,%cpu --sort=-%cpu", "ps -o 'pid ppid'",
		"echo *.go", "for f in *.go; do echo $f; done", "x=1; echo $x", "ls | head -3", "git status && git log",
	} {
		l := parse(line)
		require.True(t, readOnly(l), "%q: %s %v", line, l.Unknown, l.Commands)
	}
}

func TestLinesThatAreNotReadOnly(t *testing.T) {
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
		"go downloads":        {"go version ./x", "go env -w GOPATH=/", "go doc -http", "go doc x@latest", "go doc ../x", "GOTOOLCHAIN=go1.99.0 go version", "export GOTOOLCHAIN=go1.99.0; go version", "go list ./..."},
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
				require.False(t, readOnly(parse(line)), "%q", line)
			}
		})
	}
}
