package asking_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestManyRacesInOneLine plays crowds. A seed fixes what happens and when; the order
// at one instant is as the scheduler has it.
func TestManyRacesInOneLine(t *testing.T) {
	t.Parallel()
	seeds := []uint64{rand.Uint64()}
	for seed := range effort.Of(t, uint64(10)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { newCrowd(seed).play(t) })
		})
	}
}

const crowdSize = 50

// A crowd is many races in one line, and those who disturb them.
type crowd struct {
	random  *rand.Rand
	line    *line
	guests  []*guest
	foreign []string // ids of another line
	looking atomic.Int32
	crowded atomic.Bool // two persons looked at once
	stale   atomic.Int32
	all     sync.WaitGroup // who disturbs
}

// A guest is a race of the crowd.
type guest struct {
	index     int
	race      *race
	cancel    context.CancelFunc
	cancelled atomic.Bool
	put       atomic.Pointer[string] // its id
	covered   atomic.Bool            // the next Change settles it
	delivered atomic.Int32           // answers that Line.Answer called delivered
	refused   atomic.Int32           // answers that were none
	ends      []outcome              // of which there is one
	done      chan struct{}          // closed then
}

func newCrowd(seed uint64) *crowd {
	c := &crowd{random: rand.New(rand.NewPCG(seed, 1)), line: newLine(), foreign: ids(put(newLine(), crowdSize)...)}
	for i := range crowdSize {
		c.guests = append(c.guests, c.newGuest(i))
	}
	return c
}

// id is empty as long as the question was not put.
func (g *guest) id() string {
	if id := g.put.Load(); id != nil {
		return *id
	}
	return ""
}

// soon is one of a few instants, so that much happens at the same.
func (c *crowd) soon() time.Duration { return time.Duration(c.random.IntN(40)) * time.Second }

func (c *crowd) chance(percent int) bool { return c.random.IntN(100) < percent }

func (c *crowd) newGuest(i int) *guest {
	g := &guest{index: i, done: make(chan struct{})}
	g.race = &race{
		Line:      c.line,
		HeadStart: c.soon() / 4,
		Question:  func(id string) string { return fmt.Sprintf("%s of guest %d", id, i) },
		OnQueued:  func(id string) { g.put.Store(&id) },
		Recheck:   func() (string, bool) { return fmt.Sprintf("rule %d", i), g.covered.Load() },
		Prompt:    c.person(g),
	}
	if c.chance(30) {
		g.race.PromptTimeout = time.Second + c.soon()
	}
	if c.chance(10) {
		g.race.Prompt = nil
	}
	for d := range c.random.IntN(3) {
		g.race.Deciders = append(g.race.Deciders, decides(4*c.soon(), fmt.Sprintf("decider %d of guest %d", d, i), c.chance(40)))
	}
	return g
}

// person looks for a while, and answers, answers wrongly, or leaves. Some take their
// time to leave.
func (c *crowd) person(g *guest) func(context.Context, string) error {
	look, goodbye, does := c.soon()/8, c.soon()/16, c.random.IntN(8)
	return func(ctx context.Context, id string) error {
		if c.looking.Add(1) > 1 {
			c.crowded.Store(true)
		}
		defer c.looking.Add(-1)
		select {
		case <-time.After(look):
		case <-ctx.Done():
			time.Sleep(goodbye)
			return context.Cause(ctx)
		}
		switch does {
		case 0:
			return errHungUp
		case 1:
			panic(errHungUp)
		case 2:
			return nil
		}
		if err := c.answer(id, look, does > 3); err != nil && !errors.Is(err, asking.ErrStale) {
			return err
		}
		return nil
	}
}

// answer gives an answer that takes a while to accept, and counts it for the guest
// who asked.
func (c *crowd) answer(id string, takes time.Duration, valid bool) error {
	var asked *guest
	err := c.line.Answer(id, func(question string) (string, error) {
		time.Sleep(takes)
		asked = c.whoAsked(question)
		if !valid {
			return "", errInvalid
		}
		return "answer to " + question, nil
	})
	switch {
	case asked == nil:
		c.stale.Add(1)
	case err == nil:
		asked.delivered.Add(1)
	default:
		asked.refused.Add(1)
	}
	return err
}

