package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// The tests of the files model_* compare the executor with a model of it.
//
// A plan (model_plan_test.go) is a random message. The input of each call says what its
// tool does, and what hooks, rules and the user do about it; model_world_test.go has the
// tools, hooks and answers that keep to it. A scene (model_scene_test.go) plays a plan on
// a fake clock: in one batch, call by call, with every call sent elsewhere by Invoke, or
// as a stream.
//
// Three things are compared. The outcome of every call, with its stage, error, text and
// repair, is the one that the reference (model_reference_test.go) foresees, which takes
// the calls one after the other and shares no code with the executor. No two calls run at
// once whose targets conflict. The events of every call tell one story, from admitted to
// finished, and outcomes and admissions stand in the order of the message.
//
// model_cut_test.go ends a plan after each of its events in turn, by every cause there is,
// and expects each call to end as foreseen or by that cause. model_stream_test.go drives a
// stream by random bytes and compares only what holds for every plan.

// TestInvariant9ScheduleEqualsSerialRun plays random plans in every manner: each call
// ends as it does in the reference.
func TestInvariant9ScheduleEqualsSerialRun(t *testing.T) {
	t.Parallel()
	manners := []manner{{name: "serially", serially: true}, {name: "together"}, {name: "elsewhere", far: true}, {name: "streamed", streams: true}}
	for seed := range effort.Of(t, uint64(100)) {
		p := draw(rand.New(rand.NewPCG(seed, 9)))
		for _, how := range manners {
			if how.serially && hasTwins(p) || how.far && hasScript(p) {
				continue
			}
			want := foresee(p, how.serially)
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

// TestSameCallsEndAsIfEachHadRun plays random plans with tools that compare their calls, and
// with tools that do not. Only the texts of calls that were not run again differ.
func TestSameCallsEndAsIfEachHadRun(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		p := draw(rand.New(rand.NewPCG(seed, 10)))
		for _, streams := range []bool{false, true} {
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ":" + p.String() }
			var once, each []pegboard.Outcome
			bubble(t, what, func(t *testing.T) { t.Helper(); once = play(t, p, 0, manner{streams: streams}, nil).outs })
			bubble(t, what, func(t *testing.T) { t.Helper(); each = play(t, p, 0, manner{streams: streams, each: true}, nil).outs })
			for i, o := range once {
				require.Nil(t, each[i].SameAs, what())
				require.Equal(t, each[i].Result.IsError, o.Result.IsError, "%s\n%s", o.Call.ID, what())
				require.Equal(t, fmt.Sprint(each[i].Err), fmt.Sprint(o.Err), "%s\n%s", o.Call.ID, what())
				if o.SameAs == nil {
					require.Equal(t, each[i].Result.Text(), o.Result.Text(), "%s\n%s", o.Call.ID, what())
				}
			}
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
