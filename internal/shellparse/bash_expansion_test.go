package shellparse_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestUnseenPatterns: what stands without quotes and is not known may be a pattern for names
// outside the working directories.
func TestUnseenPatterns(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		// Substitutions.
		"echo $(cat list)", "echo `cat list`", "echo $(<list)", "printf '%s\\n' $(cat list)", "echo a$(cat list)b", `echo "a"$(cat list)`, "echo {a,$(cat list)}", "timeout 5 echo $(cat list)",
		"echo $(printf '/etc/*')", "echo $(printf '/etc/\\052')", "echo $(echo '/etc/*')", "echo $(echo -e '/etc/\\x2a')", "echo $(echo '/etc/*' | head -1)", "echo $(echo /etc/a | tr a '*')", "echo $(echo /etc/a | tr a-z '!-+')",
		"echo $(echo /etc/a | sed 's/a/*/')", "echo $(true || cat list)", "echo $(cat list; date)", "echo $(date; cat list)", "echo $(date && cat list)", "echo $(wc -l < a 2>&1)", "echo $(cat nosuch 2>&1 >/dev/null)", "echo $(ls |& cat)",
		"echo $(ls -l)", "echo $(ls *)", "echo $(ls -R)", "echo $(find .)", "echo $(git ls-files)", "echo $(git log -1 --format=%s)", "echo $(git log -1)", "echo $(date '+/etc/*')", "echo $(cut -d: -f1 list)", "echo $(stat -c %N a)",
		"echo $(basename \"$(cat list)\")/x", "echo $(f)", "f() { cat list; }; echo $(f)", "echo $(git branch)/*", "echo $(cat <<< '/etc/*')", "echo $(cat <<E\n/etc/*\nE\n)", "echo $(pwd -P)", "echo $(cat list >/dev/stdout)", "echo $(cat list 1>/dev/stdout 2>/dev/null)", "echo $(cat nosuch 2>/dev/stdout)", "echo $(true > >(cat list))", "echo $(true >(cat list) >/dev/null)", "echo $(cat list &>/dev/stdout)",
		"echo $({ cat list >&3; } 3>&1)", "echo $(cat list >&1)", "echo $(cat nosuch 2>&1 >/dev/null)", "echo $(true <(cat list))$(cat <(cat list))", "echo $(cd docs && ls -d src/*)", "(cd docs; ls -d src/*) | while read -r x; do echo $x; done", "echo $(pidof -S '/etc/*' sh)", "x=$(cat list); echo ${x##*/}/a", "x=$(cat list); echo ${x#*/}", "echo $(git log -1 --format=%ad)", "echo $(git show --format=%h)", "echo $(git log -p --format=%h)", "echo $(git log -1 --format=%h -- list --format=%s)", "echo $(basename -a -z / '*')", "x=$(ls -d */); echo $(basename -az $x)", "echo $(pip --version)", "echo $(ruby -v)", "echo /$(expr '*' '|' 1)", "echo $(wc -l *)", "echo $(du -sh *)", "echo $(grep -c x *)", "echo $(date --help)", "cd src && echo $(cd .. && cat list)",
		"type $(cat list)", "which $(cat list)", "basename $(cat list)", "seq $(cat list)", "sleep $(cat list)", "true $(cat list)", "exit $(cat list)", "sort <(echo $(cat list))", "[[ -n $(echo $(cat list)) ]]", "cat <<E\n$(echo $(cat list))\nE",
		// Variables.
		"x=$(cat list); echo $x", "x=$(cat list); y=$x; echo $y", "x=a; x=$(cat list); echo $x", "x=$(cat list); x=a; echo $x", "x='/etc/*'; echo $x", "x='/etc/*'; y=$x; echo $y", "x='*'; echo /etc/$x", "x=/etc y='*'; echo $x/$y",
		"x=']'; echo /etc/[a-z$x", "x='[a-z'; echo /etc/$x]", "x='*'; y=/etc/$x; echo $y", "x='@(/etc/a)'; echo $x", "x=(a $(cat list)); echo \"$x\"", "x=($(cat list))", "declare -a x=($(cat list))", "x=a$(cat list)$(date); echo $x",
		"LANG='/etc/*'; echo $LANG", "LANG=$(cat list); echo $LANG", "if true; then x=1; else x=$(cat list); fi; echo $x", "echo $_", "cd src; cd ..; echo $OLDPWD", "x=$(cat list); echo ${x%a}", "x=$(cat list); echo ${x:-a}",
		"f() { echo $1; }; f '/etc/*'", "f() { echo $@; }; f '/etc/*'", "f() { x=$*; echo $x; }; f '/etc/*'", "f() { x=\"$@\"; echo $x; }; f '/etc/*'", "f() { for x in \"$@\"; do echo $x; done; }; f '/etc/*'", "f() { for x; do echo $x; done; }; f '/etc/*'",
		// Loops.
		"while read -r x; do echo $x; done < list", "while read -r x; do echo $x; done <<E\n/etc/*\nE", "cat list | while read -r x; do echo $x; done", "while read x; do echo $x; done <<< '/etc/*'", "while read x; do ls \"$x\"; done", "find . | while read -r f; do echo $f; done",
		"for f in $(cat list); do echo $f; done", "for f in $(cat list); do echo \"$f\"; done", "for f in $(cat list); do :; done", "for f in '/etc/*'; do echo $f; done", "select f in $(cat list); do :; done", "for f in $(cat list); do for g in a; do echo \"$f\"; done; done",
		"for f in *; do echo /etc/$f; done", "for f in src/*; do echo x$f; done", "for f in src/*; do echo ${f#src}; done", "for f in */*.go; do echo $f; done", "for f in src/*; do (cd docs && echo $f); done", "for f in *; do for g in *; do echo $f$g; done; done",
		"IFS=c; for f in src/*; do echo $f; done", "IFS=c; echo $(ls)", "for f in 'a b'/*; do echo $f; done", "for f in src/*; do x=/etc/$f; echo $x; done", "for f in *; do x=/etc/$f; echo $x; done", "for f in *; do echo $(echo -e $f); done",
		"for f in *; do echo $(printf /%s $f); done", "for f in $(ls); do echo /$f; done", "echo /$(ls)", "echo $(ls)$(ls)", "echo $(ls | tr a-z A-Z)",
	} {
		require.False(t, readOnly(parse(line)), "%q", line)
	}
}

