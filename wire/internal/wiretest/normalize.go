package wiretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A NormalizeCase is a conversation and what becomes of it.
type NormalizeCase struct {
	Name    string
	In      []string
	Want    []string // without Repairs: the same
	Repairs []wire.Repair
}

// RunNormalize repairs the conversations of tests, some that hold what is no message, and random
// ones that are taken apart.
func RunNormalize(t *testing.T, w Wire, tests []NormalizeCase) {
	t.Helper()
	t.Parallel()
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			if tt.Repairs == nil {
				tt.Want = tt.In
			}
			in := Messages(tt.In...)
			got, repairs := w.Zero.Normalize(in)
			require.Equal(t, strings.Join(tt.Want, "\n"), strings.Join(Strings(got), "\n"))
			require.Equal(t, tt.Repairs, repairs)
			require.Equal(t, tt.In, Strings(in), "the history was changed")
			w.requireNormal(t, in)
		})
	}
	t.Run("what is no message", func(t *testing.T) {
		t.Parallel()
		call, missing := w.Model(w.Call("a", "clock", "{}")), w.User(w.Missing("a", "clock"))
		for _, odd := range append([]string{``, `null`, `[]`, `"user"`, `{`, w.Hello + w.Hello, `{"role":7}`}, w.Odd...) {
			got, repairs := w.Zero.Normalize(words([]string{w.Hello, odd}, call, []string{odd}))
			require.Equal(t, Strings(words([]string{w.Hello, odd}, call, missing, []string{odd})), Strings(got))
			for i := range repairs {
				repairs[i].Name = ""
			}
			require.Equal(t, []wire.Repair{{Kind: wire.UnreadableMessage, Message: 1}, {Kind: wire.MissingResult, CallID: "a", Message: 2}, {Kind: wire.UnreadableMessage, Message: 3}}, repairs)
		}
	})
	t.Run("suspended", func(t *testing.T) {
		t.Parallel()
		w.requireSuspended(t)
	})
	t.Run("at random", func(t *testing.T) {
		t.Parallel()
		for seed := range effort.Of(t, uint64(1000)) {
			random := rand.New(rand.NewPCG(22, seed))
			conversation := w.Random(random)
			w.requireSound(t, w.Zero, render(conversation))
			for range 1 + random.IntN(5) {
				conversation = disturb(random, conversation)
			}
			w.requireNormal(t, render(conversation))
		}
	})
}

// requireSuspended answers nothing while a call waits, and then the message as a whole.
func (w Wire) requireSuspended(t *testing.T) {
	t.Helper()
	codec := w.NewSuspended(Pool(t, Plain(t, "edit", "", AnyObject)))
	_, m, err := Read(codec, strings.NewReader(w.Reply(w.Call("a", "edit", "{}"), w.Call("b", "edit", "{}"))))
	require.NoError(t, err)
	ran, waits := Outcome("a", Text("done")), Outcome("b", Text("it waits"))
	waits.Err = &pegboard.CallError{Err: fmt.Errorf("%w: question 1", pegboard.ErrSuspended)}
	require.Nil(t, codec.Results(m, []pegboard.Outcome{ran, waits}))
	normalized, repairs := codec.Normalize(m.History)
	require.Equal(t, Strings(m.History), Strings(normalized))
	require.Len(t, repairs, 2)
	for i, r := range repairs {
		require.Equal(t, wire.SuspendedCall, r.Kind)
		require.Equal(t, m.Calls[i].ID, r.CallID)
	}
	_, repairs = w.Zero.Normalize(m.History)
	require.Equal(t, wire.MissingResult, repairs[0].Kind)
	waits.Err = nil
	w.requireSound(t, codec, append(m.History, codec.Results(m, []pegboard.Outcome{ran, waits})...))
}

// FuzzNormalize takes a message from each line.
func FuzzNormalize(f *testing.F, w Wire, seeds ...[]string) {
	f.Helper()
	for _, lines := range seeds {
		f.Add(strings.Join(lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, s string) { w.requireNormal(t, Messages(strings.Split(s, "\n")...)) })
}

// requireSound checks that Normalize finds nothing to repair.
func (w Wire) requireSound(t testing.TB, codec wire.Codec, messages []json.RawMessage) {
	t.Helper()
	got, repairs := codec.Normalize(messages)
	require.Empty(t, repairs)
	require.Equal(t, Strings(messages), Strings(got))
	require.Empty(t, w.Faults(t, got))
}

// requireNormal checks all that Normalize promises of any history.
func (w Wire) requireNormal(t testing.TB, in []json.RawMessage) {
	t.Helper()
	out, repairs := w.Zero.Normalize(in)
	for _, r := range repairs {
		require.True(t, r.Message >= 0 && r.Message < len(in), "%v", r)
		if r.CallID != "" && w.IDs != nil {
			require.Contains(t, w.IDs(in[r.Message]), r.CallID, "%v of %s", r, in)
		}
	}
	unreadable := slices.ContainsFunc(repairs, func(r wire.Repair) bool { return r.Kind == wire.UnreadableMessage })
	if !unreadable && (w.Elsewhere == nil || !slices.ContainsFunc(in, w.Elsewhere)) {
		require.Empty(t, w.Faults(t, out), "%s\nbecame\n%s", in, out)
		require.Equal(t, len(w.Faults(t, in)) == 0, len(repairs) == 0, "%s: %v", in, repairs)
		w.requireSameBlocks(t, in, out, repairs)
	}
	if len(repairs) == 0 {
		require.Equal(t, Strings(in), Strings(out))
	}
	again, more := w.Zero.Normalize(out)
	require.Equal(t, Strings(out), Strings(again), "%s\nbecame\n%s\nwhich was not normal: %v", in, out, more)
	for _, r := range more {
		require.Equal(t, wire.UnreadableMessage, r.Kind)
	}
	repeated, same := w.Zero.Normalize(in)
	require.Equal(t, out, repeated)
	require.Equal(t, repairs, same)
}

// requireSameBlocks checks that the blocks of out are those of in, byte for byte and no more
// often, apart from one for each missing result, and that those that stay are all there.
func (w Wire) requireSameBlocks(t testing.TB, in, out []json.RawMessage, repairs []wire.Repair) {
	t.Helper()
	left := map[string]int{}
	for _, m := range in {
		for _, b := range w.Blocks(m) {
			left[string(b)]++
		}
	}
	made := 0
	for _, m := range out {
		for _, b := range w.Blocks(m) {
			if left[string(b)]--; left[string(b)] < 0 {
				made++
			}
		}
	}
	for _, r := range repairs {
		if r.Kind == wire.MissingResult {
			made--
		}
	}
	require.Zero(t, made, "%s\nbecame\n%s", in, out)
	for b, n := range left {
		require.False(t, n > 0 && w.Stays(b), "%s was lost", b)
	}
}
