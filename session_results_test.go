package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func past(turn int, id string, size int) pegboard.HistoryResult {
	return pegboard.HistoryResult{CallID: id, Tool: "Tell", Turn: turn, Text: strings.Repeat("x", size-1) + "\n"}
}

func TestTrim(t *testing.T) {
	t.Parallel()
	limits := pegboard.ResultLimits{PerMessage: 50_000, KeepRecent: 20_000, MaskStep: 30_000, Preview: 100}
	fixed := past(1, "a", 40_000)
	fixed.Fixed = true
	pinned := past(1, "a", 40_000)
	pinned.Tool = "Skill"
	alias := pinned
	alias.Tool = "Ability"
	tests := []struct {
		name     string
		limits   pegboard.ResultLimits
		results  []pegboard.HistoryResult
		replaced string // the ids
	}{
		{name: "nothing"},
		{name: "within the budget", limits: limits, results: []pegboard.HistoryResult{past(1, "a", 25_000), past(1, "b", 25_000)}},
		{name: "the largest of a message", limits: limits, results: []pegboard.HistoryResult{past(1, "a", 20_000), past(1, "b", 21_000), past(1, "c", 20_000)}, replaced: "b"},
		{name: "never what made tools known", limits: limits, results: []pegboard.HistoryResult{fixed, past(1, "b", 20_000)}, replaced: "b"},
		{name: "never a pinned tool's", limits: limits, results: []pegboard.HistoryResult{pinned, past(1, "b", 20_000)}, replaced: "b"},
		{name: "nor under an alias", limits: limits, results: []pegboard.HistoryResult{alias, past(1, "b", 20_000)}, replaced: "b"},
		{name: "no budget", limits: pegboard.ResultLimits{PerMessage: -1, KeepRecent: -1}, results: []pegboard.HistoryResult{past(1, "a", 9_000_000), past(2, "b", 9_000_000), past(3, "c", 1)}},
		{name: "old ones, many at once", limits: limits, results: []pegboard.HistoryResult{past(1, "a", 15_000), past(2, "b", 16_000), past(3, "c", 15_000), past(4, "d", 15_000)}, replaced: "ab"},
		{name: "too few to be worth it", limits: limits, results: []pegboard.HistoryResult{past(1, "a", 15_000), past(2, "b", 15_000), past(3, "c", 15_000)}},
		{name: "short ones are left alone", limits: limits, results: []pegboard.HistoryResult{past(1, "a", 600), past(2, "b", 45_000), past(3, "c", 15_000), past(4, "d", 15_000)}, replaced: "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := dirStore(t, pegboard.DirOptions{})
			s := session(t, pegboard.SessionConfig{Results: store, Limits: tt.limits})
			registryOf(t, inert("Skill", "Ability")).AssemblePool(s, pegboard.PoolConfig{})
			texts := s.TrimResults(t.Context(), tt.results)
			require.Len(t, texts, len(tt.results))
			replaced := ""
			for i, text := range texts {
				if text == "" {
					continue
				}
				replaced += tt.results[i].CallID
				require.Less(t, len(text), 1_100)
				require.Contains(t, text, fmt.Sprintf("%d bytes, 1 line", len(tt.results[i].Text)))
				require.Contains(t, text, store.Dir())
			}
			require.Equal(t, tt.replaced, replaced)
			require.Len(t, files(t, store), len(tt.replaced))
		})
	}
}

// TestTrimmedResultsCanBeOpened: a user interface shows what the model is not sent any more.
func TestTrimmedResultsCanBeOpened(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store, Limits: pegboard.ResultLimits{PerMessage: 50_000, KeepRecent: 20_000, MaskStep: 30_000, Preview: 100}})
	require.Empty(t, s.TrimmedResults())
	history := []pegboard.HistoryResult{past(1, "a", 20_000), past(1, "b", 21_000), past(1, "c", 20_000)}
	s.TrimResults(t.Context(), history)
	s.TrimResults(t.Context(), history)
	s.TrimResults(t.Context(), append(history, past(2, "d", 10_000), past(3, "e", 15_000)))
	got := map[string]bool{}
	for _, r := range s.TrimmedResults() {
		f, err := store.Open(t.Context(), r.Ref)
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Len(t, text, r.Size)
		got[fmt.Sprint(r.CallID, r.Size)] = r.Masked
	}
	require.Equal(t, map[string]bool{"b21000": false, "a20000": true, "c20000": true}, got)
	require.Len(t, s.TrimmedResults(), 3)
	f, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	require.Equal(t, s.TrimmedResults(), f.TrimmedResults())
	require.NoError(t, f.Close(context.Background()))
}

func TestTrimSaysWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: brokenStore{}, Limits: pegboard.ResultLimits{PerMessage: 1_000}})
	text := s.TrimResults(t.Context(), []pegboard.HistoryResult{past(1, "a", 40_000)})[0]
	require.Contains(t, text, "it could not be stored")
}

// TestTrimDoesNotStoreWhatCanBeReadAgain, such as parts of a stored result.
func TestTrimDoesNotStoreWhatCanBeReadAgain(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store, Limits: pegboard.ResultLimits{PerMessage: 1_000}})
	page := past(1, "a", 40_000)
	page.Tool = "Read"
	require.Contains(t, s.TrimResults(t.Context(), []pegboard.HistoryResult{page})[0], "call Read again to see it")
	require.Empty(t, files(t, store))
	require.Equal(t, []pegboard.TrimmedResult{{CallID: "a", Tool: "Read", Size: 40_000}}, s.TrimmedResults())
}

func TestTrimStateMustBeReadable(t *testing.T) {
	t.Parallel()
	_, err := pegboard.NewSession(pegboard.SessionConfig{TrimState: []byte(`{"version":99}`)})
	require.ErrorContains(t, err, "TrimState")
}

// conversation is a history of results that grows, and what went out of it.
type conversation struct {
	session *pegboard.Session
	results []pegboard.HistoryResult
	turn    int
	sent    map[string]string // by id: the text that took the place of the result last time, or ""
}

// grow adds a turn and sends all.
func (c *conversation) grow(t testing.TB, random *rand.Rand, name string) {
	c.turn++
	for i := range 1 + random.IntN(4) {
		c.results = append(c.results, past(c.turn, fmt.Sprint(name, c.turn, "_", i), 1+random.IntN(30_000)))
	}
	c.send(t)
}

// send fails if a result that went out before goes out otherwise, unless it went out
// whole and is masked now.
func (c *conversation) send(t testing.TB) {
	t.Helper()
	for i, text := range c.session.TrimResults(t.Context(), c.results) {
		id := c.results[i].CallID
		before, known := c.sent[id]
		if known && (before != "" || !strings.Contains(text, "Old result")) {
			require.Equal(t, before, text, id)
		}
		c.sent[id] = text
	}
}

// same fails if c would send other bytes in another session.
func (c *conversation) same(t testing.TB, other *pegboard.Session) {
	t.Helper()
	for i, text := range other.TrimResults(t.Context(), c.results) {
		require.Equal(t, c.sent[c.results[i].CallID], text)
	}
}

// TestInvariant12WhatWasSentStays lets conversations grow, fork, be left and resumed,
// from the state that was saved and from the transcript alone, and be compacted.
func TestInvariant12WhatWasSentStays(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(12, seed))
			cfg := pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Limits: pegboard.ResultLimits{PerMessage: 40_000, KeepRecent: 60_000, MaskStep: 50_000}}
			c := &conversation{session: session(t, cfg), sent: map[string]string{}}
			compacted := false
			for range 40 {
				switch random.IntN(8) {
				case 0: // left and resumed
					cfg := cfg
					cfg.TrimState = c.session.TrimState()
					c.session = session(t, cfg)
					c.send(t)
				case 1: // resumed from its transcript
					if !compacted {
						c.session = session(t, cfg)
						c.same(t, c.session)
					}
				case 2:
					fork, err := c.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: fmt.Sprint(random.Uint32())})
					require.NoError(t, err)
					f := &conversation{session: fork, results: slices.Clone(c.results), turn: c.turn, sent: maps.Clone(c.sent)}
					f.grow(t, random, "fork")
				case 3: // compacted
					if n := len(c.results); n > 20 && random.IntN(4) == 0 {
						c.results, compacted = c.results[n/2:], true
						c.same(t, c.session)
					}
				default:
					c.grow(t, random, "r")
				}
			}
		})
	}
}

