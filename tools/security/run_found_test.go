package security_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
)

// foundLines hand names of files on to other commands. Those of the first list are free
// where no name is odd and no link leads out. The others are never free.
const (
	foundLines = `find src -name '*.go' -exec wc -l {} +
find src -type f -exec head -5 {} \;
find . -type f -name '*.txt' -exec cat {} +
find . -type d -exec ls {} \;
find src docs -name '*.go' | xargs wc -l
find src | head -5 | xargs ls -la
find src -type f -print0 | xargs -0 grep -l x
find src -name '*.go' | xargs -I{} head -3 {}
find src -name '*.go' | grep -v _test | sort | xargs wc -l | tail -1
grep -rl x src | xargs sed -n 1p
x=src; ls $x
x=src; cat "$x/a.go"
for f in src/a.go README.md; do echo "$f"; head -5 "$f"; done
for f in src/*.go; do [ -f "$f" ] && wc -l "$f"; done
for f in src/a.go src/b.go; do cat "${f%.go}.go"; done
find src docs -name '*.go' | while read -r f; do head -5 "$f"; done
find . -type f -print0 | while IFS= read -r -d '' f; do wc -l "$f"; done
find . -type f | while read f; do sort "$f"; done
grep -l x *.txt *.md | while IFS= read -r f; do wc -l "$f"; done
grep -l x *.txt | xargs wc -l
ls | xargs wc -l
ls | while read f; do head -2 "$f"; done
ls -1 | head -3 | while read -r f; do [ -f "$f" ] && wc -l "$f"; done
rg -l x src | while read -r f; do grep -H x "$f"; done
DIR=src; ls $DIR; grep -rn x "$DIR"
for F in src/a.go README.md; do wc -l "$F"; done
rg x *.txt
sort *
diff *.md *.txt`
	refusedLines = `find . -exec sh -c 'touch pwned' \;
find . -exec awk {} \;
find . -exec sed {} data.txt \;
find . -exec uniq {} +
find . -exec sort -o pwned {} \;
find . -exec ./{} \;
find . -exec {} \;
find . -exec git log {} \;
find .. -exec cat {} \;
find . -exec cat {} +
find . | xargs cat
find deep | xargs -I{} cat {}
find . | xargs rm
find . | xargs sh -c 'cat'
find . -print0 | xargs cat
find . -printf '../out/secret.txt\n' | xargs cat
find src -exec echo ../out/secret.txt \; | xargs cat
find src 2>&1 | xargs cat
find src | (cd .. && xargs cat)
find src | sed s,src,../out, | xargs cat
find src | xargs uniq
ln -s ../out src/l && find src -exec cat {} +
ln -s ../out src/l; find src | xargs cat
x=a; x=../out/secret.txt; cat $x
x=src; read x < list0; cat "$x"
for f in a ../out/secret.txt; do cat "$f"; done
for x in src; do cat "$x"; x=../out/secret.txt; done
f=../out/secret.txt; cat "$f"
for f in flags/*; do grep x $f; done
cd flags && for f in *; do sort "$f"; done
cd flags && sort *
cd flags && ls | xargs sort
cd flags && rg x *
cd flags; sort *
cd flags && ls | while read f; do sort "$f"; done
touch -- -opwned && sort *
find . -exec sort *x {} +
for f in *x; do find . -exec sort "$f" {} +; done
find . | while read f; do cat "$f"; done
find . | while read -r f; do cat "$f"; done
find src | while read f; do cat $f; done
find src | while read f; do cat < "$f"; done
find src | while read f; do (cd .. && cat "$f"); done
find src | while IFS=. read f; do ls "$f"; done
find src | while read -d / f; do ls "$f"; done
find src | while read f; do f=..; ls "$f"; done
find src | while read f; do sort -o "$f" x; done
find src | while read f; do ls "$f"; touch src/x; done
find src -print0 | while read -r f; do ls "$f"; done
ls -a | while read f; do ls "$f"; done
ls .. | while read f; do ls "$f"; done
ls src | while read f; do ls "$f"; done
find 'x ..' | xargs ls
find 'x ..' | while read f; do ls "$f"; done
DIR=..; ls $DIR
X=src; X=../out; ls $X
X=-opwned; sort x $X
cd evil; git status
cd bare; git log`
)

// TestFoundNames runs lines that read what another command finds, in a project that
// somebody prepared: they change nothing, and read nothing outside.
func TestFoundNames(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	base := newBase(t, source{folder: "testdata"})
	for line := range strings.SplitSeq(foundLines, "\n") {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			for i, f := range []fixture{{}, planted()} {
				box := enclosure(t, base.grow(t, f, "proj"), policy.ModeDefault, patience)
				if !box.allows(t, line) {
					require.Positive(t, i, "it is asked about where nothing is odd")
					continue
				}
				wrong, printed := box.run(t, line)
				require.Empty(t, wrong, verdict(line, wrong, printed))
			}
		})
	}
	box := enclosure(t, base.grow(t, planted(), "proj"), policy.ModeDefault, patience)
	for line := range strings.SplitSeq(refusedLines, "\n") {
		require.False(t, box.allows(t, line), "%s", line)
	}
}
