package tooltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

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
