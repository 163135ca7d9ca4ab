package shellparse_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// Rules that deny see past quotes, paths, case and all that starts programs.
func TestNestedTexts(t *testing.T) {
	t.Parallel()
	const touch = "touch marker"
	tests := map[string]string{
		`"touch" marker`: touch, `'touch' marker`: touch, `\touch marker`: touch, `t\ouch marker`: touch, `t''ouch marker`: touch,
		`$'touch' marker`: touch, `$'\x74\x6fuch' marker`: touch, `$'\u0074ouch' marker`: touch, `$'\164ouch' marker`: touch,
		"to\\\nuch marker": touch, "  touch   marker": touch, "TOUCH marker": touch, "/usr/bin/touch marker": touch, "../bin/Touch marker": touch,
		"A=1 B='a b' touch marker": touch, "A=1 > out B=2 touch marker": touch, "PATH=. timeout 5 touch marker": touch,
		"nice touch marker": touch, "nice -n 10 touch marker": touch, "timeout -k 1 5 touch marker": touch, "stdbuf -o 0 touch marker": touch, "timeout --new 5 touch marker": touch,
		"env touch marker": touch, "env -i A=1 touch marker": touch, "env -u HOME touch marker": touch, "env -S'touch marker'": touch, "env -S 'touch marker'": touch,
		"env --split-string='touch marker'": touch, "env -iS 'touch marker'": touch, "env -S 'touch' marker": touch,
		"sudo -u root -E touch marker": touch, "doas touch marker": touch, "sudo /bin/touch marker": touch, "sudo env A=1 nice touch marker": touch,
		"watch -n 1 touch marker": touch, "watch 'touch marker'": touch, "ionice -c 3 touch marker": touch, "setsid -w touch marker": touch,
		"xargs touch marker": touch, "xargs -n1 touch marker": touch, "xargs -I {} touch marker": touch, "busybox touch marker": touch, "toybox touch marker": touch,
		"sh -c 'touch marker'": touch, `bash -ec "touch marker"`: touch, "bash --norc -c 'ls; (touch marker)'": touch, "/bin/sh -c 'touch marker'": touch, "sh -c -- 'touch marker'": touch, "sh -c +x 'touch marker'": touch,
		"sh -c \"sh -c 'touch marker'\"": touch, "sudo sh -c 'touch marker'": touch, "xargs sh -c 'touch marker'": touch,
		"eval touch marker": touch, "eval 'touch marker'": touch, `eval "tou"ch marker`: touch, "command eval touch marker": touch,
		"exec touch marker": touch, "exec -a x touch marker": touch, "command touch marker": touch, "command -p touch marker": touch, "nohup touch marker": touch,
		"script -qec 'touch marker' /dev/null": touch, "script --command='touch marker' x": touch, "su -c 'touch marker' root": touch, "su root -c 'touch marker'": touch,
		"flock f touch marker": touch, "flock f -c 'touch marker'": touch, "ssh host touch marker": touch, "ssh host 'touch marker'": touch, "parallel touch marker": touch,
		"find . -exec touch marker ;": touch, "find . -execdir /bin/touch marker +": touch, "fd x -x touch marker": touch, "strace -f touch marker": touch,
		"direnv exec . touch marker": touch, "npx touch marker": touch, "trap 'touch marker' EXIT": touch, "alias x='touch marker'": touch,
		"/usr/bin/time -o x touch marker": touch, `"touch" "marker"`: touch,
		"git   push": "git push", "git -C x push": "git push", "git --no-pager push": "git push", "git -p push": "git push", "git -c a=b --git-dir=x push": "git push",
		"git pu''sh": "git push", "/usr/bin/git --git-dir x push": "git push", "env git push": "git push", "GIT push": "git push",
		"'git push'": "git push", `npm "run test" x`: "npm run test x", `'npm' "run test"`: `npm "run test"`,
		"timeout 5 ls": "timeout 5 ls", "A=1 ls": "A=1 ls",
	}
	for line, want := range tests {
		require.Contains(t, allTexts(parse(line)), want, "%q", line)
	}
}

