package tooltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

// A storeExam is one check of one kind of store.
type storeExam struct {
	verdict
	open      func() (pegboard.ResultStore, error)
	elsewhere func() ([]pegboard.StoredResult, error)
	large     int64
	stores    []pegboard.ResultStore // over the same place
	kept      []keptResult           // in the order of Put, the samples of StoreSample first
	halfRead  io.ReadCloser          // of kept[0], of which one byte was read
}

// A keptResult is a result that a store has accepted.
type keptResult struct {
	storeSample
	stored pegboard.StoredResult
}

// check examines one rule after the other until a method does not return, or until the
// store does not keep a simple result.
func (x *storeExam) check() {
	for _, step := range []func() (goOn bool){
		x.openStore, x.openStore, x.checkKeeps, x.checkLarge, x.checkSame, x.checkApart, x.checkPartial,
		x.checkUnseen, x.checkUnknown, x.checkOutside, x.checkConcurrent, x.checkReaders, x.openStore, x.checkChanges,
	} {
		if !step() || x.stuck {
			return
		}
	}
}

func (x *storeExam) openStore() bool {
	var store pegboard.ResultStore
	var err error
	switch {
	case !x.runStage("open", "", func() { store, err = x.open() }):
	case err != nil:
		x.addViolation(ruleStoreOpens, "", "store %d: %v", len(x.stores)+1, err)
	case store == nil:
		x.addViolation(ruleStoreOpens, "", "store %d is nil", len(x.stores)+1)
	default:
		x.stores = append(x.stores, store)
		return true
	}
	return false
}

// close closes the stores, unless a method of one of them still runs.
func (x *storeExam) close() {
	if x.halfRead != nil && !x.stuck {
		x.runStage("Close of a reader", "", func() { _ = x.halfRead.Close() })
	}
	for _, s := range x.stores {
		if c, ok := s.(io.Closer); ok && !x.stuck {
			x.runStage("Close", "", func() { _ = c.Close() }) // the contract has no Close
		}
	}
}

// put stores a sample and examines what Put returns. It reports whether the sample was
// stored.
func (x *storeExam) put(store int, s storeSample) (pegboard.StoredResult, bool) {
	return x.putFrom(store, s, s.reader())
}

func (x *storeExam) putFrom(store int, s storeSample, r io.Reader) (pegboard.StoredResult, bool) {
	var stored pegboard.StoredResult
	var err error
	from := &countedReader{r: r}
	if !x.runStage("Put", s.input(), func() { stored, err = x.stores[store].Put(context.Background(), s.callID, s.mime, from) }) {
		return pegboard.StoredResult{}, false
	}
	if err != nil {
		x.addViolation(ruleStoreKeeps, s.input(), "Put failed: %v", err)
		return pegboard.StoredResult{}, false
	}
	if !from.ended {
		x.addViolation(ruleStoreReads, s.input(), "Put returned after %d bytes and did not read until io.EOF", from.n)
	}
	x.checkRef(s, stored)
	return stored, true
}

// keep stores a sample in the first store, expects its bytes in both, and remembers it.
func (x *storeExam) keep(s storeSample) bool {
	stored, ok := x.put(0, s)
	if !ok || !x.expectAll(ruleStoreKeeps, s, stored) {
		return false
	}
	x.kept = append(x.kept, keptResult{s, stored})
	return true
}

// expectAll expects the bytes of a sample in every store.
func (x *storeExam) expectAll(rule string, s storeSample, stored pegboard.StoredResult) bool {
	for i := range x.stores {
		if !x.expect(rule, i, s, stored) {
			return false
		}
	}
	return true
}

// expect opens a result and compares it with the sample. It reports whether they are
// equal, and records a violation of the rule if not.
func (x *storeExam) expect(rule string, store int, s storeSample, stored pegboard.StoredResult) bool {
	if stored.Size != int64(len(s.text)) {
		x.addViolation(rule, s.input(), "Size is %d", stored.Size)
		return false
	}
	var got []byte
	var err error
	if !x.runStage("Open and read", s.input(), func() { got, err = readStored(x.stores[store], stored.Ref) }) {
		return false
	}
	if err != nil {
		x.addViolation(rule, s.input(), "store %d: %v", store+1, err)
		return false
	}
	if at := differsAt(got, []byte(s.text)); at >= 0 {
		x.addViolation(rule, s.input(), "store %d: %.40q has %d bytes, which differ from byte %d on", store+1, stored.Ref, len(got), at)
		return false
	}
	return true
}

