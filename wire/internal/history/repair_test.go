package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

func TestRepair(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		in      string // see parse
		want    string // empty: unchanged
		repairs []string
	}{
		{name: "nothing"},
		{name: "in order", in: "U hi|M L t +a +b|U -a -b|M t +c|U -c more|M bye"},
		{name: "no calls", in: "U hi|U there|M t|M L|U|M"},
		{name: "results answer each message", in: "M +a|U -a|M +b|U -b|U more"},
		{name: "other roles are not looked at", in: "O +a -b|M t|O -a"},

		{name: "missing, then content", in: "M +a|U t", want: "M +a|U ?a t", repairs: []string{"0 missing result a"}},
		{name: "missing among others", in: "M +a +b +c|U -a -c", want: "M +a +b +c|U -a ?b -c", repairs: []string{"0 missing result b"}},
		{name: "missing at the end", in: "U hi|M +a +b", want: "U hi|M +a +b|U ?a ?b", repairs: []string{"1 missing result a", "1 missing result b"}},
		{name: "missing before the model goes on", in: "M +a|M t", want: "M +a|U ?a|M t", repairs: []string{"0 missing result a"}},
		{name: "missing before another role", in: "M +a|O|U t", want: "M +a|U ?a|O|U t", repairs: []string{"0 missing result a"}},
		{name: "missing before an empty message", in: "M +a|U", want: "M +a|U ?a", repairs: []string{"0 missing result a"}},

		{name: "order of the calls", in: "M +a +b +c|U -c -a -b", want: "M +a +b +c|U -a -b -c",
			repairs: []string{"1 misplaced result a", "1 misplaced result b", "1 misplaced result c"}},
		{name: "after content", in: "M +a +b|U -a t -b", want: "M +a +b|U -a -b t", repairs: []string{"1 misplaced result b"}},
		{name: "in several messages", in: "M +a +b +c|U -b|U -a|U -c t", want: "M +a +b +c|U -a -b -c|U t",
			repairs: []string{"2 misplaced result a", "2 empty message", "3 misplaced result c"}},
		{name: "late", in: "M +a|U t|M u|U -a v", want: "M +a|U -a t|M u|U v", repairs: []string{"3 misplaced result a"}},
		{name: "behind another role", in: "M +a|O|U -a", want: "M +a|U -a|O", repairs: []string{"2 misplaced result a", "2 empty message"}},
		{name: "too early", in: "U -a|M +a", want: "M +a|U -a", repairs: []string{"0 misplaced result a", "0 empty message"}},
		{name: "said by the model", in: "M +a -a t", want: "M +a t|U -a", repairs: []string{"0 misplaced result a"}},

		{name: "stray results", in: "U -a t|M u|U -b|M v", want: "U t|M u|M v", repairs: []string{"0 stray result a", "2 stray result b", "2 empty message"}},
		{name: "result without id", in: "M +a|U -a -", want: "M +a|U -a", repairs: []string{"1 stray result "}},
		{name: "result of a call of another role", in: "O +a|U -a t", want: "O +a|U t", repairs: []string{"1 stray result a"}},
		{name: "second result", in: "M +a|U -a:1 -a:2|U -a:3 t", want: "M +a|U -a:1|U t", repairs: []string{"1 duplicate result a", "2 duplicate result a"}},
		{name: "second result is in place", in: "U -a:1|M +a|U -a:2", want: "M +a|U -a:1",
			repairs: []string{"0 misplaced result a", "0 empty message", "2 duplicate result a"}},

		{name: "second call in the message", in: "M +a:1 +a:2|U -a:1 -a:2", want: "M +a:1|U -a:1", repairs: []string{"0 duplicate call a", "1 duplicate result a"}},
		{name: "second call later", in: "M +a:1|U -a:1|M t +a:2|U -a:2 u", want: "M +a:1|U -a:1|M t|U u", repairs: []string{"2 duplicate call a", "3 duplicate result a"}},
		{name: "second call has the only result", in: "M +a:1|M +a:2|U -a", want: "M +a:1|U -a", repairs: []string{"1 duplicate call a", "1 empty message"}},
		{name: "thinking goes with the call", in: "M +a:1|U -a|M L L +a:2|U t", want: "M +a:1|U -a|U t", repairs: []string{"2 duplicate call a", "2 empty message"}},
		{name: "thinking stays before content", in: "M +a:1|U -a|M L t L +a:2", want: "M +a:1|U -a|M L t", repairs: []string{"2 duplicate call a"}},
		{name: "call without id", in: "M t +|U -", want: "M t", repairs: []string{"0 stray call ", "1 stray result ", "1 empty message"}},
		{name: "only a call without id", in: "M +", want: "", repairs: []string{"0 stray call ", "0 empty message"}},
		{name: "call of the user", in: "U +a -a t|M +b|U -b", want: "U t|M +b|U -b", repairs: []string{"0 stray result a", "0 stray call a"}},
		{name: "user before the model", in: "U +a t|M +a|U -a", want: "U t|M +a|U -a", repairs: []string{"0 stray call a"}},

		{name: "split", in: "M L|M t +a|M +b|M u|U -b -a", want: "M L|M t +a +b u|U -a -b",
			repairs: []string{"2 split message", "3 split message", "4 misplaced result a", "4 misplaced result b"}},
		{name: "split, results too", in: "M +a|M +b|U -a|U -b", want: "M +a +b|U -a -b",
			repairs: []string{"1 split message", "3 misplaced result b", "3 empty message"}},
		{name: "split with one result", in: "M +a|M +b|U -a", want: "M +a +b|U -a ?b", repairs: []string{"1 missing result b", "1 split message"}},
		{name: "not split: interrupted, then resumed", in: "M +a|M +b|U -b", want: "M +a|U ?a|M +b|U -b", repairs: []string{"0 missing result a"}},
		{name: "not split: the result came before", in: "U t -a|M +a|M +b|U -b", want: "U t|M +a|U -a|M +b|U -b", repairs: []string{"0 misplaced result a"}},
		{name: "not split: the result came later", in: "M +a|M +b|U -b|M t|U -a", want: "M +a|U -a|M +b|U -b|M t",
			repairs: []string{"4 misplaced result a", "4 empty message"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := parse(tt.in)
			if tt.want == "" && tt.repairs == nil {
				tt.want = tt.in
			}
			turns, repairs := history.Repair(in.view, false)
			require.Equal(t, tt.want, in.apply(turns).String())
			require.Equal(t, tt.repairs, written(repairs))
			require.Equal(t, parse(tt.in), in, "the input was changed")
			requireRepaired(t, in)
		})
	}
}