func TestNestedTextsAreNotInvented(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"ls touch marker", "echo 'touch marker'", "grep 'touch marker' x", "git log --grep push", "sudo ls touch marker", "timeout 5 ls touch marker"} {
		require.NotContains(t, allTexts(parse(line)), "touch marker", "%q", line)
		require.NotContains(t, allTexts(parse(line)), "git push", "%q", line)
	}
}

// Rules that deny see the commands that a line hides.
func TestDenySeesHiddenCommands(t *testing.T) {
	t.Parallel()
	const touch = "touch x"
	tests := map[string]string{
		"git {push,-f}": "git push -f", "rm {-rf,src}": "rm -rf src", "git {-C,x} push": "git push", "env git {push,-f}": "git push -f",
		"git-push -f": "git push -f", "/usr/lib/git-core/git-push": "git push", "git.exe push": "git push", "RM.EXE -rf src": "rm -rf src",
		"foo --bar touch x": touch, "./foo touch x": touch, "foo 'touch' x": touch, "sudo foo touch x": touch, "env -u A foo touch x": touch,
		"setpriv --reuid 1 touch x": touch, "prlimit --cpu=1 touch x": touch, "choom -n 5 touch x": touch, "linux64 touch x": touch,
		"setarch x86_64 touch x": touch, "setarch -R touch x": touch, "tini -- touch x": touch, "dumb-init touch x": touch, "gosu root touch x": touch,
		"eatmydata touch x": touch, "chronic touch x": touch, "/lib64/ld-linux-x86-64.so.2 /bin/touch x": touch, "sg root -c 'touch x'": touch,
		"capsh -- -c 'touch x'": touch, "rbash -c 'touch x'": touch, "pwsh -c 'touch x'": touch, "pwsh -Command touch x": touch,
		"npm exec touch x": touch, "npm exec -c 'touch x'": touch, "pnpm exec touch x": touch, "cross-env A=1 touch x": touch,
		"docker exec c touch x": touch, "docker exec -it c /bin/touch x": touch, "kubectl exec pod -- touch x": touch, "bwrap --ro-bind / / touch x": touch,
		"git submodule foreach touch x": touch, "git submodule foreach 'touch x'": touch, "git bisect run touch x": touch,
		"git rebase --exec 'touch x' HEAD~2": touch, "git rebase -x 'touch x'": touch, "git rebase --exec='touch x'": touch,
		"git -c alias.y='!touch x' y": touch, "git -c alias.y='push -f' y": "git push -f", "tmux new 'touch x'": touch, "tmux new-session -d touch x": touch,
		"tar -xf a.tar -I 'touch x'": touch, "tar -xf a.tar --to-com='touch x'": touch, "tar -cf a.tar --checkpoint=1 --checkpoint-action=exec='touch x' b": touch, "tar xIf 'touch x' a.tar": touch, "sed '1e touch x' a": touch, "sed 's/a/touch x/e' a": touch, "sed -n 's,a,touch x,pe' a": touch, "sed -e 'e touch x' a": touch, `awk 'BEGIN { system("touch x") }'`: touch, `awk '{ print | "touch x" }'`: touch,
	}
	for line, want := range tests {
		require.Contains(t, allTexts(parse(line)), want, "%q", line)
	}
}

// Words that only look like commands are not taken for some.
func TestDenySeesNoCommandInTexts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"git grep run touch x", "git log --grep foreach touch x", "git commit -m run touch x", "grep -x touch x", "command -v touch x", "cat touch x",
		"curl -d touch x", "sudo cat touch x", "awk '{ print \"touch x\" }'", "env -u A cat touch x",
	} {
		require.NotContains(t, allTexts(parse(line)), "touch x", "%q", line)
	}
}

// Looking into commands takes no longer than reading a line may.
func TestInspectionIsBounded(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"find . " + strings.Repeat("-exec sudo -x find . ", 450),
		strings.Repeat("find . "+strings.Repeat("-exec sudo -x find . ", 7)+";", 60),
		strings.Repeat("foo ", 2400),
	} {
		start := time.Now()
		parse(line)
		require.Less(t, time.Since(start), time.Minute)
		t.Log(time.Since(start))
	}
}

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

