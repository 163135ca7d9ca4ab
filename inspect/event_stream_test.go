package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A streamed change is what a browser gets.
type streamedChange struct {
	Calls     []int64 `json:"calls"`
	Questions bool    `json:"questions"`
}

// changesIn returns the changes in a stream, and its last id.
func changesIn(t *testing.T, stream string) (changes []streamedChange, id string) {
	t.Helper()
	for event := range strings.SplitSeq(stream, "\n\n") {
		for line := range strings.SplitSeq(event, "\n") {
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				var c streamedChange
				require.NoError(t, json.Unmarshal([]byte(text), &c), text)
				changes = append(changes, c)
			}
			if text, ok := strings.CutPrefix(line, "id: "); ok {
				id = text
			}
		}
	}
	return changes, id
}

// listen starts a stream, which ends with the test.
func (b *bench) listen(ctx context.Context, path string) (w *httptest.ResponseRecorder, ended <-chan struct{}) {
	r := request(http.MethodGet, path, nil).WithContext(ctx)
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w = httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.page.ServeHTTP(w, r)
	}()
	return w, done
}

// TestStreamCarriesTheNumbersOfCallsThatChange, at most twenty in a message, each in time.
func TestStreamCarriesTheNumbersOfCallsThatChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
		ctx, cancel := context.WithCancel(t.Context())
		w, ended := b.listen(ctx, "/events?after=0")
		synctest.Wait()
		require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
		changes, _ := changesIn(t, w.Body.String())
		require.Empty(t, changes, "nothing has happened")
		b.run(t, call("1", "Write", `{"path":"a"}`))
		synctest.Wait()
		changes, _ = changesIn(t, w.Body.String())
		require.NotEmpty(t, changes, "the first change is sent at once")
		var calls []pegboard.Call
		for i := range 45 {
			calls = append(calls, call("", "Write", fmt.Sprintf(`{"path":"%d"}`, i)))
		}
		b.run(t, calls...)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		changes, id := changesIn(t, w.Body.String())
		seen := map[int64]bool{}
		for _, c := range changes {
			require.LessOrEqual(t, len(c.Calls), 20)
			for _, n := range c.Calls {
				seen[n] = true
			}
		}
		require.Len(t, seen, 46)
		before := len(changes)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		changes, _ = changesIn(t, w.Body.String())
		require.Len(t, changes, before, "nothing has happened since")
		cancel()
		<-ended

		// The browser comes back with the id of the last message, and gets what is new.
		b.run(t, call("2", "Write", `{"path":"a"}`))
		ctx, cancel = context.WithCancel(t.Context())
		w, ended = b.listen(ctx, "/events?after="+id)
		time.Sleep(time.Second)
		synctest.Wait()
		cancel()
		<-ended
		changes, _ = changesIn(t, w.Body.String())
		require.Equal(t, []int64{47}, slices.Concat(changes[0].Calls))
	})
}

// TestStreamEndsAfterAMinute, so that a server can be shut down.
func TestStreamEndsAfterAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pegboard.SessionConfig{}, nil)
		begin := time.Now()
		_, ended := b.listen(t.Context(), "/events")
		<-ended
		require.Equal(t, time.Minute, time.Since(begin))
	})
}

// TestStreamTellsOfQuestions that come and go.
func TestStreamTellsOfQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, nil, writer("Write"))
		w, ended := b.listen(t.Context(), "/events")
		outs := b.asked(t, 1, call("1", "Write", `{"path":"a"}`))
		time.Sleep(time.Second)
		synctest.Wait()
		asked := strings.Count(w.Body.String(), `"questions":true`)
		require.Positive(t, asked)
		require.NoError(t, b.session.Questions()[0].Answer(policy.Decision{Behavior: policy.Deny}))
		<-outs
		time.Sleep(time.Second)
		synctest.Wait()
		require.Greater(t, strings.Count(w.Body.String(), `"questions":true`), asked)
		<-ended
	})
}

// TestManyBrowsersStay: a hundred are served, too many are refused, and no call waits for one.
func TestManyBrowsersStay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
		var streams []*httptest.ResponseRecorder
		var ends []<-chan struct{}
		for range 200 {
			w, ended := b.listen(t.Context(), "/events")
			streams, ends = append(streams, w), append(ends, ended)
		}
		synctest.Wait()
		require.Equal(t, http.StatusServiceUnavailable, b.get(t, "/events").Code)
		begin := time.Now()
		b.run(t, call("1", "Write", `{"path":"a"}`))
		require.Zero(t, time.Since(begin))
		for i, ended := range ends {
			<-ended
			changes, _ := changesIn(t, streams[i].Body.String())
			require.NotEmpty(t, changes)
		}
		w, ended := b.listen(t.Context(), "/events")
		<-ended
		require.Equal(t, http.StatusOK, w.Code, "there is room again")
	})
}

// A stuckWriter is a connection whose other end does not read.
type stuckWriter struct {
	header   http.Header
	deadline time.Time
}

func (w *stuckWriter) Header() http.Header { return w.header }
func (w *stuckWriter) WriteHeader(int)     {}
func (w *stuckWriter) Flush()              {}

func (w *stuckWriter) SetWriteDeadline(d time.Time) error {
	w.deadline = d
	return nil
}

func (w *stuckWriter) Write([]byte) (int, error) {
	if w.deadline.IsZero() {
		return 0, errors.New("it would wait for ever")
	}
	time.Sleep(time.Until(w.deadline))
	return 0, os.ErrDeadlineExceeded
}

// TestBrowserThatDoesNotReadIsLeft after a while, and holds up no call.
func TestBrowserThatDoesNotReadIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
		r := request(http.MethodGet, "/events", nil)
		for name, value := range b.cookies {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		begin, ended := time.Now(), make(chan time.Duration, 1)
		go func() {
			b.page.ServeHTTP(&stuckWriter{header: http.Header{}}, r)
			ended <- time.Since(begin)
		}()
		synctest.Wait()
		b.run(t, call("1", "Write", `{"path":"a"}`))
		require.Zero(t, time.Since(begin))
		require.Equal(t, 10*time.Second, <-ended)
	})
}