// TestDeclaredListsAreExpanded: a declaration of a list runs and expands a text in parentheses.
func TestDeclaredListsAreExpanded(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"declare -a x='($(touch a))'", "declare -a x=\"$(cat list)\"", "declare -a x=$(cat list)", "typeset -a x='(/etc/*)'", "readonly -a x='(/etc/*)'", "f() { local -a x=\"$1\"; }; f '(/etc/*)'", "y='(/etc/*)'; declare -a x=$y",
		"x=(a); declare x='(/etc/*)'", "x=(a); typeset x=\"$(cat list)\"", "x+=(a); declare x=\"$(cat list)\"", "declare -a x; declare x='(/etc/*)'", "f() { x=(a); }; f; declare x='(/etc/*)'", "declare x='(/etc/*)'; x=(a)",
	} {
		require.False(t, readOnly(parse(line)), "%q", line)
	}
	for _, line := range []string{
		"declare -a x=(a b)", "declare x='(a)'", "declare x=\"$(cat list)\"", "f() { local x=\"$1\"; echo \"$x\"; }; f a", "x=(a); y=\"$(cat list)\"", "readonly x=a", "declare -r x=\"$(date)\"", "x=(a); declare -r y=\"$(date)\"",
	} {
		l := parse(line)
		require.True(t, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
	}
}

