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
