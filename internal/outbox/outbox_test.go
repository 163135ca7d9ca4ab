package outbox_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/outbox"
)

// A sink keeps what is written, and waits for gate before each message if there is one.
type sink struct {
	gate chan struct{}
	fail error

	mu     sync.Mutex
	texts  []string
	closed bool
}

func (s *sink) Write(p []byte) (int, error) {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return 0, s.fail
	}
	s.texts = append(s.texts, string(p))
	return len(p), nil
}

func (s *sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *sink) state() (texts string, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.texts, " "), s.closed
}

func TestMessagesAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	s := new(sink)
	o := outbox.New(s, 100)
	for _, text := range []string{"a", "b", "c"} {
		require.NoError(t, o.Send([]byte(text)))
	}
	o.Finish(t.Context())
	texts, closed := s.state()
	require.Equal(t, "a b c", texts)
	require.True(t, closed)
	require.ErrorIs(t, o.Send([]byte("d")), io.ErrClosedPipe)
}

func TestSendDoesNotBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{gate: make(chan struct{})}
		o := outbox.New(s, 10)
		sent := 0
		for o.Send([]byte("four")) == nil {
			sent++
		}
		require.Equal(t, 3, sent, "after more than 10 bytes nothing is accepted")
		require.ErrorIs(t, o.Send(nil), outbox.ErrFull)
		s.gate <- struct{}{}
		s.gate <- struct{}{}
		synctest.Wait()
		require.NoError(t, o.Send([]byte("more")), "what was written makes room")
		close(s.gate)
		o.Finish(t.Context())
		texts, _ := s.state()
		require.Equal(t, "four four four more", texts)
	})
}

func TestCloseDropsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{gate: make(chan struct{})}
		o := outbox.New(s, 100)
		require.NoError(t, o.Send([]byte("first")))
		synctest.Wait() // it is being written
		require.NoError(t, o.Send([]byte("second")))
		gone := errors.New("gone")
		require.ErrorIs(t, o.Close(gone), gone)
		require.ErrorIs(t, o.Close(errors.New("later")), gone, "the first reason is kept")
		require.ErrorIs(t, o.Send(nil), gone)
		o.Finish(t.Context()) // does not wait for the write
		close(s.gate)
		<-o.Done()
		texts, closed := s.state()
		require.Equal(t, "first", texts)
		require.True(t, closed)
	})
}

func TestErrorOfTheWriterIsKept(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	o := outbox.New(&sink{fail: broken}, 100)
	require.NoError(t, o.Err())
	require.NoError(t, o.Send([]byte("lost")))
	<-o.Done()
	require.ErrorIs(t, o.Err(), broken)
	require.ErrorIs(t, o.Send(nil), broken)
}

// TestFinishWaitsNoLongerThanItsContext has a writer that never returns.
func TestFinishWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{gate: make(chan struct{})}
		o := outbox.New(s, 100)
		require.NoError(t, o.Send([]byte("stuck")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o.Finish(ctx)
		require.ErrorIs(t, o.Err(), context.DeadlineExceeded)
		close(s.gate)
		<-o.Done()
	})
}