func TestRepairSaysWhatChanged(t *testing.T) {
	t.Parallel()
	in := parse("U hi|M +a +b|U -b|O|M t|U -a u")
	turns, _ := history.Repair(in.view, false)
	var changed []int
	for _, turn := range turns {
		if turn.Changed {
			changed = append(changed, turn.Message)
		}
	}
	require.Equal(t, []int{2, 5}, changed)
}

// TestRepairAnything takes conversations apart at random.
func TestRepairAnything(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(5000)) {
		random := rand.New(rand.NewPCG(9, seed))
		in := orderly(random)
		turns, repairs := history.Repair(in.view, false)
		require.Empty(t, repairs, "seed %d: %v", seed, in)
		require.Equal(t, in.String(), in.apply(turns).String(), "seed %d", seed)
		for range 1 + random.IntN(6) {
			in = in.disturb(random)
		}
		requireRepaired(t, in)
	}
}

func FuzzRepair(f *testing.F) {
	f.Add("U hi|M L t +a +b|U -b|U -a t|M +a|O|U -a")
	f.Add("M +|U -|O -a|M +a|M +b|U -a -b|U -a")
	f.Fuzz(func(t *testing.T, s string) { requireRepaired(t, parse(s)) })
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	require.Contains(t, history.Answer("clock"), "no result of clock: ")
	require.Contains(t, history.Answer(""), "no result of this call: ")
}

// requireRepaired checks all that Repair promises of any conversation.
func requireRepaired(t *testing.T, in conversation) {
	t.Helper()
	turns, repairs := history.Repair(in.view, false)
	out := in.apply(turns)
	require.Empty(t, faults(out), "%v\nbecame\n%v", in, out)
	require.Equal(t, len(faults(in)) == 0, len(repairs) == 0, "%v\nbecame\n%v\nby %v", in, out, repairs)
	requireKept(t, in, out)

	again, more := history.Repair(out.view, false)
	require.Empty(t, more, "%v\nwas not mended for good:\n%v", in, out)
	require.Equal(t, out.String(), out.apply(again).String())
	for i, turn := range again {
		require.False(t, turn.Changed, "turn %d of %v", i, out)
	}
	repeated, same := history.Repair(in.view, false)
	require.Equal(t, turns, repeated)
	require.Equal(t, repairs, same)
	require.True(t, slices.IsSortedFunc(repairs, func(a, b wire.Repair) int { return a.Message - b.Message }))
}

