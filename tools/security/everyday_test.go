package security_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// everydayLines only read. 15 of them were asked about without rules, and 18 were refused
// by a deny rule on a file that was not there: see docs/permissions.md.
const everydayLines = `find . -name '*.go' | xargs wc -l
find . -name '*.go' -exec grep -n TODO {} +
find src -type f -exec head -5 {} \;
find . -name '*.ts' | head -20 | xargs grep -n import
grep -rl TODO src | xargs wc -l
find src -type f -print0 | xargs -0 grep -l x
for f in src/*.go; do echo "== $f"; head -20 "$f"; done
for f in src/a.go README.md; do wc -l $f; done
dir=src; ls $dir && cat "$dir/a.go"
for i in 1 2 3; do echo $i; done
cd src && git log --oneline -5
cd docs && git diff --stat
GIT_PAGER=cat git log -3
git show HEAD
git diff main...HEAD
git diff HEAD~1 -- src
git log -p -2 -- src
git grep TODO
grep -rn TODO .
grep -rn --include='*.go' func src
grep -Rn TODO src
diff -r src docs
sort -o /dev/null README.md
rg TODO
find . -type f
ls -R src
du -sh .
tree -L 2
history | tail -5
ulimit -a
git log --oneline | tee /dev/null | head -3
git ls-files | xargs wc -l
git ls-files 'src/*.go' | xargs grep -n func
go version
go env GOPATH GOMODCACHE
go doc fmt.Println
openssl version
kubectl config current-context
lsof -i :3000
ss -tlnp
netstat -tlnp
watch -n 1 ls
export FOO=bar && echo $FOO
cat /etc/os-release
grep -c processor /proc/cpuinfo
ping -c 1 localhost`

// TestEverydayLines are decided under the settings that people have.
func TestEverydayLines(t *testing.T) {
	t.Parallel()
	tr := newBase(t, source{folder: "testdata"}).grow(t, fixture{}, "proj")
	for name, p := range map[string]policy.Permissions{
		"no rules":       permissions(t, policy.ModeDefault, policy.RuleSet{}),
		"an allow list":  permissions(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(git:*)", "Bash(npm run:*)", "Bash(go test:*)"}}),
		"acceptEdits":    permissions(t, policy.ModeAcceptEdits, policy.RuleSet{}),
		"a denied file":  permissions(t, policy.ModeDefault, policy.RuleSet{Deny: []string{"Read(.env)"}}),
		"bypass, denied": permissions(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Read(.env)"}}),
	} {
		tools := pool(t, sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: p}), shell.Bash(shell.Options{}))
		for line := range strings.SplitSeq(everydayLines, "\n") {
			d := tools.Decide(t.Context(), call(t, "Bash", map[string]string{"command": line}))
			require.Equal(t, policy.Allow, d.Behavior, "%s: %s: %s", name, line, d.Reason)
		}
	}
}