// maxLineWork is the work that a line may take, in bytes that are allocated for it: what the
// worst lines take, which are decided in some ten milliseconds, and a small part of what a
// level that reads everything again would.
const maxLineWork = 40 << 20

// workParts are what takes work in a line: each # is a number of its own.
var workParts = strings.Split("watch |screen |env -S |ssh h |tmux new |find . -exec |eval |docker run x |sudo -u |sudo |xargs -a |xargs -I{} |npx |su -c |sh -c |parallel |command |timeout 5 |"+
	"nice -n |find . -exec find {} -name a# |git -c alias.x=!y |make A='x y' |awk 'system(\"x#\")' |python -c 'os.system(\"ls #\")' |vi '!ls #' |gdb -ex 'shell ls #' |sqlite3 x '.shell ls' |"+
	"tar -I x |sed 'e ls #' |alias a#='b c';|trap 'a b' EXIT;|bc <<< '!x#';|echo hi# \x00 sh;|$\"a#\" |A#='b c' |A='() { x; }' |GIT_SSH_COMMAND='x #' |$x |$a# |$(a#) |`a` |${a#:-b} |a#=b;|a#=$(b);|"+
	"export a#=b;|read a#;|for i in a#;do |if a;then |while a;do |x() { y; };|f#() { a; };|$((a#+|(|{ |{a,b}|*/|a#* |'\"a\"' |<<< a |> a# |cat <<E#\nx\nE#\n|a#.b:1 |:|a:|x://|http://a#/ |../a#/b |/etc/a# |"+
	"x |ls;|cd a#;|cp a# b#;|ln -s a b;|git log;|rm a#* |tee a#\x00 |; |&& |\x00 |& |' |\" |-c |-- |-x |\\", "|")

// longLine repeats parts until the line has some length.
func longLine(parts []string, length int) string {
	var b strings.Builder
	for i := 0; b.Len() < length; i++ {
		part := strings.ReplaceAll(parts[i%len(parts)], "\x00", "|")
		b.WriteString(strings.ReplaceAll(part, "#", fmt.Sprint(i)))
	}
	return b.String()[:length]
}

// workOf returns what is allocated for the decision about a line.
func workOf(line string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	shellparse.Parse(line, shellparse.Env{Dir: "/proj", Home: "/home/me"})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLineOfWatchesIsDecidedInTime: what a command runs was read again at each level, so that
// a line of 120 bytes took seconds.
func TestLineOfWatchesIsDecidedInTime(t *testing.T) {
	for _, part := range workParts {
		for _, length := range []int{120, 1000, 9_999, 60_000} {
			require.Less(t, workOf(longLine([]string{part}, length)), uint64(maxLineWork), "%q, %d bytes", part, length)
		}
	}
}

// TestNoLineTakesLong looks for lines that take much work: of each line and its changed copy,
// the one that takes more goes on.
func TestNoLineTakesLong(t *testing.T) {
	const lines = 60 // at full effort, each with as many changes
	began, worst, most := time.Now(), "", uint64(0)
	for seed := range effort.Of(t, uint64(lines)) {
		random := rand.New(rand.NewPCG(seed, 1))
		pick := func() string { return workParts[random.IntN(len(workParts))] }
		best, parts := uint64(0), []string{pick(), pick()}
		for range lines {
			changed := append([]string(nil), parts...)
			switch at := random.IntN(len(changed)); random.IntN(3) {
			case 0:
				changed[at] = pick()
			case 1:
				changed = append(changed, pick())
			default:
				changed = append(changed[:at], append([]string{pick()}, changed[at:]...)...)
			}
			if work := workOf(longLine(changed, 9_999)); work > best {
				best, parts = work, changed
				require.Less(t, work, uint64(maxLineWork), "%q", parts)
			}
		}
		if best > most {
			worst, most = fmt.Sprintf("%q", parts), best
		}
	}
	t.Logf("the most work takes %s: %d bytes", worst, most)
	require.Less(t, time.Since(began), 5*time.Minute, "all lines")
}
