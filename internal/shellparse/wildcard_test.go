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
		"go test ./...": false, "Go Test -exec ./x": true, "go.exe test -exec=x": true, `npm run test 'a"b'`: true, `make a\b`: true, "make a,b": true, "git add a,b": false,
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
