package tooltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/iotest"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
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

// checkConcurrent stores one result, and results of their own, from several goroutines.
func (x *storeExam) checkConcurrent() bool {
	const crowd = 8
	common := storeSample{callID: "crowd", mime: "text/plain", text: strings.Repeat("the same from all\n", 5_000)}
	type put struct {
		own    storeSample
		stored [2]pegboard.StoredResult // of common, and its own
		err    error
	}
	puts, fs := make([]put, crowd), make([]func(), crowd)
	for i := range puts {
		p, store := &puts[i], x.stores[i%len(x.stores)]
		p.own = storeSample{callID: fmt.Sprint("crowd ", i), mime: "text/plain", text: strings.Repeat(fmt.Sprintln("from", i), 5_000)}
		fs[i] = func() {
			for j, s := range []storeSample{common, p.own} {
				var err error
				p.stored[j], err = store.Put(context.Background(), s.callID, s.mime, s.reader())
				p.err = errors.Join(p.err, err)
			}
		}
	}
	if !x.runAll(ruleStoreReturns, "Put by several goroutines", "", fs...) {
		return false
	}
	for _, p := range puts {
		switch {
		case p.err != nil:
			x.addViolation(ruleStoreConcurrent, p.own.input(), "Put by several goroutines: %v", p.err)
			return true
		case p.stored[0] != puts[0].stored[0]:
			x.addViolation(ruleStoreConcurrent, common.input(), "Put by several goroutines gave %+v and %+v", puts[0].stored[0], p.stored[0])
			return true
		case !x.expectAll(ruleStoreConcurrent, p.own, p.stored[1]):
			return true
		}
		x.kept = append(x.kept, keptResult{p.own, p.stored[1]})
	}
	if x.expectAll(ruleStoreConcurrent, common, puts[0].stored[0]) {
		x.kept = append(x.kept, keptResult{common, puts[0].stored[0]})
	}
	return true
}

// checkReaders reads one result through two readers in turn.
func (x *storeExam) checkReaders() bool {
	k := x.kept[0]
	var got [2]bytes.Buffer
	var err error
	if !x.runStage("Open and read", k.input(), func() { err = readInTurn(x.stores[0], k.stored.Ref, &got) }) {
		return false
	}
	if err != nil {
		x.addViolation(ruleStoreConcurrent, k.input(), "two readers: %v", err)
	}
	for i := range got {
		if err == nil && got[i].String() != k.text {
			x.addViolation(ruleStoreConcurrent, k.input(), "of two readers, reader %d gave %.40q", i+1, got[i].String())
		}
	}
	return true
}

