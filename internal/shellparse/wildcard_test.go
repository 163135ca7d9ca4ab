package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func TestNoWildcards(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"npm t": false, "CI=1 npm t": false, "PATH=. npm t": true, "watch ls": true, "setsid ls": true, "timeout 5 ionice ls": true, "flock f ls": true,
		"go test ./...": false, "go test -exec ./x": true, "timeout 5 go test -exec=./x": true, "/usr/bin/go test -exec=./x": true, "go run -exec=./x .": true, "go $x": true, "go test $x": true,
		"make": false, "make -j8 -k all check": false, "make -j 4 test": false, "make SHELL=./x": true, "make test SHELL=./x": true, "make -- SHELL=./x": true, "make 'X!=./x'": true, "make X:=1": true, "gmake a=b": true,
		"make -f x": true, "make test -fx": true, "make test -kf x": true, "make test -jf x": true, "make --makefile=x": true, "make --fil=x": true, "make -C /opt": true, "make --eval=x": true, "make --ev=x": true, "make -E x": true,
		"make -e": true, "make -I /opt": true, "make -W x": true, "make ../x": true, "make /opt/x": true, "make $x": true, "make *": true, "make S*": true, "go test a?c": true, "make {a,b}": false, "make {a,SHELL=./x}": true, "make -n -s -B --no-print-directory": false,
		"xargs make": true, "xargs git add": false, "npm run": false, "npm install x": false, "npm --prefix x run y": false, "cargo run --config x": true,
	} {
		require.Equal(t, want, parse(line).Commands[0].NoWildcards, line)
	}
	for line, want := range map[string]bool{
		"go test ./...": false, "Go Test -exec ./x": true, "go.exe test -exec=x": true, "go test -coverprofile=a.out": true, `make a\b`: true, "git add ~/a": false,
	} {
		ps := shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/d"}).Commands
		require.Equal(t, want, ps[0].NoWildcards, line)
	}
}

func TestNoWildcardCoversWhatRunsAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		exact      bool
		inner      string
	}{
		{name: "ssh", line: "ssh -p 22 h.example ls"},
		{name: "a proxy", line: "ssh -vo 'ProxyCommand=touch x' h.example", exact: true, inner: "touch x"},
		{name: "a proxy, glued", line: "ssh -oproxycommand='touch x' h.example", exact: true, inner: "touch x"},
		{name: "a proxy behind a blank", line: "scp -o 'ProxyCommand touch x' a h.example:", exact: true, inner: "touch x"},
		{name: "a command here", line: "sftp -o PermitLocalCommand=yes -oLocalCommand='touch x' h.example", exact: true, inner: "touch x"},
		{name: "a file of settings", line: "ssh -F f h.example", exact: true},
		{name: "a library", line: "ssh -I ./x.so h.example", exact: true},
		{name: "in the place of ssh", line: "scp -S ./x a h.example:", exact: true, inner: "./x"},
		{name: "rsync", line: "rsync -avz -e 'ssh -p 22' a h.example:"},
		{name: "rsync with another program", line: "rsync -avze 'touch x' a h.example:", exact: true, inner: "touch x"},
		{name: "rsync in full", line: "rsync --rsh='touch x' a h.example:", exact: true, inner: "touch x"},
		{name: "rsync with a proxy", line: "rsync -e 'ssh -o ProxyCommand=x' a h.example:", exact: true},
		{name: "tar", line: "tar --exclude-vcs --checkpoint=9 -xzf a.tgz *"},
		{name: "tar that packs with a program", line: "tar -cIzstd -f a.tar b", exact: true, inner: "zstd"},
		{name: "tar in the old form", line: "tar cIf x a.tar b", exact: true, inner: "x"},
		{name: "tar, the beginning of a name", line: "tar -xf a.tar --use-c touch", exact: true, inner: "touch"},
		{name: "tar, at the end of a volume", line: "tar -xMFtouch -f a.tar", exact: true, inner: "touch"},
		{name: "tar, what may be an option", line: "tar -xf a.tar $x", exact: true},
		{name: "sed", line: "sed -n '/x/p;s/e/a/' b"},
		{name: "sed, a computed script", line: "sed -i -e \"s/a/$x/\" b", exact: true},
		{name: "sed of a pattern", line: "sed -i s/a/b/ *.go"},
		{name: "sed, a shortened option", line: "sed --expr='w b' a", exact: true},
		{name: "sed, a script from a file", line: "sed -f b a", exact: true},
		{name: "wget", line: "wget -q https://a.example/x"},
		{name: "a password", line: "wget --use-ask='touch' https://a.example/x", exact: true, inner: "touch"},
		{name: "a command of wget", line: "wget -e use_askpass=x https://a.example/x", exact: true},
		{name: "a name that the server gives", line: "curl -OJ https://a.example/x", exact: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Equal(t, tt.exact, l.Commands[0].NoWildcards, tt.line)
			if tt.inner != "" {
				require.Contains(t, allTexts(l), tt.inner)
			}
		})
	}
}

func TestNoWildcardCoversOutputsOfGit(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"git log --output=a": true, "git diff --ext-diff": true, "git show --textconv": true, "git grep -Oless x": true, "git log --stat": false, "git log -- a": false,
	} {
		require.Equal(t, want, parse(line).Commands[0].NoWildcards, line)
	}
}

func TestRunnersOnFoundNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		starts     []string // the last command of the line has them
		covered    bool     // a wildcard may cover that command
		unknown    bool     // the line is
	}{
		{name: "find, all at once", line: `find src -name '*.go' -exec go vet {} +`, starts: []string{"go vet {} …"}},
		{name: "find, one by one", line: `find . -type f -exec python -m pytest -q {} -x \;`, starts: []string{"python -m pytest -q {} -x …"}},
		{name: "find, the directory left out", line: `find -exec go vet {} +`, starts: []string{"go vet {} …"}},
		{name: "two commands", line: `find a b -exec go vet {} \; -exec pytest {} \;`, starts: []string{"go vet {} …", "pytest {} …"}},
		{name: "one that only reads", line: `find src -exec cat {} \; -exec pytest {} \;`, starts: []string{"pytest {} …"}},
		{name: "one that writes", line: `find src -exec touch {} \; -exec pytest {} \;`},
		{name: "behind a wrapper", line: `timeout 5 find src -exec pytest {} +`, starts: []string{"pytest {} …"}},
		{name: "outside", line: `find /opt -exec pytest {} +`},
		{name: "above", line: `find ../x -exec pytest {} +`},
		{name: "links are followed", line: `find -L src -exec pytest {} +`},
		{name: "in other directories", line: `find src -execdir pytest {} +`},
		{name: "find writes", line: `find src -fprint x -exec pytest {} +`},
		{name: "find removes", line: `find src -exec pytest {} + -delete`},
		{name: "another file is read", line: `find src -newer /etc/x -exec pytest {} +`},
		{name: "a variable of the environment", line: `GOFLAGS=-exec=x find src -exec go vet {} +`},
		{name: "an option with a value", line: `find src -exec go test -exec {} \;`, unknown: true},
		{name: "a part of a word", line: `find src -exec go test -run={} \;`},
		{name: "the start may be an option", line: `find s* -exec pytest {} +`},
		{name: "a program by its path", line: `find src -exec ./pytest {} +`, starts: []string{"./pytest {} …"}},
		{name: "nobody knows its arguments", line: `find src -exec foo {} +`},
		{name: "secrets by name", line: `find src -exec kubectl get {} \;`},

		{name: "xargs", line: `find src -name '*.py' | xargs pytest -q`, covered: true},
		{name: "xargs behind filters", line: `grep -rl x src | sort -u | head -3 | xargs pytest`, covered: true},
		{name: "xargs with options", line: `find src | xargs -n 1 -P 4 pytest`, starts: []string{"pytest …"}, covered: true},
		{name: "xargs with whole names", line: `find src -print0 | xargs -0 pytest`, starts: []string{"pytest …"}, covered: true},
		{name: "xargs in a place", line: `find src | xargs -I% pytest % -q`, starts: []string{"pytest % -q …"}, covered: true},
		{name: "xargs as the value of an option", line: `find src | xargs pytest -k`},
		{name: "xargs, names of the directory", line: `ls | xargs pytest`},
		{name: "xargs, names without a directory", line: `grep -rl x | xargs make`},
		{name: "xargs, other lines", line: `cat list | xargs pytest`},
		{name: "xargs, changed lines", line: `find src | sed s/a/b/ | xargs pytest`},
		{name: "xargs, another separator", line: `find src -print0 | xargs pytest`},
		{name: "xargs, made before", line: `touch src/x; find src | xargs pytest`},

		{name: "a loop over a pattern", line: `for f in src/*.go; do go vet "$f"; done`, covered: true},
		{name: "a loop over words", line: `for d in src lib; do go test ./$d; done`, covered: true},
		{name: "a loop over values", line: `for p in a b; do npm run build -w "$p"; done`, covered: true},
		{name: "a value that is refused", line: `for p in a ../b; do npm run build -w "$p"; done`},
		{name: "a value that is an option", line: `for f in a -exec=x; do go test "$f"; done`, unknown: true},
		{name: "a value that sets something", line: `for f in SHELL=x; do make "$f"; done`},
		{name: "a value that is a subcommand", line: `for f in run install; do npm $f; done`, covered: true, unknown: true},
		{name: "a pattern without a directory", line: `for f in *.go; do go vet "$f"; done`, unknown: true},
		{name: "a pattern that goes up", line: `for f in src/.*/x; do go vet "$f"; done`, unknown: true},
		{name: "a part of the name", line: `for f in src/*.go; do go vet "${f#src/}"; done`, unknown: true},
		{name: "set twice", line: `for f in src/*; do f=-x; go vet "$f"; done`, unknown: true},
		{name: "names that a loop reads", line: `find src | while read -r f; do go vet "$f"; done`, unknown: true},
		{name: "a pattern", line: `go vet ./src/*.go`, covered: true},
		{name: "a pattern, and words that are refused", line: `npx tsc --noEmit --skipLibCheck src/**/*.ts`, covered: true},
		{name: "a pattern as a value", line: `go build -o src/*`},
		{name: "a variable", line: `f=src/a; go vet "$f"`, covered: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			last := l.Commands[len(l.Commands)-1]
			require.Equal(t, tt.starts, last.Starts)
			require.Equal(t, tt.covered, !last.NoWildcards)
			require.Equal(t, tt.unknown, l.Unknown != "", l.Unknown)
		})
	}
}

// What deny rules see of a command that gets names is the command with each of them.
func TestNestedOfFoundNames(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`for t in test deploy; do make "$t"; done`: {"make test", "make deploy"},
		`for f in src/*.go; do go vet "$f"; done`:  {"go vet src/*.go"},
		`find src | xargs pytest -q`:               {"pytest -q src"},
	} {
		require.Subset(t, allTexts(parse(line)), want, line)
	}
}
