package shellparse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// A removal whose operand is not spelled out is still one of the working directory,
// of a home directory or of the system, where the line says so.
func TestRemovalsThatAreSpelledOtherwise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		lines  []string
		benign bool
	}{
		{name: "the working directory", lines: []string{
			`rm -rf "$PWD"`, "rm -rf $PWD", "rm -rf ${PWD}/*", `rm -rf "$PWD"/..`, "rm -rf ~+", "rm -rf ~+/", "rmdir ~+", `rm -rf "$(pwd)"`, "rm -rf `pwd`/*",
			"rm -rf $(pwd -P)", `rm -rf "${PWD:?}"`, "cd src; rm -rf $PWD", "PWD=x; rm -rf $PWD", "sudo rm -rf $PWD", "bash -c 'rm -rf $PWD'",
			"cd src && rm -rf ~-", `cd src && rm -rf "$OLDPWD"`,
		}},
		{name: "the home directory of somebody", lines: []string{"rm -rf ~root", "rm -rf ~root/", "rm -rf ~root/*", "rm -rf ~a.b-c"}},
		{name: "a variable of the line", lines: []string{
			"d=/; rm -rf $d", `d=/; rm -rf "${d}"`, "d=/; rm -rf $d/etc", "d=/usr; rm -rf $d/..", "export D=~; rm -rf $D", "D=(a /etc); rm -rf ${D[@]}",
			`for d in /*; do rm -rf "$d"; done`, `for d in a /etc; do rm -rf "$d"; done`, `for d in "$HOME"; do rm -rf $d; done`, "for d in {a,/etc}; do rm -r $d; done",
		}},
		{name: "what xargs is given", lines: []string{"xargs rm -rf <<< /etc", "echo / | xargs rm -rf", `printf '%s\n' a /etc | xargs rm -rf`}},
		{name: "below them", benign: true, lines: []string{
			`rm -rf "$PWD/build"`, "rm -rf ~+/build", `rm -rf "$(pwd)/build"`, "rm -rf ~root/x", `rm -rf "$PWDX"`, "cd src; rm -rf $PWD/build", "cd /proc/self/cwd && rm x", "cd /proc/1/root/srv/x && rm /proc/self/cwd/y",
		}},
		{name: "variables that do no harm", benign: true, lines: []string{
			"d=build; rm -rf $d", "for d in a b; do rm -rf $d; done", "d=$(mktemp -d); rm -rf $d", "for f in *.o; do rm -f $f; done", "rm -rf $x", "e=/; rm -rf $d",
			"d=/; rm -rf build/$d",
		}},
		{name: "a line that cannot be parsed", lines: []string{
			"rm -rf / &&", "if; rm -rf ~", "echo 'a; sudo rm -rf /etc", `"r"m -rf / &&`, "rm -rf $x/* &&",
			"rm -rf /; echo " + strings.Repeat("a", 10_000), "echo " + strings.Repeat("a", 60_000) + "; rm -rf /", strings.Repeat("true;", 12_000) + "rm -rf ~/*",
		}},
		{name: "a line that cannot be parsed and removes less", benign: true, lines: []string{"rm -rf build &&", "if; rm -rf ~/build", "rm x; echo " + strings.Repeat("a", 10_000)}},
		{name: "what xargs finds", benign: true, lines: []string{"find . -name x | xargs rm -rf", "echo build | xargs rm -rf", "ls <<< /etc; rm -rf build"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, line := range tt.lines {
				cautious := func(c shellparse.Command) bool { return c.AskReason != "" }
				require.Equal(t, !tt.benign, slices.ContainsFunc(parse(line).Commands, cautious), "%q", line)
			}
		})
	}
}

// The words of a loop are looked at once, and not all of them.
func TestRemovalsInLongLoops(t *testing.T) {
	t.Parallel()
	line := "for d in"
	for range 2000 {
		line += " a"
	}
	line += "; do rm"
	for range 1000 {
		line += " $d"
	}
	require.Empty(t, parse(line + "; done").Commands[0].AskReason)
}

// A critical removal is found wherever it hides.
func TestRemovalsAreFoundInNestedCommands(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rm -rf /", "rm -rf ~", "rm -rf $HOME/", "rm -rf .", "cd src && rm -rf ..", "cd / && rm -rf etc", "cd src; rm -rf ../*", `rm -rf "$D"/*`, "/bin/rm -rf /", "RM -rf /",
		"timeout 5 rm -rf /", "sudo rm -rf /", "env A=1 rm -rf ~", "sh -c 'rm -rf ~'", "eval rm -rf /", "echo $(rm -rf /)", "cat <(rm -rf /)", "find . -exec rm -rf / ';'", "xargs rm -rf /", "f() { rm -rf /; }", "sudo sh -c 'cd / && rm -rf usr'",
	} {
		caution := ""
		for _, c := range parse(line).Commands {
			caution += c.AskReason
		}
		require.NotEmpty(t, caution, line)
	}
	for _, line := range []string{"rm -rf build", "rm -rf ./a/*", "cd src && rm -rf a", "ls /", "echo rm -rf /"} {
		for _, c := range parse(line).Commands {
			require.Empty(t, c.AskReason, line)
		}
	}
}