func readInTurn(store pegboard.ResultStore, ref string, to *[2]bytes.Buffer) error {
	var readers [2]io.ReadCloser
	for i := range readers {
		r, err := store.Open(context.Background(), ref)
		if err != nil {
			return err
		}
		defer func() { _ = r.Close() }()
		readers[i] = r
	}
	for ended := 0; ended < len(readers); {
		ended = 0
		for i, r := range readers {
			_, err := io.CopyN(&to[i], r, 3)
			if errors.Is(err, io.EOF) {
				ended++
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// checkChanges opens everything that was stored once more, in all stores, and reads the
// rest of the reader that is open.
func (x *storeExam) checkChanges() bool {
	for _, k := range x.kept {
		if !x.expectAll(ruleStoreChanges, k.storeSample, k.stored) && x.stuck {
			return false
		}
	}
	first := x.kept[0]
	var rest []byte
	var err error
	if !x.runStage("Read", first.input(), func() { rest, err = io.ReadAll(x.halfRead) }) {
		return false
	}
	if err != nil || string(rest) != first.text[1:] {
		x.addViolation(ruleStoreChanges, first.input(), "a reader that was open gave %.40q after the first byte: %v", rest, err)
	}
	return true
}

// maxRef is how long a Ref may be, together with Path: the model is shown one of them.
const maxRef = 8 << 10

// checkRef examines the name of a stored result.
func (x *storeExam) checkRef(s storeSample, stored pegboard.StoredResult) {
	ref := stored.Ref
	elements := strings.FieldsFunc(ref, func(r rune) bool { return r == '/' || r == '\\' })
	problem := ""
	switch {
	case ref == "":
		problem = "is empty"
	case len(ref)+len(stored.Path) > maxRef:
		problem = fmt.Sprintf("has %d bytes, and Path %d", len(ref), len(stored.Path))
	case !utf8.ValidString(ref) || !isLine(ref):
		problem = "is not one line of visible text"
	case filepath.IsAbs(ref) || strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, `\`):
		problem = "is an absolute path"
	case slices.Contains(elements, ".."):
		problem = `has the element ".."`
	}
	if problem != "" {
		x.addViolation(ruleStorePaths, s.input(), "Ref %.60q %s", ref, problem)
	}
}

// checkSame stores the same results again, in both stores and from readers that return
// other pieces.
func (x *storeExam) checkSame() bool {
	readers := []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader, iotest.HalfReader}
	for i, k := range x.kept {
		for store := range x.stores {
			again, ok := x.putFrom(store, k.storeSample, readers[(i+store)%len(readers)](k.reader()))
			if !ok {
				return false
			}
			if again != k.stored {
				x.addViolation(ruleStoreSame, k.input(), "it was %+v; put again into store %d, %+v", k.stored, store+1, again)
				break
			}
		}
	}
	return x.elsewhere == nil || x.checkElsewhere()
}

// checkElsewhere compares names with those that another process was given.
func (x *storeExam) checkElsewhere() bool {
	var theirs []pegboard.StoredResult
	var err error
	if !x.runStage("Elsewhere", "", func() { theirs, err = x.elsewhere() }) {
		return false
	}
	if err != nil || len(theirs) != len(storeSamples) {
		x.addViolation(ruleStoreSame, "", "the other process has put %d of %d results: %v", len(theirs), len(storeSamples), err)
		return true
	}
	for i, stored := range theirs {
		if k := x.kept[i]; stored != k.stored {
			x.addViolation(ruleStoreSame, k.input(), "it is %+v; in the other process, %+v", k.stored, stored)
		} else if !x.expectAll(ruleStoreSame, k.storeSample, stored) {
			return true
		}
	}
	return true
}

// oddIDs returns ids that are equal for some file systems, or have a meaning for one.
func oddIDs() []string {
	return []string{
		"a", "A", "a.", "a ", "a/b", "a_b", `a\b`, "a:b", "a\x00b", "a\nb", "a\xffb", "aéb", "ae\u0301b",
		"..", "../../a", "/a", `C:\a`, "con", ".hidden", "%2e%2e%2fa", strings.Repeat("a", 10_000), strings.Repeat("a", 10_000) + "b",
	}
}

// checkApart stores results of calls whose ids look alike, two for each. No two results
// of different bytes may have one Ref.
func (x *storeExam) checkApart() bool {
	begin := len(x.kept)
	for i, id := range oddIDs() {
		for j := range 2 {
			s := storeSample{callID: id, mime: "text/plain", text: fmt.Sprintf("result %d of call %d", j, i)}
			stored, ok := x.put(j, s)
			if !ok {
				return false
			}
			x.kept = append(x.kept, keptResult{s, stored})
		}
	}
	byRef := map[string]keptResult{}
	apart := true
	for _, k := range x.kept {
		if other, taken := byRef[k.stored.Ref]; taken && other.text != k.text {
			x.addViolation(ruleStoreApart, k.input(), "its Ref %.60q is also that of other bytes, of %s", k.stored.Ref, other.input())
			apart = false
		}
		byRef[k.stored.Ref] = k
	}
	if !apart {
		return false
	}
	for _, k := range x.kept[begin:] {
		if !x.expectAll(ruleStoreApart, k.storeSample, k.stored) {
			return false
		}
	}
	return true
}

// checkUnknown opens refs that Put has not returned.
func (x *storeExam) checkUnknown() bool {
	first := x.kept[0].stored.Ref
	for _, ref := range []string{
		"", "never", first + "x", first[:len(first)-1], " " + first, "./" + first, "x/../" + first, first + "\x00", first + "\n",
		".", "..", "../never", "/never", `..\never`, "never\x00", "\xff", strings.Repeat("n", 100_000),
	} {
		found, err, ok := x.openRef(ref)
		switch {
		case !ok:
			return false
		case err == nil:
			x.addViolation(ruleStoreUnknown, fmt.Sprintf("%.100q", ref), "Open returned %s and no error", found)
		case !errors.Is(err, fs.ErrNotExist):
			x.addViolation(ruleStoreUnknown, fmt.Sprintf("%.100q", ref), "the error does not wrap fs.ErrNotExist: %v", err)
		}
	}
	return true
}

// openRef opens a ref, reads the beginning and closes the reader. It reports whether all
// of this has returned.
func (x *storeExam) openRef(ref string) (found string, err error, ok bool) { //nolint:revive // ok says whether the error counts
	var beginning bytes.Buffer
	found = "a reader"
	ok = x.runStage("Open", fmt.Sprintf("%.100q", ref), func() {
		var r io.ReadCloser
		if r, err = x.stores[0].Open(context.Background(), ref); err != nil {
			return
		}
		if r == nil {
			found = "no reader"
			return
		}
		_, _ = io.CopyN(&beginning, r, int64(len(outside)))
		_ = r.Close()
	})
	if !ok {
		return "", nil, false
	}
	if beginning.String() == outside {
		found = outside
	}
	return found, err, true
}

// outside is the text of a file outside the store.
const outside = "this file is not in the store"

// checkOutside opens a file outside the store, by every path that leads to it.
func (x *storeExam) checkOutside() bool {
	dir, err := os.MkdirTemp("", "tooltest-store-*")
	if err != nil {
		x.violations = append(x.violations, fmt.Errorf("make a file outside the store: %w", err))
		return true
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "outside.txt")
	if err := os.WriteFile(path, []byte(outside), 0o600); err != nil {
		x.violations = append(x.violations, fmt.Errorf("make a file outside the store: %w", err))
		return true
	}
	refs := []string{path, "file://" + filepath.ToSlash(path)}
	for _, from := range []string{".", filepath.Dir(x.kept[0].stored.Path)} {
		if base, err := filepath.Abs(from); err == nil {
			if ref, err := filepath.Rel(base, path); err == nil {
				refs = append(refs, ref)
			}
		}
	}
	for _, ref := range refs {
		found, err, ok := x.openRef(ref)
		if !ok {
			return false
		}
		if err == nil && found == outside {
			x.addViolation(ruleStorePaths, fmt.Sprintf("%.100q", ref), "Open opens a file outside the store")
		}
	}
	return true
}

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

// A storeSample is a result for a store.
type storeSample struct {
	callID string
	mime   string
	text   string
	lines  int64 // size of the numbered lines that are put instead of text, if not 0
}

func (s storeSample) reader() io.Reader {
	if s.lines > 0 {
		return &numberedLines{left: s.lines}
	}
	return strings.NewReader(s.text)
}

// input names the sample in a violation.
func (s storeSample) input() string {
	return fmt.Sprintf("call %.60q, %d bytes", s.callID, max(s.lines, int64(len(s.text))))
}

// storeSamples are the results of StoreSample.
var storeSamples = []storeSample{
	{callID: "call_1", mime: "text/plain", text: "one line\n"},
	{callID: "call_1", mime: "text/plain", text: "another line of the same call\n"},
	{callID: "call_2", mime: "text/plain", text: ""},
	{callID: "call_3", mime: "image/png", text: "\x89PNG\r\n\x1a\n\x00\x00\xff\xfe"},
	{callID: "toolu_01ABC", mime: "application/json", text: `{"list":[1,2,3]}`},
	{callID: "", mime: "", text: "a call without an id"},
}

// StoreSample puts a few fixed results into a store and returns the result of Put for each. All processes get the same: see [StoreChecker].Elsewhere.
func StoreSample(store pegboard.ResultStore) ([]pegboard.StoredResult, error) {
	var all []pegboard.StoredResult
	for _, s := range storeSamples {
		stored, err := store.Put(context.Background(), s.callID, s.mime, s.reader())
		if err != nil {
			return nil, fmt.Errorf("put a result of call %q: %w", s.callID, err)
		}
		all = append(all, stored)
	}
	return all, nil
}

// numberedLines is a long text of which every 32 KiB are different. It is made as it is
// read.
type numberedLines struct {
	left  int64 // bytes to come
	block int64
	text  []byte // of a block, which begins with its number
	rest  []byte // of text, not read so far
}

func (l *numberedLines) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, io.EOF
	}
	if l.text == nil {
		l.text = bytes.Repeat([]byte("and so on, in line after line..\n"), 1<<10)
	}
	if len(l.rest) == 0 {
		l.block++
		l.rest = l.text
		strconv.AppendInt(l.text[:0], l.block, 10)
	}
	n := copy(p[:min(int64(len(p)), l.left)], l.rest)
	l.rest, l.left = l.rest[n:], l.left-int64(n)
	return n, nil
}

// A countedReader counts the bytes that were read from it, and hides the other methods
// of its reader.
type countedReader struct {
	r     io.Reader
	n     int64
	ended bool // Read has returned io.EOF
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.ended = c.ended || err == io.EOF
	return n, err
}
