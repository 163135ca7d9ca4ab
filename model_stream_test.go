package pegboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// scriptedCalls are what the bytes of a script can submit.
func scriptedCalls() []planned {
	return []planned{
		{tool: "Do", action: action{Class: 2, Look: true}},
		{tool: "Do", action: action{Class: 2, Look: true, Ms: 5}},
		{tool: "DoOrStop", action: action{Ms: 3}},
		{tool: "DoOrLeave", action: action{Class: 1, Writes: []string{"a"}, Ms: 2}},
		{tool: "Do", action: action{Class: 1, Reads: []string{"a"}, Look: true}},
		{tool: "DoOrStop", action: action{Class: 2, Look: true, Ends: "deaf"}},
		{tool: "Do", action: action{Class: 1, Writes: []string{"a"}, Ends: "deaf"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ends: "goexit"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ends: "hang", Post: "late"}},
		{tool: "Do", action: action{Class: 2, Look: true, Rule: "ask", Person: "never"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ms: 1, Then: "interrupt"}},
		{tool: "Do", action: action{Class: 2, Look: true, Then: "finish"}},
		{tool: "Do", spelling: "cut"},
		{tool: "Nothing"},
	}
}

// scripted is a stream that the bytes of a script drive.
type scripted struct {
	*scene
	turn    chan struct{} // who has it may range over the outcomes
	leaving chan struct{} // who has it may abandon the stream
	watched chan pegboard.Event
	second  chan byte   // what the second goroutine is to do
	next    chan func() // what the listener is to do at the next event

	submitted atomic.Int32
}

// act does what one byte says, on whatever goroutine.
func (s *scripted) act(i int, b byte) {
	kinds := scriptedCalls()
	switch op := int(b) % 24; {
	case op < len(kinds):
		c := kinds[op]
		c.id = fmt.Sprint(i)
		s.submitted.Add(1)
		s.stream.Submit(c.call())
	case op == 14 && b < 128: // the listener could not wait for its turn
		s.turn <- struct{}{}
		for o := range s.stream.Ready() {
			s.outs = append(s.outs, o)
		}
		<-s.turn
	case op == 15:
		s.stream.Finish(pegboard.FinishToolCalls)
	case op == 16:
		s.stream.Finish(pegboard.FinishLength)
	case op == 17:
		s.cancel(pegboard.ErrNewMessage)
	case op == 18:
		s.session.Interrupt(pegboard.ErrNewMessage)
	case op == 19:
		s.session.Interrupt(nil)
	case op == 20 && b < 128: // it waits for the listener
		s.leaving <- struct{}{} // for two at once the fake clock would stand still
		s.stream.Abandon(nil)
		<-s.leaving
	case op == 21:
		time.Sleep(300 * time.Millisecond)
	default:
		time.Sleep(time.Millisecond)
	}
}

// watch reads the calls of the events on a goroutine of its own, long after they
// were told.
func (s *scripted) watch() {
	for e := range s.watched {
		if e.Call.Session() != s.session || e.Call.Parent() != nil || e.Call.ID == "" {
			panic(fmt.Sprintf("a %v event of nobody's: %+v", e.Kind, e.Call))
		}
		_, _, _, _ = actionOf(e.Call), e.Call.Targets(), e.Call.ReadOnly(), e.Call.Pool()
		if e.Outcome != nil {
			_ = e.Outcome.Result.Text()
		}
	}
}

// playScript drives a stream by bytes. The highest two bits say who does what the
// others say: the main goroutine, a second one, or the listener at the next event.
func playScript(t *testing.T, script []byte) {
	t.Helper()
	s := &scripted{
		scene: &scene{world: newWorld()}, turn: make(chan struct{}, 1), leaving: make(chan struct{}, 1), watched: make(chan pegboard.Event, 1000),
		second: make(chan byte, len(script)), next: make(chan func(), len(script)),
	}
	s.session = s.world.session(t)
	s.then = func(what string) {
		if what == "finish" {
			s.stream.Finish(pegboard.FinishStop)
		} else {
			s.session.Interrupt(pegboard.ErrUserInterrupt)
		}
	}
	var turn context.Context
	turn, s.cancel = context.WithCancelCause(t.Context())
	defer s.cancel(nil)
	go s.watch()
	ex := executor(pegboard.Executor{MaxParallel: 3, StartWritesEarly: len(script)%2 == 0, OnEvent: s.onScriptedEvent})
	s.stream = ex.Stream(turn, planTools().AssemblePool(s.session, pegboard.PoolConfig{}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1000; ; i++ {
			b, more := <-s.second
			if !more {
				return
			}
			s.act(i, b)
		}
	}()
	for i, b := range script {
		switch b >> 6 {
		case 2:
			s.second <- b &^ 128
		case 3:
			s.next <- func() { s.act(2000+i, b) }
		default:
			s.act(i, b)
		}
	}
	close(s.second)
	<-done
	s.turn <- struct{}{}
	for o := range s.stream.Outcomes() {
		s.outs = append(s.outs, o)
	}
	s.ended()
	time.Sleep(2 * longAfter)
	close(s.watched)
	s.checkScript(t)
}

func (s *scripted) onScriptedEvent(e pegboard.Event) {
	s.listen(e)
	s.watched <- e
	select {
	case do := <-s.next:
		do()
	default:
	}
}

// checkScript: the calls were admitted in an order, which is that of the outcomes.
func (s *scripted) checkScript(t *testing.T) {
	t.Helper()
	for _, e := range s.events {
		if e.Kind == pegboard.EventAdmitted {
			s.plan = append(s.plan, planned{id: e.Call.ID})
		}
	}
	s.sure, s.most = len(s.plan), int(s.submitted.Load())
	s.check(t)
	require.NoError(t, s.session.Close(context.Background()))
}

// FuzzStream drives a stream by bytes: every call that was taken gets one outcome,
// in order, whatever the host does in between, on whichever goroutine.
func FuzzStream(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 14, 15})
	f.Add([]byte{0, 0, 16, 0, 20})
	f.Add([]byte{4, 5, 6, 17, 15})
	f.Add([]byte{5, 6, 21, 18, 12, 13})
	f.Add([]byte{10, 11, 128 + 2, 128 + 15, 192 + 19, 1})
	f.Add([]byte{192 + 21, 192 + 21, 192 + 21, 192 + 21, 192 + 21, 192 + 21, 0, 0, 15}) // a slow listener
	f.Add([]byte{8, 9, 192 + 15, 192 + 3, 22, 7, 128 + 20})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) <= 40 {
			bubble(t, func() string { return fmt.Sprintf("%v", script) }, func(t *testing.T) {
				t.Helper()
				playScript(t, script)
			})
		}
	})
}

// TestScriptedStreams drives streams by random bytes.
func TestScriptedStreams(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(200)) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		script := make([]byte, 1+rnd.IntN(40))
		for i := range script {
			script[i] = byte(rnd.IntN(256))
		}
		bubble(t, func() string { return fmt.Sprintf("seed %d: %v", seed, script) }, func(t *testing.T) {
			t.Helper()
			playScript(t, script)
		})
	}
}