// faults lists what is wrong with the calls and results of a conversation, by the
// rules of the API and not by the way that Mend works.
func faults(c conversation) (all []string) {
	used := map[string]bool{}
	var due []string // the calls of the message before
	for i, m := range c.view {
		fault := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("%d: ", i)+fmt.Sprintf(format, args...))
		}
		if m.Role == history.Other {
			m.Blocks = nil
		}
		var calls, results []string
		for j, b := range m.Blocks {
			switch b.Kind {
			case history.Call:
				if b.ID == "" || used[b.ID] || m.Role != history.Model {
					fault("call %q", b.ID)
				}
				used[b.ID] = true
				calls = append(calls, b.ID)
			case history.Result:
				if len(results) != j || m.Role != history.User {
					fault("result %q in the wrong place", b.ID)
				}
				results = append(results, b.ID)
			}
		}
		if !slices.Equal(due, results) {
			fault("results %v for the calls %v", results, due)
		}
		due = calls
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no results for %v", due))
	}
	return all
}

// requireKept checks that nothing is lost or made up: all content in order, the
// first call and the first result of each id, and an answer to each other call.
func requireKept(t *testing.T, in, out conversation) {
	t.Helper()
	want, got := in.inventory(), out.inventory()
	require.Equal(t, want.content, got.content, "%v\nbecame\n%v", in, out)
	require.Equal(t, want.calls, got.calls, "%v\nbecame\n%v", in, out)
	require.Subset(t, want.leads, got.leads, "%v\nbecame\n%v", in, out)
	require.Subset(t, got.leads, want.heldLeads, "%v\nbecame\n%v", in, out)
	for id := range got.calls {
		result, ok := want.results[id]
		if !ok {
			result = "?" + id
		}
		require.Equal(t, result, got.results[id], "%v\nbecame\n%v", in, out)
	}
}

type inventory struct {
	content        []string
	leads          []string
	heldLeads      []string          // those that content follows, or that end nothing of the model
	calls, results map[string]string // the first token of each id
}

func (c conversation) inventory() inventory {
	n := inventory{calls: map[string]string{}, results: map[string]string{}}
	add := func(m map[string]string, id, token string) {
		if _, ok := m[id]; !ok {
			m[id] = token
		}
	}
	for i, m := range c.view {
		for j, b := range m.Blocks {
			token := c.tokens[i][j]
			switch {
			case m.Role == history.Other, b.Kind == history.Content:
				n.content = append(n.content, token)
			case b.Kind == history.Lead:
				n.leads = append(n.leads, token)
				if m.Role == history.User || slices.Contains(m.Blocks[j:], history.Block{Kind: history.Content}) {
					n.heldLeads = append(n.heldLeads, token)
				}
			case b.Kind == history.Call && m.Role == history.Model && b.ID != "":
				add(n.calls, b.ID, token)
			case b.Kind == history.Result:
				add(n.results, b.ID, token)
			}
		}
	}
	return n
}

func written(repairs []wire.Repair) (all []string) {
	for _, r := range repairs {
		s := fmt.Sprintf("%d %v", r.Message, r.Kind)
		if !strings.HasSuffix(s, "message") {
			s += " " + r.CallID
		}
		all = append(all, s)
	}
	return all
}

// TestRepairLeavesSuspendedCalls: the calls of the last turn wait, those before are repaired.
func TestRepairLeavesSuspendedCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		in      string // see parse
		want    string // empty: unchanged
		repairs []string
	}{
		{name: "the last message", in: "U hi|M t +a +b", repairs: []string{"1 suspended call a", "1 suspended call b"}},
		{name: "the user speaks meanwhile", in: "M +a|U t", repairs: []string{"0 suspended call a"}},
		{name: "a turn of several messages", in: "U|M +a|M +b|M t", repairs: []string{"1 suspended call a", "2 suspended call b"}},
		{name: "a turn before", in: "M +a|U t|M +b", want: "M +a|U ?a t|M +b", repairs: []string{"0 missing result a", "2 suspended call b"}},
		{name: "some have results", in: "M +a +b|U -b", repairs: []string{"0 suspended call a"}},
		{name: "all have results", in: "M +a|U -a|M t|U u"},
		{name: "no calls", in: "U t|M u"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := parse(tt.in)
			if tt.want == "" {
				tt.want = tt.in
			}
			turns, repairs := history.Repair(in.view, true)
			require.Equal(t, tt.want, in.apply(turns).String())
			require.Equal(t, tt.repairs, written(repairs))
		})
	}
}
