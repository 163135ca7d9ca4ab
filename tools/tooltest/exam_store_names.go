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
	"strings"
	"testing/iotest"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

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
