package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every simple command is listed, wherever it stands.
func TestCommandsOfCompounds(t *testing.T) {
	t.Parallel()
	const a, b = "read pwd", "? npm t"
	tests := map[string]struct {
		line string
		want []string
	}{
		"and":             {"pwd && npm t", []string{a, b}},
		"or":              {"pwd || npm t", []string{a, b}},
		"semicolon":       {"pwd; npm t;", []string{a, b}},
		"newline":         {"pwd\n\n\t npm t", []string{a, b}},
		"pipe":            {"pwd | npm t", []string{a, b}},
		"pipe with error": {"pwd |& npm t", []string{a, b}},
		"background":      {"pwd & npm t &", []string{a, b}},
		"subshell":        {"(pwd; npm t)", []string{a, b}},
		"block":           {"{ pwd; npm t; }", []string{a, b}},
		"not":             {"! npm t", []string{b}},
		"time":            {"time npm t", []string{b}},
		"if":              {"if pwd; then npm t; elif pwd; then pwd; else npm t; fi", []string{a, b, a, a, b}},
		"while":           {"while pwd; do npm t; done", []string{a, b}},
		"until":           {"until npm t; do pwd; done", []string{b, a}},
		"for":             {"for i in $(pwd); do npm t; done", []string{a, b}},
		"select":          {"select i in a; do npm t; done", []string{b}},
		"case":            {"case $(pwd) in x) npm t;; *) pwd;; esac", []string{a, b, a}},
		"case falls":      {"case x in x) pwd;& y) npm t;; esac", []string{a, b}},
		"function":        {"f() { npm t; }; f", []string{b, "read f"}},
		"function word":   {"function f { npm t; }; f a", []string{b, "read f a"}},
		"other function":  {"f() { pwd; } & f", []string{a, "? f"}},
		"perhaps one":     {"pwd && f() { pwd; }; f", []string{a, a, "? f"}},
		"no function":     {"f() { pwd; }; unset f; f", []string{a, "read unset f", "? f"}},
		"past a function": {"f() { pwd; }; command f", []string{a, "? f"}},
		"itself":          {"f() { f; }", []string{"? f"}},
		"substitution":    {"echo $(npm t)", []string{b, "? echo $(npm t)"}},
		"backquotes":      {"echo `npm t`", []string{b, "? echo `npm t`"}},
		"in quotes":       {`echo "a $(npm t)"`, []string{b, `read echo "a $(npm t)"`}},
		"in itself":       {`echo "$(echo "$(npm t)")"`, []string{b, `read echo "$(npm t)"`, `read echo "$(echo "$(npm t)")"`}},
		"in braces":       {"echo {a,$(npm t)}", []string{b, "? echo {a,$(npm t)}"}},
		"process in":      {"echo <(npm t)", []string{b, "read echo <(npm t)"}},
		"process out":     {"pwd > >(npm t)", []string{a, b}},
		"assigned":        {"x=$(npm t)", []string{b, "read x=$(npm t)"}},
		"list":            {"x=($(npm t) b)", []string{b, "? x=($(npm t) b)"}},
		"declared":        {"declare x=$(npm t)", []string{b, "read declare x=$(npm t)"}},
		"here-document":   {"pwd <<E\n$(npm t)\nE", []string{a, b}},
		"behind it":       {"pwd <<E; npm t\nE\nnpm t", []string{a, b, b}},
		"two documents":   {"pwd <<A <<B\n$(npm t)\nA\nb\nB", []string{a, b}},
		"quoted document": {"pwd <<'E'\n$(npm t)\nE", []string{a}},
		"here-string":     {`pwd <<< "$(npm t)"`, []string{a, b}},
		"condition":       {"[[ -n $(npm t) ]]", []string{b}},
		"redirected":      {"> out npm t", []string{b}},
		"quoted text":     {"echo 'x `npm t` $(npm t)'", []string{"read echo 'x `npm t` $(npm t)'"}},
		"quoted operator": {`echo "a; npm t" \; npm t`, []string{`read echo "a; npm t" \; npm t`}},
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

func TestUnknownConstructs(t *testing.T) {
	t.Parallel()
	lines := []string{
		// names
		"$x marker", "tou${z}ch marker", "`echo touch` marker", "{touch,marker}", "t?uch marker", `"$@"`, `"${a[@]}"`, "$(echo ls)",
		"/usr/bin/t?uch marker", "timeout 5 $x", "command $x",
		// expansions with operators
		"echo ${x:-y}", "echo ${x:=$(touch m)}", `echo "${x@P}"`, "echo ${!x}", "echo ${x:1}", "echo ${x/a/b}", "echo ${#x}", "echo ${x[0]}", "echo ${x##*/}",
		// calculations
		"echo $((a[$(touch m)]))", "echo $((x))", "(( x ))", "((x=$(touch m)0))", "echo $[1]", "let x=1", "a[$(touch m)0]=1", "a[0]=1",
		"for ((i=0;i<3;i++)); do ls; done", "[[ $x -eq 1 ]]", "[[ 'a[$(touch m)]' -eq 0 ]]", "[[ -v 'a[$(touch m)]' ]]", "test -v 'a[$(touch m)]'", "[ -R x ]",
		"declare -n r='a[$(touch m)]'", "declare -i x=1", "typeset -n y=x", "printf -v 'a[$(touch m)]' x", "printf $x", `printf "$x"`, "read 'a[$(touch m)]' <<< x", "read $x",
		// what shells disagree about
		"!(touch m)", "ls !(x)", "ls @(a|b)", "! (touch m); !(ls)", "time -p ls", "time -p -- touch m", "coproc ls", "cat <<EOF\nEO\\\nF\nx\nEOF", "echo `echo \\`ls\\``", "cat <<$x\n$x",
		"\\;=:[ touch m", "<(ls) m", "pwd | time npm", "else", "if", "time", "f() pwd", "a=(b)c", "a=()#", "> 1>a", "f-g() { pwd; }",
		// redirections
		"ls >& marker", "ls >&1marker", "ls >&'$(touch m)'", "ls 2>&$x", "ls <&x", "ls > ~/x", "ls > $HOME/x", "ls > *.txt", "ls > {a,b}", "ls > $x", "ls {fd}>x", "echo x > /dev/tcp/h/1", "cat < /dev/udp/h/1", "ls > ''",
		// the shell itself
		"alias ls=touch", "shopt -s extglob", "set -- a b", "set -x", "hash -p /x ls", "enable -f x y", "eval $x", "trap \"$x\" EXIT", "source <(ls)", ". $x", "mapfile x", "unset PATH", "for PATH in a; do ls; done", "read PATH",
		"ls() { touch m; }; ls", "cd() { touch m; }", "function timeout { ls; }", "trap -- \"$(printf x)\" EXIT",
		// texts that are computed
		`sh -c "$x"`, "bash -c $x", "sudo $x", `su -c "$x"`, "eval '$x'",
	}
	for _, line := range lines {
		require.NotEmpty(t, parse(line).Unknown, "%q", line)
	}
}

func TestKnownConstructs(t *testing.T) {
	t.Parallel()
	lines := []string{
		"echo $((1 + 2 * (3)))", "[[ -n $x && $LANG == a* ]]", "[[ 1 -eq 2 ]]", "[ -n \"$x\" ]", "[ ! -f a ]", `test "$x" = y`, `[ "$x" -eq 1 ]`,
		"set -euo pipefail", "set -e", "set -o pipefail", "x=1", "x=1 y=2; echo $x", "export NODE_ENV=test", "local x=1", "readonly x=2", "unset x",
		"while IFS= read -r l; do echo \"$l\"; done", "for f in a b; do echo $f; done", "for f in *; do echo; done", "echo {a,b} {1..3} @{u} {}", "shift 2", "wait %1", "exit 1", "type ls", "command -v git", "popd",
		"echo ~ ~/x ~you $HOME ${HOME} $x \"$@\" $'a\\x41'", "echo $? $$ $!", "npm run -- $x",
	}
	for _, line := range lines {
		require.Empty(t, parse(line).Unknown, "%q", line)
	}
}

// Substitutions in what is not understood are still found.
func TestCommandsInUnknownConstructs(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`echo "${x:=$(touch marker)}"`, "((x=$(touch marker)0))", "a[$(touch marker)0]=1", "let x=$(touch marker)", "coproc touch marker", "echo $[$(touch marker)]",
		"[[ $(touch marker) -eq 1 ]]", "for ((i=$(touch marker);;)); do :; done", "time -p -- touch marker", "ls >& $(touch marker)",
		"cat <<E\n${x:-$(touch marker)}\nE", "echo $((1 + $(touch marker)))",
	} {
		l := parse(line)
		require.NotEmpty(t, l.Unknown, "%q", line)
		require.Contains(t, allTexts(l), "touch marker", "%q", line)
	}
}
