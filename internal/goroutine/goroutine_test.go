package goroutine_test

import (
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

func boom() { panic("boom") }

func outOfRange() {
	var list []int
	for i := 1; i < 2; i++ {
		list[i]++
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	const boomed = "panic: boom"
	tests := []struct {
		name string
		f    func()
		text string // "" for no error
		is   error
	}{
		{name: "returns", f: func() {}},
		{name: "panics", f: boom, text: boomed},
		{name: "panics with an error", f: func() { panic(io.EOF) }, text: "panic: EOF", is: io.EOF},
		{name: "panics with nil", f: func() { panic(nil) }, text: "panic: " + new(runtime.PanicNilError).Error()},
		{name: "panics in the runtime", f: outOfRange, text: "panic: runtime error: index out of range [1] with length 0"},
		{name: "panics with an error without text", f: func() { panic(badError{}) }, text: "panic: %!v(PANIC=Error method: no text)", is: badError{}},
		{name: "ends its goroutine", f: runtime.Goexit, text: goroutine.ErrGoexit.Error(), is: goroutine.ErrGoexit},
		{name: "ends its goroutine later", f: func() { defer runtime.Goexit() }, text: goroutine.ErrGoexit.Error(), is: goroutine.ErrGoexit},
		{name: "panics, then ends its goroutine", f: func() { defer runtime.Goexit(); boom() }, text: goroutine.ErrGoexit.Error(), is: goroutine.ErrGoexit},
		{name: "ends its goroutine, then panics", f: func() { defer boom(); runtime.Goexit() }, text: boomed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				done := goroutine.Go(tt.f)
				err := <-done
				if tt.text == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, tt.text)
				}
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is)
				}
				synctest.Wait()
				require.Empty(t, done, "one value only")
			})
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("no text") }

func TestGoDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		done := goroutine.Go(func() { time.Sleep(time.Second) })
		require.Zero(t, time.Since(started))
		require.NoError(t, <-done)
		require.Equal(t, time.Second, time.Since(started))
		goroutine.Go(boom) // nobody receives, and the bubble still ends
	})
}

func TestTry(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	require.NoError(t, goroutine.Try(func() error { return nil }))
	require.Equal(t, failure, goroutine.Try(func() error { return failure }))

	var caught *goroutine.PanicError
	require.ErrorAs(t, goroutine.Try(func() error { boom(); return nil }), &caught)
	require.Equal(t, "boom", caught.Value)
	require.Contains(t, string(caught.Stack), "goroutine_test.boom")
	require.NoError(t, caught.Unwrap())

	var fault runtime.Error
	require.ErrorAs(t, goroutine.Try(func() error { outOfRange(); return nil }), &fault)
	var null *runtime.PanicNilError
	require.ErrorAs(t, goroutine.Try(func() error { panic(nil) }), &null)
}

func TestTryLetsGoexitPass(t *testing.T) {
	t.Parallel()
	after := false
	err := <-goroutine.Go(func() {
		_ = goroutine.Try(func() error { runtime.Goexit(); return nil })
		after = true
	})
	require.ErrorIs(t, err, goroutine.ErrGoexit)
	require.False(t, after)
}