// When TrimResults is cancelled, the note that a result could not be stored is not
// remembered.
func TestCancelledTrimIsNotRemembered(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Limits: pegboard.ResultLimits{PerMessage: 1_000}})
	history := []pegboard.HistoryResult{past(1, "a", 40_000)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.TrimResults(ctx, history)
	require.NotContains(t, s.TrimResults(t.Context(), history)[0], "could not be stored")
}

func TestReplacedResultIsShorter(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Limits: pegboard.ResultLimits{Preview: 100, KeepRecent: 1_000, MaskStep: 1}})
	history := []pegboard.HistoryResult{past(1, "a", 650), past(2, "b", 900), past(3, "c", 900)}
	text := s.TrimResults(t.Context(), history)[0]
	require.LessOrEqual(t, len(text), 650)
}

// With hostile and repeated ids, texts of all kinds and random limits, the bytes stay
// the same in the session, in a fork, with TrimState, and from the transcript with the
// directory opened anew.
func TestTrimmedBytesStayForAnyHistory(t *testing.T) {
	t.Parallel()
	ids := []string{"", "", "../../x", "a/b", "con", "\xff\xfe", "\xff", "ä", strings.Repeat("z", 500), "call", "CALL"}
	for seed := range effort.Of(t, uint64(60)) {
		rnd := rand.New(rand.NewPCG(seed, 99))
		root := t.TempDir()
		limits := pegboard.ResultLimits{PerMessage: 1 + rnd.IntN(40_000), KeepRecent: 1 + rnd.IntN(60_000), MaskStep: 1 + rnd.IntN(50_000), Preview: rnd.IntN(3_000)}
		if rnd.IntN(5) == 0 {
			limits.Preview = -1
		}
		open := func(state json.RawMessage) *pegboard.Session {
			store, err := pegboard.NewDirStore(root, "s1", pegboard.DirOptions{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			return session(t, pegboard.SessionConfig{Results: store, Limits: limits, TrimState: state})
		}
		text := func() string {
			n := 1 + rnd.IntN(15_000)
			switch rnd.IntN(5) {
			case 0:
				return strings.Repeat("😀", n/4+1)
			case 1:
				return strings.Repeat("\xff\xfe\x00a", n/4+1)
			case 2:
				b, _ := json.Marshal(strings.Split(strings.Repeat("item ", n/5+1), " "))
				return string(b)
			case 3:
				return strings.Repeat("line\r\n", n/6+1)
			}
			return strings.Repeat("x", n)
		}
		s := open(nil)
		var history []pegboard.HistoryResult
		var sent []string
		for turn := range 25 {
			for range 1 + rnd.IntN(4) {
				id := fmt.Sprint("id", rnd.IntN(1000))
				if rnd.IntN(3) == 0 {
					id = ids[rnd.IntN(len(ids))]
				}
				history = append(history, pegboard.HistoryResult{CallID: id, Tool: []string{"Tell", "Read", "Skill", ""}[rnd.IntN(4)], Turn: turn, Text: text(), Fixed: rnd.IntN(10) == 0})
			}
			now := s.TrimResults(t.Context(), history)
			for i, text := range now {
				require.True(t, utf8.ValidString(text))
				if text != "" {
					require.NotContains(t, text, "could not be stored")
					small := limits.Preview < 500 && limits.Preview != 0 // see TestReplacedResultIsShorter
					require.True(t, small || utf8.RuneCountInString(text) < utf8.RuneCountInString(history[i].Text), "seed %d preview %d: a stand-in that is no shorter: %.200q", seed, limits.Preview, text)
				}
				if i < len(sent) && (sent[i] != "" || !strings.Contains(text, "Old result")) {
					require.Equal(t, sent[i], text, "seed %d turn %d result %d", seed, turn, i)
				}
			}
			sent = now
			if rnd.IntN(4) == 0 {
				require.Equal(t, sent, open(nil).TrimResults(t.Context(), history), "from the transcript")
				other := open(s.TrimState())
				require.Equal(t, sent, other.TrimResults(t.Context(), history), "from the state")
				require.Equal(t, string(s.TrimState()), string(other.TrimState()))
				fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: fmt.Sprint(turn)})
				require.NoError(t, err)
				var both sync.WaitGroup
				both.Go(func() { fork.TrimResults(t.Context(), history) })
				both.Go(func() { s.TrimResults(t.Context(), history) })
				both.Wait()
				require.Equal(t, sent, fork.TrimResults(t.Context(), history), "a fork")
			}
		}
	}
}
