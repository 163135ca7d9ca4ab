package pegboard_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestInvariant9ScheduleEqualsSerialRun plays random plans in every manner: each call ends as it
// does on paper, where one runs after the other.
func TestInvariant9ScheduleEqualsSerialRun(t *testing.T) {
	t.Parallel()
	manners := []manner{{name: "serially", serially: true}, {name: "together"}, {name: "elsewhere", far: true}, {name: "streamed", streams: true}}
	for seed := range effort.Of(t, uint64(100)) {
		p := draw(rand.New(rand.NewPCG(seed, 9)))
		want := foresee(p)
		for _, how := range manners {
			if how.serially && hasTwins(p) || how.far && hasScript(p) {
				continue
			}
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ":" + p.String() }
			bubble(t, what, func(t *testing.T) {
				t.Helper()
				s := play(t, p, 1+int(seed%5), how, nil)
				require.Len(t, s.outs, len(p))
				for i, o := range s.outs {
					want[i].check(t, o, what)
					for n, in := range want[i].inner {
						in.check(t, s.inner[o.Call.ID][n], what)
					}
				}
			})
		}
	}
}

// hasTwins says whether two calls have one id.
func hasTwins(p plan) bool {
	ids := map[string]bool{}
	for _, c := range p {
		ids[c.id] = true
	}
	return len(ids) < len(p)
}

func hasScript(p plan) bool {
	return slices.ContainsFunc(p, func(c planned) bool { return c.tool == "Script" })
}
