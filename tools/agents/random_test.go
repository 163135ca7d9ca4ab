package agents_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestRandomEnds: agents of all kinds start, move, end, panic and are stopped in random order.
// Each call has one outcome and each end in the background is told once; after Close nothing
// runs, and no goroutine is left, which the bubble would report.
func TestRandomEnds(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(200)) {
		synctest.Test(t, func(t *testing.T) { playRandomly(t, seed) })
	}
}

func playRandomly(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 22))
	h := newHouse(t, pegboard.SessionConfig{}, randomLoop(seed), func(o *agents.Options) { o.MaxRunning = 64 }, look())
	var answers []chan pegboard.Outcome
	var told []string
	ctx, cancel := context.WithCancel(t.Context())
	launched := map[string]bool{}
	for i := range 12 {
		switch answer := make(chan pegboard.Outcome, 1); r.IntN(6) {
		case 0, 1:
			c := agentCall(t, map[string]any{"prompt": fmt.Sprint(r.IntN(5)), "run_in_background": true})
			answer <- h.run(ctx, c)[0]
			answers = append(answers, answer)
		case 2, 3:
			c := agentCall(t, map[string]any{"prompt": fmt.Sprint(r.IntN(5)), "name": fmt.Sprintf("a%d", i)})
			go func() { answer <- h.run(ctx, c)[0] }()
			answers = append(answers, answer)
		case 4:
			h.agents.ToBackground(h.session)
		case 5:
			if list := h.agents.List(h.session); len(list) > 0 {
				_ = h.agents.Stop(h.session, list[r.IntN(len(list))].ID) // it may have ended
			}
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
		told = append(told, news(h.session)...)
	}
	if r.IntN(2) == 0 {
		cancel()
	}
	time.Sleep(time.Hour)
	told = append(told, news(h.session)...)
	cancel()
	for _, answer := range answers {
		out := <-answer
		if data := resultOrNone(out); data.Status == agents.StatusLaunched {
			require.False(t, launched[data.TaskID])
			launched[data.TaskID] = true
		}
	}
	for id := range launched {
		n := 0
		for _, text := range told {
			if strings.HasPrefix(text, "Background task "+id+" ") {
				n++
			}
		}
		require.Equal(t, 1, n, "seed %d: task %s in %q", seed, id, told)
	}
	require.Len(t, told, len(launched))
	require.NoError(t, h.session.Close(t.Context()))
	for _, s := range h.agents.List(h.session) {
		require.NotEqual(t, agents.Running, s.State)
	}
}

// randomLoop returns a loop that ends as its task says.
func randomLoop(seed uint64) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		task, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		switch task[len(task)-1].Text {
		case "0":
			panic("boom")
		case "1":
			time.Sleep(10 * time.Second) // whatever its context says
			return agents.Reply{Text: "late"}, nil
		case "2":
			select {
			case <-time.After(30 * time.Minute):
			case <-ctx.Done():
			}
			return agents.Reply{}, context.Cause(ctx)
		}
		select {
		case <-time.After(time.Duration(seed%7) * time.Second):
			return agents.Reply{Text: "done"}, nil
		case <-ctx.Done():
			return agents.Reply{}, context.Cause(ctx)
		}
	}
}

func resultOrNone(out pegboard.Outcome) agents.Result {
	r, _ := out.Result.Data.(agents.Result)
	return r
}
