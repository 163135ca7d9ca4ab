package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// inRandomOrder lets 1,000 calls wait for their answers, and answers them in a
// random order by their ids: some yes, some no, some with another input.
func inRandomOrder(t *testing.T, random *rand.Rand) {
	t.Helper()
	const n = 1000
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: pegboard.AskLater})
	var calls []pegboard.Call
	for i := range n {
		calls = append(calls, touching(fmt.Sprint(i), fmt.Sprintf("f%d", i)))
	}
	touched, asked := make(chan string, n), make(chan string, n)
	pool := toucherPool(t, s, func(path string) { touched <- path })
	outcomes := make(chan []pegboard.Outcome, 1)
	go func() {
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAsked {
				asked <- e.Question.ID
			}
		}})
		outcomes <- ex.Run(t.Context(), pool, calls...)
	}()
	for range n {
		<-asked
	}
	open := s.Questions()
	require.Len(t, open, n)
	random.Shuffle(n, func(i, j int) { open[i], open[j] = open[j], open[i] })
	want := map[string]string{}
	for i, q := range open {
		id := q.Call.ID
		d := pegboard.Decision{Behavior: pegboard.Allow}
		switch want[id] = "touched f" + id; i % 3 {
		case 1:
			d = pegboard.Decision{Behavior: pegboard.Deny, Reason: "not " + id + "!"}
			want[id] = "not " + id + "!"
		case 2:
			d.Input = json.RawMessage(fmt.Sprintf(`{"path":"g%s"}`, id))
			want[id] = "touched g" + id
		}
		require.NoError(t, s.Answer(q.ID, d))
		require.ErrorIs(t, s.Answer(q.ID, d), pegboard.ErrQuestionClosed)
	}
	ran := map[string]bool{}
	for _, o := range <-outcomes {
		require.Contains(t, o.Result.Text(), want[o.Call.ID])
		require.Equal(t, pegboard.ByPerson, o.Decision.By)
		if o.Err == nil {
			ran[strings.TrimPrefix(o.Result.Text(), "touched ")] = true
		}
	}
	close(touched)
	for path := range touched {
		require.True(t, ran[path], path)
		delete(ran, path)
	}
	require.Empty(t, ran)
	require.Empty(t, s.Questions())
}

// TestThousandQuestionsInRandomOrder: each answer reaches its own call, whatever
// was shown first. (So many goroutines in one bubble of synctest crash the race
// detector of Go 1.26.)
func TestThousandQuestionsInRandomOrder(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(3)) {
		inRandomOrder(t, rand.New(rand.NewPCG(seed, 0)))
	}
}

// fumbler is a person in a hurry: whatever is asked, answers, calls and rules come
// in any order.
type fumbler struct {
	*testing.T
	random *rand.Rand
	main   *pegboard.Session
	agents []*pegboard.Session

	mu      sync.Mutex
	showing int
}

func (f *fumbler) intN(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(n)
}

// ask is the dialog: it takes its time, and sometimes answers.
func (f *fumbler) ask(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
	f.mu.Lock()
	f.showing++
	require.Equal(f, 1, f.showing, "one question at a time")
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.showing--
	}()
	select {
	case <-time.After(time.Duration(1+f.intN(20)) * time.Millisecond):
	case <-ctx.Done():
		return pegboard.Decision{}, context.Cause(ctx)
	}
	d := f.answer(q)
	return d, nil
}

// answer is one that says which call it is meant for.
func (f *fumbler) answer(q *pegboard.Question) pegboard.Decision {
	d := pegboard.Decision{Behavior: pegboard.Allow, Reason: "for " + q.Call.ID}
	switch f.intN(5) {
	case 0:
		d.Behavior = pegboard.Deny
	case 1:
		d.Remember = []pegboard.PermissionUpdate{{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: pegboard.SourceSession,
			Rules: []pegboard.PermissionUpdateRule{{Tool: "Edit", Pattern: fmt.Sprintf("/f%d", f.intN(8))}}}}
	}
	return d
}

// meddle answers any open question, or one that is not.
func (f *fumbler) meddle() {
	open := f.main.Questions()
	if len(open) == 0 || f.intN(4) == 0 {
		require.ErrorIs(f, f.main.Answer(fmt.Sprint("foreign-", f.intN(9)), pegboard.Decision{Behavior: pegboard.Allow}), pegboard.ErrQuestionClosed)
		return
	}
	q := open[f.intN(len(open))]
	if f.intN(4) == 0 {
		require.Error(f, f.main.Answer(q.ID, pegboard.Decision{Behavior: pegboard.Ask}))
		return
	}
	err := f.main.Answer(q.ID, f.answer(q))
	require.True(f, err == nil || errors.Is(err, pegboard.ErrQuestionClosed), err)
}

// TestAnyOrderOfAsksAnswersCancelsAndRules never answers the wrong question, loses
// one or leaves one open.
func TestAnyOrderOfAsksAnswersCancelsAndRules(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { fumble(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func fumble(t *testing.T, random *rand.Rand) {
	t.Helper()
	f := &fumbler{T: t, random: random}
	f.main = session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: f.ask})
	f.agents = []*pegboard.Session{f.main, forked(t, f.main, pegboard.SessionConfig{AgentID: "a"})}
	f.agents = append(f.agents, forked(t, f.agents[1], pegboard.SessionConfig{AgentID: "b"}))
	var all sync.WaitGroup
	for i := range 30 {
		s := f.agents[i%3]
		pool := toucherPool(t, s, nil)
		all.Go(func() {
			time.Sleep(time.Duration(f.intN(100)) * time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			if f.intN(4) == 0 {
				ctx, cancel = context.WithTimeout(t.Context(), time.Duration(f.intN(100))*time.Millisecond)
			}
			defer cancel()
			ex := executor(pegboard.Executor{})
			outs := ex.Run(ctx, pool, touching(fmt.Sprint(i, "x"), fmt.Sprintf("f%d", i)), touching(fmt.Sprint(i, "y"), fmt.Sprintf("f%d", f.intN(8))))
			require.Len(f, outs, 2)
			for _, o := range outs {
				f.check(o)
			}
		})
	}
	for range 60 {
		all.Go(func() {
			time.Sleep(time.Duration(f.intN(300)) * time.Millisecond)
			f.meddle()
		})
	}
	all.Wait()
	require.Empty(t, f.main.Questions())
}

// check: whatever a person decided was decided of this call.
func (f *fumbler) check(o pegboard.Outcome) {
	switch d := o.Decision; {
	case errors.Is(o.Err, pegboard.ErrCancelled):
	case d.By == pegboard.ByPerson:
		require.Equal(f, "for "+o.Call.ID, d.Reason)
		require.Equal(f, d.Behavior == pegboard.Allow, o.Err == nil)
	case d.By == pegboard.ByRule:
		require.NoError(f, o.Err)
		require.Equal(f, o.Call.Targets()[0].Value, f.main.Dir()+d.Rule.Pattern)
	default:
		require.Fail(f, "nobody decided", "%v: %v", o.Call.ID, o.Result.Text())
	}
}
