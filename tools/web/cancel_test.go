package web_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// A user who ends a call does not wait for the conversion of what was read when its time was over.
// The test looks for the conversion on the stacks of all goroutines, so it runs beside no other.
// How often it finds it there says how long the conversion takes. A busy machine may keep one
// that ends from running, but not each time.
func TestFetchEndsInConversion(t *testing.T) {
	for _, step := range []string{"webtext.Document.Title", "webtext.Document.Markdown"} {
		t.Run(step, func(t *testing.T) {
			whole := conversion{step: step}
			require.NoError(t, whole.fetch(t))
			require.Greater(t, whole.looks, 5)
			var looks []int
			for len(looks) < 10 && (len(looks) == 0 || looks[len(looks)-1] >= whole.looks/3) {
				ended := conversion{step: step, cancel: true}
				err := ended.fetch(t)
				if ended.looks == 0 {
					ended.looks = whole.looks // it was too quick to be seen
				} else {
					require.ErrorIs(t, err, context.Canceled)
				}
				looks = append(looks, ended.looks)
			}
			require.Less(t, slices.Min(looks), whole.looks/3, "%v", looks)
		})
	}
}

// A conversion of a page is looked at while a step of it goes on.
type conversion struct {
	step   string // a function
	cancel bool   // the call, when the step is first seen
	looks  int    // that found the step
}

// fetch returns the error of the call.
func (c *conversion) fetch(t *testing.T) (err error) {
	t.Helper()
	page := []byte(strings.Repeat("<p>word", 1_400_000))
	ticks := realTicks(t)
	serve := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	besideServer(t, serve, func(t *testing.T, s *pegboard.Session) {
		t.Helper()
		const limit = time.Second
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var over atomic.Bool
		looked := make(chan struct{})
		time.AfterFunc(limit, func() { // no time passes before the page has been read
			defer close(looked)
			for !over.Load() {
				ticks()
				if isRunning(c.step) {
					c.looks++
					if c.cancel {
						cancel()
					}
				}
			}
		})
		out := tooltest.Run(ctx, web.Fetch(web.FetchOptions{Timeout: limit, Reach: []string{"example.com:80"}}), s, `{"url":"http://example.com/","prompt":"?"}`)
		over.Store(true)
		<-looked
		err = out.Err
	})
	return err
}

// realTicks returns a function that waits for the next millisecond, also in a bubble, whose clock
// stands still meanwhile.
func realTicks(t *testing.T) func() {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	go func() {
		for range time.Tick(time.Millisecond) {
			if _, err := w.Write([]byte{0}); err != nil {
				_ = w.Close()
				return
			}
		}
	}()
	return func() { _, _ = r.Read(make([]byte, 1<<16)) }
}

// isRunning reports whether a goroutine is in a function with this name.
func isRunning(function string) bool {
	stacks := make([]byte, 1<<18)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("/"+function+"("))
}
