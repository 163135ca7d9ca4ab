package shellparse_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