func (c *crowd) whoAsked(question string) *guest {
	i := slices.IndexFunc(c.guests, func(g *guest) bool { return strings.HasSuffix(question, fmt.Sprintf(" of guest %d", g.index)) })
	return c.guests[i]
}

// disturb does something to somebody at some time.
func (c *crowd) disturb() {
	at, g, what, takes, valid := c.soon(), c.guests[c.random.IntN(crowdSize)], c.random.IntN(10), c.soon()/16, c.chance(60)
	foreign := c.foreign[c.random.IntN(crowdSize)]
	c.all.Go(func() {
		time.Sleep(at)
		switch what {
		case 0:
			g.cancelled.Store(true)
			g.cancel()
		case 1:
			g.covered.Store(true)
			c.line.NotifyChange()
		case 2:
			c.line.NotifyChange()
		case 3:
			_ = c.answer(foreign, takes, valid)
		default: // open, stale, or not put yet
			_ = c.answer(g.id(), takes, valid)
		}
	})
}

func (c *crowd) play(t *testing.T) {
	t.Helper()
	for _, g := range c.guests {
		ctx, cancel := context.WithCancel(t.Context())
		g.cancel = cancel
		at := c.soon() / 4
		go func() {
			defer close(g.done)
			time.Sleep(at)
			answer, err := g.race.Run(ctx)
			g.ends = append(g.ends, outcome{answer: answer, err: err})
		}()
	}
	for range 4 * crowdSize {
		c.disturb()
	}
	for _, g := range c.guests {
		<-g.done
	}
	c.all.Wait()
	c.line.Wait()
	for _, g := range c.guests {
		g.cancel()
		g.check(t)
	}
	require.Empty(t, c.line.Open())
	require.False(t, c.crowded.Load(), "one question is shown at a time")
	require.True(t, closed(put(c.line, 1)[0].Turn()), "nobody kept the floor")
	require.Positive(t, c.stale.Load(), "a crowd in which nothing was stale shows little")
}

func (g *guest) check(t *testing.T) {
	t.Helper()
	i := g.index
	require.Len(t, g.ends, 1)
	end, id := g.ends[0], g.id()
	require.NotEqual(t, end.answer == "", end.err == nil, "an answer or an error")
	answered := end.answer == fmt.Sprintf("answer to %s of guest %d", id, i)
	switch {
	case answered:
		require.EqualValues(t, 1, g.delivered.Load(), "by one answer")
	case g.cancelled.Load():
		require.LessOrEqual(t, g.delivered.Load(), int32(1), "lost with the call")
	default:
		require.Zero(t, g.delivered.Load(), "what Line.Answer delivered is what the race returns")
	}
	if answered {
		return
	}
	switch end.answer {
	case fmt.Sprintf("rule %d", i):
		require.True(t, g.covered.Load())
	case fmt.Sprintf("decider 0 of guest %d", i), fmt.Sprintf("decider 1 of guest %d", i):
		require.NotEmpty(t, g.race.Deciders)
	case "":
		g.checkError(t, end.err)
	default:
		require.Failf(t, "an answer meant for another", "guest %d: %q", i, end.answer)
	}
}

func (g *guest) checkError(t *testing.T, err error) {
	t.Helper()
	switch {
	case errors.Is(err, context.Canceled):
		require.True(t, g.cancelled.Load())
	case errors.Is(err, asking.ErrNoApprover):
		require.Nil(t, g.race.Prompt)
	case errors.Is(err, asking.ErrExpired):
		require.Positive(t, g.race.PromptTimeout)
	case errors.Is(err, errInvalid):
		require.Positive(t, g.refused.Load())
	case errors.Is(err, errHungUp):
	default:
		require.ErrorContains(t, err, "no answer was given")
	}
}