// TestPlainExpansions: what is known to hold no pattern, or one for names in the working
// directory only, is expanded unasked.
func TestPlainExpansions(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"echo $(date)", "echo $(date +%F) $(date '+%H:%M')", "echo $(pwd)", "echo $(git rev-parse --short HEAD)", "echo $(git rev-parse HEAD) $(git rev-parse --abbrev-ref HEAD)", "echo $(git merge-base main HEAD)", "echo $(git branch --show-current)",
		"echo $(git log -1 --format=%h)", "echo $(git log --format=%cs -n 1)", "echo $(git log -1 --format='%h %as')", "echo $(git rev-list --count HEAD)", "echo $(git tag | sed 's/^v//')", "echo $(wc -l < README.md)", "echo $(wc -l README.md)",
		"echo $(ls | wc -l)", "echo $(cat list | wc -l | tr -d ' ')", "echo $(cat list 2>/dev/null | wc -l)", "echo $(grep -c x README.md)", "echo $(nproc) $(id -u) $(uname -sm) $(hostname) $(whoami)", "echo $# $? $$ $! $- $((1+2)) $0 $1 $@", "echo $HOME $PWD $USER $PATH",
		"echo $(echo a | tr a-z A-Z)", "echo $(basename \"$(cat list)\")", "echo $(basename $(pwd))", "echo $(dirname src/a.go)", "echo $(seq 1 3)", "echo $(expr 1 + 2)", "echo $(expr 2 \\* 3)", "echo $(du -sh src | cut -f1)", "echo node $(node --version) and $(python3 -V)", "c=$(grep -c a b); if [ \"$c\" = 0 ]; then s=none; else s=some; fi; echo $s", "echo $(stat -c %s README.md)",
		"echo $(which go) $(command -v node)", "echo $(pgrep node)", "echo $([ -f a ] && echo yes || echo no)", "echo $(ls >/dev/null 2>&1 && echo yes)", "echo $(cd src && pwd)", "echo $(date | cut -d' ' -f1)", "echo $(date | awk '{print $1}')", "echo $(cat <<< a)",
		"echo $(ls)", "echo $(ls src)", "echo $(ls -1 | head -3)", "for f in $(ls src); do echo $f \"$f\"; done", "x=$(ls); echo $x", "ls | while read x; do echo $x; done", "ls src | sort | while read -r x; do echo $x; done",
		"x=$(date); echo $x", "echo $(cat list >/dev/null 2>&1; echo $?)", "echo $(cat list &>/dev/null && echo yes)", "x=$(cat list); echo ${x##*/}", "x=src; ls $x | while read f; do echo $f; done", "n=$(ls | wc -l); echo $n files", "x=1; echo $x", "x=a; y=$x/b; echo $y", "x=1; x=2; echo $x", "if true; then x=1; else x=2; fi; echo $x", "x=(a b); echo $x", "x=; echo $x", "LANG=C; echo $LANG",
		"for i in 1 2 3; do echo $i; done", "for i in {1..100}; do echo $i; done", "for i in $(seq 1 $(nproc)); do echo $i; done", "for f in *.go; do echo $f; done", "for f in src/*.go; do echo $f: ${f%.go} ${f##*/} \"x/$f\"; done", "for d in */; do echo $d; done",
		"for f in src/*; do b=$(basename \"$f\"); echo $b; done", "while read x; do echo $x; done <<E\na\nb\nE", "read x <<< a && echo $x", "x='*.go'; echo $x", "x=a; for f in $x b; do echo $f; done",
		// No expansion.
		"echo \"$(cat list)\"", "x=$(cat list); echo \"$x\"", "x=$(cat list)", "declare x=$(cat list)", "[[ $(cat list) == x ]]", "[[ -n $(cat list) ]]", "case $(cat list) in *) ls;; esac", "cat <<< $(cat list)", "cat <<E\n$(cat list)\nE", "while read -r x; do echo \"$x\"; done < list",
		"f() { echo \"$1\" \"$@\"; }; f '/etc/*'", "for x in \"$(cat list)\"; do echo \"$x\"; done", "cat list | xargs echo",
	} {
		l := parse(line)
		require.True(t, readOnly(l), "%q: %s %v", line, l.Unknown, texts(l))
	}
}

// TestUnseenPatternIsUnseen: a deny rule on files may be about the directories that the shell
// reads, and a rule that allows the command covers it.
func TestUnseenPatternIsUnseen(t *testing.T) {
	t.Parallel()
	l := parse("npm run build -- a b $(cat list)")
	require.True(t, l.Commands[1].ReadsUnseen)
	l = parse("date && echo $(cat list)")
	require.Empty(t, l.Unknown)
	require.Equal(t, []string{"read date", "read cat list", "? echo $(cat list)"}, texts(l))
	require.False(t, l.Commands[2].NoWildcards)
	require.True(t, l.Commands[2].ReadsUnseen)
	l = parse("for f in $(cat list); do echo \"$f\"; done")
	require.False(t, l.Commands[0].ReadsUnseen)
	require.True(t, l.Commands[1].ReadsUnseen)
	require.NotEqual(t, `echo "$f"`, l.Commands[1].Text, "an exact rule is about another line")
	odd := testEnv()
	odd.Dir = "/proj/q /etc/*"
	for _, line := range []string{"echo $PWD", "echo $(pwd)"} {
		require.False(t, readOnly(shellparse.Parse(line, odd)), line)
	}
}

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
