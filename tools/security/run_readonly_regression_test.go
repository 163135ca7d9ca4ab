package security_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
)

// TestLinesThatOnceWrote: lines that were allowed as read-only and did more, found by
// generated lines and by reading the parser.
// A line may ask; if it does not, it must only read.
func TestLinesThatOnceWrote(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	base := newBase(t, source{folder: "testdata"})
	for _, line := range []string{
		"ls <data.txt >/dev/stdin", "ls <data.txt 2>/dev/stdin", "ls 1<data.txt >/dev/stdout", "ls 2<data.txt 2>/dev/stderr",
		"{ ls >/dev/stdout; } 1<data.txt", "for i in 1; do ls; done <data.txt >/dev/stdin", "ls 63<data.txt >/dev/fd/63",
		"cd deep && grep TOP *", "cd names && ls *", "cd zero && wc -l -*", "cd packed && xzcat *",
		"cd sums && md5sum *", "cd sums && sha256sum *", "cd sums && b2sum *",
		"cd tool && go version", "cd tool && go env GOROOT",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			box := enclosure(t, base.grow(t, planted(), "proj"), policy.ModeDefault, patience)
			if !box.allows(t, line) {
				return
			}
			wrong, printed := box.run(t, line)
			require.Empty(t, wrong, verdict(line, wrong, printed))
		})
	}
}
