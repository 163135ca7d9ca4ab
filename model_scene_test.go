package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// manner is how a plan is played.
type manner struct {
	name     string
	serially bool // one call after the other
	far      bool // each call is sent away as id, name and bytes
	streams  bool // while the model still writes
	siblings bool // a failure may cancel the calls beside it
	each     bool // no call is the same as another
}

// scene is a plan that is played.
type scene struct {
	*world
	plan    plan
	how     manner
	session *pegboard.Session
	stream  *pegboard.Stream
	cancel  context.CancelCauseFunc

	telling  sync.Mutex
	events   []pegboard.Event
	onEvent  func(n int) // is told how many there were
	over     bool        // there should be no more
	toolate  []string    // but there were
	finished atomic.Bool // Finish was called
	missed   bool        // the cut came too late

	begin    time.Time
	outs     []pegboard.Outcome
	sure     int // calls that must have an outcome
	most     int // and all that may have one
	unending []string
}

// play plays a plan in a world of its own, until detached calls have returned.
func play(t *testing.T, p plan, limit int, how manner, onEvent func(s *scene, n int)) *scene {
	t.Helper()
	s := &scene{world: newWorld(), plan: p, how: how, begin: time.Now()}
	if onEvent != nil {
		s.onEvent = func(n int) { onEvent(s, n) }
	}
	s.session = s.world.session(t)
	tools := planTools()
	if how.each {
		tools = planToolsEach()
	}
	pool := tools.AssemblePool(s.session, pegboard.PoolConfig{})
	var turn context.Context
	turn, s.cancel = context.WithCancelCause(t.Context())
	defer s.cancel(nil)
	ex := executor(pegboard.Executor{MaxParallel: limit, OnEvent: s.listen, CancelSiblings: how.siblings, Repair: pegboard.Repair{Syntax: true, Func: s.remember}})
	if how.far {
		ex.Invoke = farInvoke(pool)
	}
	s.sure, s.most = len(p), len(p)
	switch {
	case how.streams:
		s.playStream(turn, ex, pool)
	case how.serially:
		for _, c := range p.calls() {
			s.outs = append(s.outs, ex.Run(turn, pool, c)...)
		}
	default:
		s.outs = ex.Run(turn, pool, p.calls()...)
	}
	for _, o := range s.outs {
		require.NotNil(t, o.Call, "an outcome that nobody filled in")
	}
	for id, outs := range s.inner {
		for i, o := range outs {
			require.NotNil(t, o.Call, "the outcome of %s.%d, which nobody filled in", id, i)
		}
	}
	s.ended()
	time.Sleep(2 * longAfter) // detached calls and late hooks end, or the bubble reports it
	s.check(t)
	require.NoError(t, s.session.Close(context.Background()))
	return s
}

func (s *scene) playStream(turn context.Context, ex anywhere, pool *pegboard.Pool) {
	s.sure, s.most = len(s.plan), len(s.plan)
	s.stream = ex.Stream(turn, pool)
	for i, c := range s.plan.calls() {
		s.stream.Submit(c)
		time.Sleep(s.plan[i].gap)
		if s.plan[i].gap%2 == 0 {
			s.outs = append(s.outs, slices.Collect(s.stream.Ready())...)
		}
	}
	s.finish(pegboard.FinishToolCalls)
	s.outs = append(s.outs, slices.Collect(s.stream.Outcomes())...)
}

// finish ends the message unless it has ended, and reports whether it did.
func (s *scene) finish(why pegboard.FinishReason) bool {
	if !s.finished.CompareAndSwap(false, true) {
		return false
	}
	s.stream.Finish(why)
	return true
}

// remember is the host's repair: it knows what the model meant.
func (s *scene) remember(_ ctx, _ pegboard.Tool, c *pegboard.Call, _ error) json.RawMessage {
	for _, p := range s.plan {
		if p.id == c.ID && p.spelling == "lost" {
			return json.RawMessage(p.input())
		}
	}
	return nil
}

