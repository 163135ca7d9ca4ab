package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestVariablesOfTheEnvironment: a line that shows a variable that it did not surely set
// is asked about. The lines were run in bash with x and SECRET in the environment: each
// shows one of them, or tells something about it.
func TestVariablesOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"echo $SECRET", `echo "$SECRET"`, "echo ${SECRET}", "echo a$SECRET", "cat <<E\n$SECRET\nE", "cat <<< $SECRET", "x=$SECRET; echo $x", "x=$SECRET", "x=(a $SECRET)",
		"for i in $SECRET; do echo $i; done", "case $SECRET in a*) echo a;; esac", "[[ $SECRET == a* ]] && echo a", "[[ $SECRET == a* ]]", "[[ $SECRET == a* ]]; ls",
		`[ "$SECRET" = a ]`, `test "$SECRET" = a && echo a`, "if [[ $SECRET < m ]]; then ls; fi", "exit $SECRET", `date "+%Y $SECRET"`, `find . -printf "$SECRET"`, "echo $(echo $SECRET)",
		"cat <(echo $SECRET)", `grep . <<< "$SECRET"`, `jq -n --arg x "$SECRET" '$x'`, "ls nosuch-\"$SECRET\"", "git log --grep $SECRET", "{ ls; } <<< $SECRET", "f() { echo $SECRET; }; f", "f() { echo $1; }; f $SECRET",
		"while read l; do echo $l; done <<< $SECRET", "LANG=$SECRET ls", "echo $HOME $SECRET", "[[ -z $SECRET$LANG ]]", "[[ $x ]] && [[ $x < m ]]", `[ -n "$SECRET" -a -n a ]`,
		// x is not surely set.
		"echo $x; x=1", "(x=1); echo $x", "x=1 | cat; echo $x", "x=1 & echo $x", "false && x=1; echo $x", "true || x=1; echo $x", "if false; then x=1; fi; echo $x", "x=1 true; echo $x",
		"for x in; do :; done; echo $x", "while false; do x=1; done; echo $x", "case a in b) x=1;; esac; echo $x", "f() { x=1; }; echo $x", "x+=1; echo $x", "declare x; echo $x", "local x=1; echo $x",
		"x=$((1/0))\necho $x", "x=\"$((1/0))\"\necho $x", "readonly x\nx=1\necho $x", "readonly x; read x <<< a; echo $x", "declare -r x\nx=1\necho $x", "read x < nosuch; echo $x", "read x <&-; echo $x",
		"while read x < nosuch || true; do echo $x; break; done", "until read x < nosuch; do echo $x; break; done", "{ x=1; } < nosuch; echo $x", "for i in 1; do continue; x=1; done; echo $x", "if true; then :; else x=1; fi; echo $x",
		"echo a | read x; echo $x", "time -p false && x=1; echo $x", "unset y; echo $x", "cd src && x=1; echo $x",
	} {
		require.False(t, readOnly(parse(line)), "%q", line)
	}
	for _, line := range []string{
		"x=1; echo $x", "x=1 && echo $x", "x=$(pwd); echo $x", "x=1 y=$x; echo $y", "x=(a b); echo $x", "for x in a b; do echo $x; done", "ls | while read x; do echo $x; done", "while read -r x; do echo \"$x\"; done < README.md",
		"x=1; (echo $x)", "x=1; echo a | cat <<< $x", "x=1; for i in 1; do echo $x$i; done", "x=1; f() { echo $x; }; f", "if true; then x=1; else x=2; fi; echo $x", "if x=1; then echo $x; fi", "cd src && x=1 && echo $x", "x=$(exit 3); echo $x",
		"f() { local x=1; echo $x; }; f", "declare x=1; echo $x", "x=1 > /dev/null && echo $x", "{ x=1; echo $x; } 2>/dev/null", "! x=1; echo $x", "read x <<< a && echo $x",
		"echo $HOME $PWD $USER $LANG $PATH $? $$ $! $# $- $0 $1 $@ $* \"$_\" $RANDOM $UID $SHELL", `[ -n "$SECRET" ] && echo set`, `[[ -z $SECRET ]] && echo empty`, `test -z "${SECRET}"`, "echo '$SECRET' \\$SECRET", "cat <<'E'\n$SECRET\nE",
	} {
		l := parse(line)
		require.True(t, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
	}
}

// TestPublicVariables: a host names more variables that may be shown.
func TestPublicVariables(t *testing.T) {
	t.Parallel()
	env := testEnv()
	env.IsPublic = func(name string) bool { return name == "GITHUB_SHA" }
	for line, free := range map[string]bool{
		"echo $GITHUB_SHA": true, "printenv GITHUB_SHA": true, "echo $GITHUB_TOKEN": false, "echo $GITHUB_SHA $GITHUB_TOKEN": false, "echo $HOME": true, "printenv": false,
		"printenv GITHUB_SHA GITHUB_TOKEN": false,
	} {
		require.Equal(t, free, readOnly(shellparse.Parse(line, env)), "%q", line)
		if line != "echo $HOME" {
			require.False(t, readOnly(parse(line)), "%q", line)
		}
	}
}

// TestShownVariableKeepsRules: a rule that allows the command covers it as before, and
// nothing else of the line changes.
func TestShownVariableKeepsRules(t *testing.T) {
	t.Parallel()
	l := parse("ls && echo $SECRET && pwd")
	require.Equal(t, []string{"read ls", "? echo $SECRET", "read pwd"}, texts(l))
	require.Empty(t, l.Unknown)
	require.False(t, l.Commands[1].NoWildcards)
	require.Contains(t, l.Commands[1].Reason, "SECRET")
	require.Empty(t, l.Commands[1].Paths)
}

// A variable that the line sets by itself makes what follows unknown: a rule that
// allows to set it must not let that run.
func TestEnvAssignmentMakesLaterCommandsUnknown(t *testing.T) {
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
		require.False(t, last.EditsOnly, "%q", line)
	}
	loop := parse("while true; do ls; export PATH=.; done").Commands
	require.Equal(t, shellparse.Unknown, loop[1].Class, "in a loop, before it too")
	for _, line := range []string{"ls; PATH=.", "x=1; ls", "export NODE_ENV=test && ls", "FOO=1; echo $FOO", "FOO=1; [ -f x ]"} {
		commands := parse(line).Commands
		i := slices.IndexFunc(commands, func(c shellparse.Command) bool { return c.Class == shellparse.ReadOnly })
		require.GreaterOrEqual(t, i, 0, "%q", line)
	}
}
