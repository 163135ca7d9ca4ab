package background_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

var taskID = regexp.MustCompile(`Background task (\S+) `)

// A world is one conversation with much going on in it.
type world struct {
	t      *testing.T
	main   *pegboard.Session
	agents []*pegboard.Session

	mu      sync.Mutex
	added   map[string]bool // whether its end must be told to somebody
	heard   map[string]int  // how often it was
	waiting sync.WaitGroup  // work that goes on
}

// add starts work that ends by itself after a while, or when it is stopped.
func (w *world) add(r *rand.Rand) {
	by := w.agents[r.IntN(len(w.agents))]
	policy := background.Policy(r.IntN(3))
	takes := time.Duration(r.IntN(1000)) * time.Millisecond
	cancelled := make(chan struct{})
	h, err := background.Of(by).Add(by, background.Work{Kind: "w", OwnerEnd: policy, Stop: func(error) { close(cancelled) }})
	if err != nil {
		require.ErrorIs(w.t, err, pegboard.ErrClosed)
		return
	}
	w.mu.Lock()
	w.added[h.ID()] = by.Role() != pegboard.RoleSubAgent && policy != background.Kill || policy == background.Reparent
	w.mu.Unlock()
	w.waiting.Go(func() {
		select {
		case <-time.After(takes):
			h.Done(background.Completed, nil, nil)
		case <-cancelled:
			h.Done(background.Failed, nil, nil)
		}
		h.Done(background.Failed, nil, nil)
	})
}

// hear asks for news in one of the two ways.
func (w *world) hear(s *pegboard.Session, byNews bool) {
	ask := texts
	if byNews {
		ask = news
	}
	got := ask(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range got {
		w.heard[taskID.FindStringSubmatch(text)[1]]++
	}
}

func (w *world) act(r *rand.Rand) {
	time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
	table := background.Of(w.main)
	switch n := r.IntN(20); {
	case n < 9:
		w.add(r)
	case n < 14:
		w.hear(w.agents[r.IntN(len(w.agents))], n%2 == 0)
	case n < 16:
		if list := table.List(); len(list) > 0 {
			_, _ = table.Stop(context.Background(), list[r.IntN(len(list))].ID) // it may have ended
		}
	case n < 18:
		if list := table.List(); len(list) > 0 {
			if id := list[r.IntN(len(list))].ID; table.Acknowledge(w.agents[r.IntN(len(w.agents))], id) {
				w.mu.Lock()
				w.heard[id]++
				w.mu.Unlock()
			}
		}
	default:
		if i := r.IntN(len(w.agents)); i > 0 {
			require.NoError(w.t, w.agents[i].Close(context.Background()))
		}
	}
}

// However users and agents come together, each end is told to exactly one of
// them, be it when the conversation is opened again, but for tasks that end
// silently with their agents, which are told to at most one.
func TestEachEndIsToldOnce(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playWorld(t, seed) })
		})
	}
}

func playWorld(t *testing.T, seed uint64) {
	t.Helper()
	s, dir := mainSession(t), ""
	if seed%6 == 0 {
		dir = t.TempDir()
		require.NoError(t, background.Configure(s, background.Options{Dir: dir}))
	}
	async := fork(t, s, pegboard.RoleAsyncAgent)
	w := &world{
		t: t, main: s, added: map[string]bool{}, heard: map[string]int{},
		agents: []*pegboard.Session{s, async, fork(t, s, pegboard.RoleSubAgent), fork(t, async, pegboard.RoleSubAgent), fork(t, s, pegboard.RoleTeammate)},
	}
	background.Of(s)
	var actors sync.WaitGroup
	for i := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, i))
		actors.Go(func() {
			for range 30 {
				w.act(r)
			}
		})
	}
	actors.Wait()
	if seed%2 == 0 {
		require.NoError(t, s.Close(t.Context()))
		w.waiting.Wait()
		require.Empty(t, texts(s))
		if dir != "" {
			w.hear(recordedSession(t, dir), seed%4 == 0)
			require.Empty(t, records(t, dir))
		}
	} else {
		w.waiting.Wait()
		for _, a := range w.agents[1:] {
			require.NoError(t, a.Close(t.Context()))
		}
		w.hear(s, seed%4 == 1)
	}
	require.NotEmpty(t, w.added)
	for id, told := range w.added {
		require.LessOrEqual(t, w.heard[id], 1, id)
		if told && (seed%2 == 1 || dir != "") {
			require.Equal(t, 1, w.heard[id], id)
		}
	}
	for _, task := range background.Of(s).List() {
		require.NotEqual(t, background.Running, task.State)
	}
}