func readStored(store pegboard.ResultStore, ref string) ([]byte, error) {
	r, err := store.Open(context.Background(), ref)
	if err != nil {
		return nil, fmt.Errorf("open %.40q: %w", ref, err)
	}
	if r == nil {
		return nil, fmt.Errorf("open %.40q: neither a reader nor an error", ref)
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %.40q: %w", ref, err)
	}
	return got, nil
}

// differsAt returns the index of the first difference, or -1.
func differsAt(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// checkKeeps stores small results of every form.
func (x *storeExam) checkKeeps() bool {
	others := []storeSample{
		{callID: "call_4", mime: "no type", text: "\xff\xfe\x80 is not UTF-8, nor is the end \xf0\x9f"},
		{callID: "call_5", mime: "text/plain; charset=utf-8", text: "\x00\x00\x00"},
		{callID: "call_6", mime: "text/plain", text: string(bytes.Repeat([]byte("a line that repeats\r\n"), 2_000))},
	}
	for _, s := range append(storeSamples[:len(storeSamples):len(storeSamples)], others...) {
		if !x.keep(s) {
			return false
		}
		x.checkPath(x.kept[len(x.kept)-1])
	}
	return x.beginRead()
}

// checkPath compares the file of a result, if it has one, with the sample.
func (x *storeExam) checkPath(k keptResult) {
	if k.stored.Path == "" {
		return
	}
	if !filepath.IsAbs(k.stored.Path) {
		x.addViolation(ruleStoreKeeps, k.input(), "Path %q is not absolute", k.stored.Path)
		return
	}
	got, err := os.ReadFile(k.stored.Path)
	if err != nil {
		x.addViolation(ruleStoreKeeps, k.input(), "Path: %v", err)
	} else if at := differsAt(got, []byte(k.text)); at >= 0 {
		x.addViolation(ruleStoreKeeps, k.input(), "the file %s has %d bytes, which differ from byte %d on", k.stored.Path, len(got), at)
	}
}

// beginRead opens the first result and reads a byte of it. checkChanges reads the rest.
func (x *storeExam) beginRead() bool {
	var err error
	var r io.ReadCloser
	first := x.kept[0]
	if !x.runStage("Open and read", first.input(), func() {
		if r, err = x.stores[1].Open(context.Background(), first.stored.Ref); err == nil {
			_, err = io.ReadFull(r, make([]byte, 1))
		}
	}) {
		return false
	}
	x.halfRead = r
	if err != nil {
		x.addViolation(ruleStoreKeeps, first.input(), "opened once more: %v", err)
	}
	return err == nil
}

// checkLarge stores a result that is made as it is read, and compares it so.
func (x *storeExam) checkLarge() bool {
	s := storeSample{callID: "call_large", mime: "text/plain", lines: x.large}
	stored, ok := x.put(0, s)
	if !ok {
		return false
	}
	if stored.Size < 0 || stored.Size > x.large {
		x.addViolation(ruleStoreKeeps, s.input(), "Size is %d", stored.Size)
		return true
	}
	var difference string
	if x.runStage("Open and read", s.input(), func() { difference = compareLarge(x.stores[1], stored, x.large) }) && difference != "" {
		x.addViolation(ruleStoreKeeps, s.input(), "%s", difference)
	}
	return true
}

// compareLarge returns how the stored large result differs from the one that was put, or "".
func compareLarge(store pegboard.ResultStore, stored pegboard.StoredResult, large int64) string {
	r, err := store.Open(context.Background(), stored.Ref)
	if err != nil {
		return err.Error()
	}
	if r == nil {
		return "Open returned neither a reader nor an error"
	}
	defer func() { _ = r.Close() }()
	want, got := make([]byte, 32<<10), make([]byte, 32<<10)
	from := &numberedLines{left: stored.Size}
	for at := int64(0); at < stored.Size; {
		n, err := io.ReadFull(from, want[:min(int64(len(want)), stored.Size-at)])
		if err != nil {
			return err.Error()
		}
		if m, err := io.ReadFull(r, got[:n]); err != nil {
			return fmt.Sprintf("after %d bytes, of %d that are kept: %v", at+int64(m), stored.Size, err)
		}
		if i := differsAt(got[:n], want[:n]); i >= 0 {
			return fmt.Sprintf("they differ from byte %d on", at+int64(i))
		}
		at += int64(n)
	}
	if n, _ := io.Copy(io.Discard, r); n > 0 && stored.Size == large {
		return fmt.Sprintf("%d bytes follow", n)
	}
	return ""
}
