package shellparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where one program says what another is to do, nobody knows what runs.
func TestPlaceholdersAreNotKnown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		known      bool
	}{
		{name: "xargs env", line: "ls | xargs env"},
		{name: "xargs nice", line: "ls | xargs -n1 nice -n 5"},
		{name: "xargs timeout", line: "ls | xargs timeout 5"},
		{name: "xargs timeout, and how long", line: "ls | xargs timeout"},
		{name: "xargs sudo with an option", line: "ls | xargs sudo -u"},
		{name: "xargs command", line: "ls | xargs -0 command"},
		{name: "xargs xargs", line: "ls | xargs xargs"},
		{name: "in a place", line: "ls | xargs -I{} env {} x"},
		{name: "in a place behind an option", line: "ls | xargs -i env -i {} x"},
		{name: "in a place of another name", line: "ls | xargs -I % sudo -n % x"},
		{name: "in a place of BSD", line: "ls | xargs -J % nohup % x"},
		{name: "in a long place", line: "ls | xargs --replace=@ nohup @ x"},
		{name: "a part of a name", line: "ls | xargs -I{} nohup /bin/{} x"},
		{name: "the command itself", line: "ls | xargs -I{} {} x"},
		{name: "script", line: "ls | xargs -I{} sh -c {}"},
		{name: "part of a script", line: "ls | xargs -I{} sh -c 'wc {}'"},
		{name: "script at the end", line: "ls | xargs -0 bash -ec"},
		{name: "eval", line: "ls | xargs -I{} ssh h 'wc {}'"},
		{name: "git", line: "ls | xargs git"},
		{name: "git behind options", line: "ls | xargs git -C x --no-pager"},
		{name: "git in a place", line: "ls | xargs -I{} git {} x"},
		{name: "git, a word that is two", line: "ls | xargs git -C"},
		{name: "git, the second word", line: "ls | xargs git stash"},
		{name: "git behind sudo", line: "sudo -n -u a git $x"},
		{name: "npm", line: "ls | xargs npm"},
		{name: "docker behind options", line: "ls | xargs docker --context a"},
		{name: "sed", line: "ls | xargs sed -i"},
		{name: "awk", line: "ls | xargs -n1 awk"},
		{name: "find", line: `find /usr/bin -name rm -exec {} x \;`},
		{name: "find, each directory", line: `find . -execdir {} x \;`},
		{name: "find, asking", line: `find . -ok {} x \;`},
		{name: "find behind a wrapper", line: `find . -exec nice {} \;`},
		{name: "find, a script", line: `find . -exec sh -c {} \;`},
		{name: "find, a computed name", line: `find . -name a -exec $x b \;`},
		{name: "fd", line: "fd x -x {} y"},
		{name: "fd behind a wrapper", line: "fd x -x env"},
		{name: "parallel", line: "parallel {} ::: a"},
		{name: "parallel, what it reads", line: "ls | parallel"},
		{name: "computed behind an option", line: "env -u A -i $x b"},
		{name: "computed behind an option with its value", line: "nice -n5 --adjustment=3 $x b"},

		{name: "files", line: "ls | xargs npx prettier --check", known: true},
		{name: "files of git", line: "ls | xargs -0 git add", known: true},
		{name: "files of git in a place", line: "ls | xargs -I{} git log {}", known: true},
		{name: "no command", line: "ls | xargs -0", known: true},
		{name: "a script of its own", line: `ls | xargs -n1 sh -c 'echo "$1"' _`, known: true},
		{name: "a value in a place", line: "ls | xargs -I{} timeout {} npm t", known: true},
		{name: "containers", line: "docker ps -q | xargs docker rm -f", known: true},
		{name: "npm run", line: "ls | xargs npm run lint", known: true},
		{name: "find, a command", line: `find . -name a -exec npx eslint {} +`, known: true},
		{name: "an option", line: "sudo -n -u a git status", known: true},
		{name: "braces", line: "nice npm t {}", known: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.known, parse(tt.line).Unknown == "", "%s: %s", tt.line, parse(tt.line).Unknown)
		})
	}
}

// What cannot be known is said to be unknown.
func TestUnknownWordsMakeTheLineUnknown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"read x; git $x", "git $(echo push)", "git -p $x", "rm $x",
		"bash <<< 'touch x'", "echo touch x | bash", "sh -s", "sh -s a", "bash -x", "sudo bash", "env zsh -o pipefail", "bash /dev/stdin", "xargs bash",
		"echo .env | xargs -n1 cat", "xargs -I{} cat {} <<< .env", "find . -name main.go | xargs -n1 rm", "xargs -0 sudo rm", "find . -exec mv {} {}.bak ';'", "fd x -x rm",
		"sed 's/x/rm y/e' a", "sed e a", "sed 's/[^/]//;s/x/rm y/e' a", "find . -exec sed 's/x/y/ge' {} +",
		"env -C $d tee main.go", "sudo -D $d -u root tee main.go",
		"curl http://ev\u0456l.com", "curl 'http://{evil,good}.com'", "find .  " + strings.Repeat("-exec sudo -x find . ", 450),
	} {
		require.NotEmpty(t, parse(line).Unknown, "%q", line)
	}
	for _, line := range []string{
		`echo "$x"`, "npm run test $(pwd)", "bash a.sh", "bash -c 'pwd'", "bash --version", "xargs -n1 echo", "find . -exec rm {} ';'",
		"env -C src npm t", "curl -L evil.com", "command -v bash", "man bash", "curl -d '{\"a\":\"b@c.example\"}' a.example",
		`curl -d '{"u":"http://b.example"}' a.example`, "curl -H 'A: b@{c}' a.example", "sed -n 's/a/b/p' x", "sed '1e rm y' x", "sed 's/[^/]*$/some text/' x", "git clean -xfd", "git commit -m \"$x\"",
	} {
		require.Empty(t, parse(line).Unknown, "%q", line)
	}
}
