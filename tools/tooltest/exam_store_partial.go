package tooltest

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// errBroken is the error of a reader that fails.
var errBroken = errors.New("the stream broke")

// halves returns a sample of several buffers and the half of its text at which its
// readers fail.
func halves(callID string) (s storeSample, half string) {
	s = storeSample{callID: callID, mime: "text/plain", text: strings.Repeat("a result that comes in pieces\n", 20_000)}
	return s, s.text[:len(s.text)/2]
}

// checkPartial lets Put fail in every way, and then stores the same call.
func (x *storeExam) checkPartial() bool {
	for _, tt := range []struct {
		callID    string
		when      string
		mayKeep   bool // Put may keep all bytes instead
		beginning bool // the context is cancelled before Put
		rest      func(s storeSample, half string, cancel func()) io.Reader
	}{
		{callID: "broken", when: "its reader failed", rest: func(storeSample, string, func()) io.Reader {
			return readFunc(func([]byte) (int, error) { return 0, errBroken })
		}},
		{callID: "cut", when: "its reader ended with io.ErrUnexpectedEOF", rest: func(storeSample, string, func()) io.Reader {
			return readFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })
		}},
		{callID: "cancelled", when: "the context ended while it read", mayKeep: true, rest: func(s storeSample, half string, cancel func()) io.Reader {
			cancels := readFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF })
			return io.MultiReader(cancels, strings.NewReader(s.text[len(half):]))
		}},
		{callID: "too late", when: "the context had ended", mayKeep: true, beginning: true, rest: func(s storeSample, half string, _ func()) io.Reader {
			return strings.NewReader(s.text[len(half):])
		}},
	} {
		s, half := halves(tt.callID)
		ctx, cancel := context.WithCancel(context.Background())
		if tt.beginning {
			cancel()
		}
		goOn := x.putBroken(ctx, s, io.MultiReader(strings.NewReader(half), tt.rest(s, half, cancel)), tt.when, tt.mayKeep)
		cancel()
		if !goOn {
			return false
		}
		stored, ok := x.put(1, s)
		if !ok || !x.expectAll(ruleStorePartial, s, stored) {
			return false
		}
		x.kept = append(x.kept, keptResult{s, stored})
	}
	return true
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// putBroken puts a sample from a reader that fails, or with a context that ends. It
// reports whether Put has returned.
func (x *storeExam) putBroken(ctx context.Context, s storeSample, r io.Reader, when string, mayKeep bool) bool {
	var stored pegboard.StoredResult
	var err error
	if !x.runStage("Put", s.input(), func() { stored, err = x.stores[0].Put(ctx, s.callID, s.mime, r) }) {
		return false
	}
	if err == nil && mayKeep {
		return x.expectAll(ruleStorePartial, s, stored) || !x.stuck
	}
	if err == nil {
		x.addViolation(ruleStorePartial, s.input(), "Put returned %+v and no error, though %s", stored, when)
		return true
	}
	if stored.Ref == "" {
		return true
	}
	_, failed, ok := x.openRef(stored.Ref)
	if ok && failed == nil {
		x.addViolation(ruleStorePartial, s.input(), "Put failed since %s, and Ref %.40q can be opened", when, stored.Ref)
	}
	return ok
}

// checkUnseen puts a result from a reader that waits half-way, and meanwhile the same
// result from another reader. The first reader then fails.
func (x *storeExam) checkUnseen() bool {
	s, half := halves("half-way")
	reached, resume, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	waits := readFunc(func([]byte) (int, error) {
		once.Do(func() { close(reached) })
		<-resume
		return 0, errBroken
	})
	goroutine.Go(func() {
		defer close(ended)
		_, _ = x.stores[0].Put(context.Background(), s.callID, s.mime, io.MultiReader(strings.NewReader(half), waits)) // checkPartial examines its error
	})
	var stored pegboard.StoredResult
	ok := x.runStage("Put", s.input(), func() {
		select {
		case <-reached:
		case <-ended: // it has not read so far, which other rules say
		}
	})
	for store := 0; ok && store < len(x.stores); store++ {
		var err error
		ok = x.runAll(ruleStoreConcurrent, "Put, while another Put waits for its reader,", s.input(), func() {
			stored, err = x.stores[store].Put(context.Background(), s.callID, s.mime, s.reader())
		})
		if ok && err != nil {
			x.addViolation(ruleStoreConcurrent, s.input(), "Put, while another Put waits for its reader: %v", err)
			ok = false
		}
		ok = ok && x.expectAll(ruleStorePartial, s, stored)
	}
	close(resume)
	if ok {
		ok = x.runStage("Put", s.input(), func() { <-ended })
	}
	if ok = ok && x.expectAll(ruleStorePartial, s, stored); ok {
		x.kept = append(x.kept, keptResult{s, stored})
	}
	return ok
}
