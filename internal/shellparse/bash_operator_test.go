package shellparse_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestOperators: what an operator makes of a value is what bash makes of it.
func TestOperators(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash, which is the judge here, is not installed")
	}
	var lines []string
	for _, value := range []string{"a.go", "src/a.b.go", "/x/y/", "aaa", "x-1", "./a"} {
		for _, operator := range []string{"%", "%%", "#", "##"} {
			for _, pattern := range []string{"", ".go", "*", "/*", "*/", ".*", "*.", "a", "a*", "*a", "*a*", "src/", "-1", "x/y/", "./"} {
				lines = append(lines, "x="+value+`; cat "_${x`+operator+pattern+`}_"`)
			}
		}
		lines = append(lines, "x="+value+`; cat "_${x:-y}_"`, "x="+value+`; cat _${x-y}_`, "x="+value+`; cat "_${#x}_"`)
	}
	out, err := exec.CommandContext(t.Context(), bash, "-c", strings.ReplaceAll(strings.Join(lines, "\n"), "cat ", "echo ")).Output()
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, want, len(lines))
	known := 0
	for i, line := range lines {
		l := parse(line)
		if !readOnly(l) { // such as ${x%*}: a star alone is not calculated
			continue
		}
		known++
		require.Equal(t, []string{"/proj/" + want[i]}, names(l), "%s", line)
	}
	require.Greater(t, known, len(lines)*3/4)
}

func TestOperatorsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"x=a; echo ${x:=b}", "x=a; echo ${x:?b}", "x=a; echo ${x@P}", "x=a; echo ${!x}", "x=a; echo ${x:1:2}", "x=a; echo ${x/a/b}", "x=a; echo ${x^^}", "echo ${x[0]%a}", "x=a; echo ${x%$(ls)}", "x=a; echo ${x%$y}",
		"x=a; echo ${x:-$(ls)}", "x=a; echo ${x%[a-z]}", "x=a; echo ${x%'a b'}", `cat "${1:-x}"`, `x=a; x=b; cat "${x%b}"`, `x=; cat "${x:-../y}"`, `cat "${y:-x}"`, `x=a; sort ${x:+-oy}`,
		// Of a secret they tell something.
		"echo ${#SECRET}", "echo ${SECRET%a}", `[ -z "${SECRET#a*}" ]`, `[[ -n ${SECRET##a*} ]]`, `test -n "${SECRET:+a}"`,
	} {
		require.False(t, readOnly(parse(line)), "%q", line)
	}
}

// TestKeptVariables: a variable that no program sees is like one of a script if the line
// only reads.
func TestKeptVariables(t *testing.T) {
	t.Parallel()
	env := testEnv()
	env.IsExported = func(name string) bool { return name == "HELD" }
	for line, free := range map[string]bool{
		"DIR=src; ls $DIR": true, `DIR=src && grep -rn x "$DIR"`: true, `for F in a b; do cat "$F"; done`: true, "Src=a; cat $Src": true, "A=1; B=$A; echo $B": true,
		"HELD=src; ls": false, "PATH=src; ls": false, "IFS=/; ls": false, "LD_PRELOAD=a; ls": false, "GIT_DIR=a; ls": false, "BASH_ENV=a; ls": false, "GLOBIGNORE=a; ls": false, "PS4=a; ls": false, "CC=a; ls": false,
		"GOFLAGS=a; ls": false, "MY_PAGER=a; ls": false, "TZ=a; ls": true, "TZ=/a; ls": false, "HISTFILE=a; ls": false, "OPTIND=a; ls": false, "_X=a; ls": false,
		"DIR=src; touch $DIR/a": false, "DIR=src; ls $DIR > a": false, "DIR=src; export DIR; ls": false, "set -a; DIR=src; ls": false, "for F in a; do touch $F; done": false, "DIR=a; DIR=b; ls $DIR": false,
		"DIR=src ls": false, "export DIR=src; ls": false, "DIR=src; unknown": false,
	} {
		l := shellparse.Parse(line, env)
		require.Equal(t, free, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
		if strings.Contains(line, "DIR") {
			require.False(t, readOnly(parse(line)), "%q without knowledge of the environment", line)
		}
	}
	l := shellparse.Parse("DIR=src; touch $DIR/a", env)
	require.Equal(t, shellparse.Unknown, l.Commands[0].Class, "a rule for touch does not allow the assignment")
	require.Equal(t, shellparse.Unknown, l.Commands[1].Class)
	env.Shell = shellparse.Zsh
	require.False(t, readOnly(shellparse.Parse("DIR=src; ls $DIR", env)), "zsh has other variables")
}

// TestNamesThatALoopReads: the command that gets them says which names are looked at first.
func TestNamesThatALoopReads(t *testing.T) {
	t.Parallel()
	for line, looked := range map[string]bool{
		`find src | while read -r f; do head "$f"; done`: true, `find src -print0 | while IFS= read -r -d '' f; do head "$f"; done`: false, `find src -print0 | while read -r -d '' f; do head "$f"; done`: true,
		`ls | while read f; do wc -l "$f"; done`: true, `grep -l x a b | while read f; do wc -l "$f"; done`: true, `find src | while read f; do echo "$f"; done`: false,
	} {
		l := parse(line)
		require.True(t, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
		require.Equal(t, looked, len(l.Commands[2].SplitNames) > 0, "%q", line)
	}
}

// TestNamesOfObjects: a substitution by git may stand where a revision can, and nowhere else.
func TestNamesOfObjects(t *testing.T) {
	t.Parallel()
	for line, free := range map[string]bool{
		"git diff $(git merge-base HEAD main)": true, `git log "$(git merge-base origin/main HEAD)"..HEAD`: true, "git show --stat `git rev-parse HEAD`": true, "git log $(git rev-parse --verify v1 2>/dev/null)..HEAD": true,
		"git diff $(git merge-base --all a b)": false, "git diff $(git rev-parse v1)": false, "git diff $(git rev-parse --verify -- --output=x)": false, "git diff $(git merge-base a b; echo -x)": false,
		"git diff $(git merge-base a $x)": false, "git diff -$(git rev-parse HEAD)": false, "cat $(git rev-parse HEAD)": false, "git grep x $(git rev-parse HEAD)": false, "IFS=0; git diff $(git rev-parse HEAD)": false,
		"git log -n $(git merge-base a b) -S --output=x": false, "git diff --no-index $(git rev-parse HEAD) a": false, "git -C a diff $(git rev-parse HEAD)": false, "git diff $(GIT_DIR=x git rev-parse HEAD)": false,
		"git diff $(git rev-parse HEAD) $(ls)":       false,
		"x=$(git merge-base HEAD main); git diff $x": true, `x=$(git merge-base HEAD main) && git log "$x"..HEAD`: true, "x=$(git merge-base HEAD main); git diff --stat ${x}": true,
		"x=$(git merge-base HEAD main); x=--output=y; git diff $x": false, "x=$(git merge-base HEAD main); read x; git diff $x": false, "x=$(git merge-base HEAD main); cat $x": false, "x+=$(git rev-parse HEAD); git diff $x": false,
		"x=-$(git rev-parse HEAD); git diff $x": false, "x=$(git merge-base HEAD main); sort $x": false, "(x=$(git rev-parse HEAD)); git diff $x": false, "if a; then x=$(git rev-parse HEAD); else x=-p; fi; git diff $x": false,
		"x=$(git rev-parse HEAD); IFS=0; git diff $x": false, "x=$(git rev-parse HEAD); git diff --$x": false,
	} {
		l := parse(line)
		require.Equal(t, free, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
	}
}