// listen notes an event.
func (s *scene) listen(e pegboard.Event) {
	s.telling.Lock()
	s.events = append(s.events, e)
	if s.over && e.Call.Parent() == nil {
		s.toolate = append(s.toolate, e.Call.ID+" "+e.Kind.String())
	}
	n := len(s.events)
	s.telling.Unlock()
	if s.onEvent != nil {
		s.onEvent(n)
	}
}

// ended notes what goes on although there are all outcomes.
func (s *scene) ended() {
	s.telling.Lock()
	s.over = true
	s.telling.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	detached := map[string]bool{}
	note := func(outs []pegboard.Outcome) {
		for _, o := range outs {
			detached[o.Call.ID] = detached[o.Call.ID] || errors.Is(o.Err, pegboard.ErrDetached)
		}
	}
	note(s.outs)
	for _, outs := range s.inner {
		note(outs)
	}
	for id := range s.running {
		if outer, _, _ := strings.Cut(id, "."); !detached[id] && !detached[outer] {
			s.unending = append(s.unending, id)
		}
	}
}

// check compares what holds for every plan, however it was played and ended.
func (s *scene) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling.Lock()
	defer s.telling.Unlock()
	require.Empty(t, s.unending, "calls that have an outcome and neither returned nor were detached")
	require.Empty(t, s.overlaps, "calls that conflict ran at once")
	require.Empty(t, s.running)
	require.Empty(t, s.session.Detached())
	require.Empty(t, s.toolate, "events after the end")
	require.GreaterOrEqual(t, len(s.outs), s.sure, "calls without an outcome")
	require.LessOrEqual(t, len(s.outs), s.most)
	for i, o := range s.outs {
		require.NotNil(t, o.Result)
		if i < len(s.plan) { // of a script, those that were admitted
			require.Equal(t, s.plan[i].id, o.Call.ID, "outcomes stand in the order of the calls")
		}
	}
	var admitted []string
	for _, e := range s.events {
		if e.Kind == pegboard.EventAdmitted && e.Call.Parent() == nil {
			admitted = append(admitted, e.Call.ID)
		}
	}
	require.LessOrEqual(t, len(admitted), len(s.outs))
	for _, o := range s.outs[len(admitted):] { // submitted when Abandon had returned or the session was closed: there are no more events
		require.True(t, errors.Is(o.Err, pegboard.ErrAbandoned) || errors.Is(o.Err, pegboard.ErrClosed) || errors.Is(o.Err, pegboard.ErrDuplicate), "%s has no event: %v", o.Call.ID, o.Err)
	}
	for i, id := range admitted {
		require.Equal(t, s.plan[i].id, id, "calls are admitted in their order")
	}
	s.checkEvents(t)
}

// checkEvents checks the story of each call.
func (s *scene) checkEvents(t *testing.T) {
	t.Helper()
	stories := map[string][]pegboard.EventKind{}
	for _, e := range s.events {
		stories[e.Call.ID] = append(stories[e.Call.ID], e.Kind)
	}
	for id, story := range stories {
		count := map[pegboard.EventKind]int{}
		for _, kind := range story {
			count[kind]++
		}
		require.Equal(t, pegboard.EventAdmitted, story[0], "%s: %v", id, story)
		require.Equal(t, count[pegboard.EventFinished], s.hooked[id]+s.unhooked[id], "one hook runs after each call %s: %v", id, story)
		require.Equal(t, count[pegboard.EventStarted], s.hooked[id], "%s: %v", id, story)
		if twins := count[pegboard.EventAdmitted]; twins > 1 {
			require.Equal(t, twins, count[pegboard.EventFinished], "%s: %v", id, story)
			continue
		}
		require.Equal(t, pegboard.EventFinished, story[len(story)-1], "%s: %v", id, story)
		require.Equal(t, 1, count[pegboard.EventFinished], "%s: %v", id, story)
		require.Equal(t, s.ran[id], count[pegboard.EventStarted], "%s: %v", id, story)
		require.LessOrEqual(t, s.ran[id], 1, "%s: %v", id, story)
		require.LessOrEqual(t, count[pegboard.EventStarted], count[pegboard.EventDecided], "%s: %v", id, story)
		require.Equal(t, count[pegboard.EventAsked], count[pegboard.EventSettled], "%s: %v", id, story)
	}
}
