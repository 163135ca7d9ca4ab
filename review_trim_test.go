package pegboard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// Hostile and repeated ids, texts of all kinds, failing limits: the bytes stay in the same
// session, in a fork, with TrimState, and from the transcript with the directory opened anew.
func TestReviewTrimRandom(t *testing.T) {
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
					small := limits.Preview < 500 && limits.Preview != 0 // see TestReviewStandInsAreShorter
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

func TestReviewStandInsAreShorter(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Limits: pegboard.ResultLimits{Preview: 100, KeepRecent: 1_000, MaskStep: 1}})
	history := []pegboard.HistoryResult{past(1, "a", 650), past(2, "b", 900), past(3, "c", 900)}
	text := s.TrimResults(t.Context(), history)[0]
	require.LessOrEqual(t, len(text), 650)
}
