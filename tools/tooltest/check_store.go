package tooltest

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// CheckStore reports every way in which a store breaks the contract of
// [pegboard.ResultStore]. Every call of open returns another store over the same place: the
// same directory and session, bucket or table, which should be empty. The error joins one
// *[ContractError] for each violation; nil means that CheckStore has found none. Use a
// [StoreChecker] for a smaller large result, and for a second process.
//
// CheckStore checks these rules:
//
//  1. A store opens: open returns a store and no error, each time.
//  2. Results are kept: Open returns the bytes that Put has read, from either store: no
//     bytes at all, one line, text that is not UTF-8, and zero bytes. Size is their number,
//     and Path, if there is one, is absolute and names a file with the same bytes. Of the
//     large result a store may keep less, namely its first Size bytes. A text may follow
//     them.
//  3. Streams are read to the end: Put reads until io.EOF, even if it keeps less.
//  4. The same has the same name: the same bytes of a call give the same StoredResult,
//     again, in the other store, in another process, and whatever pieces the reader
//     returns.
//  5. Others are apart: other bytes of a call, and bytes of another call, have another Ref
//     unless they are the same bytes. The ids of calls may be any text: empty, long, in
//     other letter case, with slashes, dots, control characters and invalid UTF-8.
//  6. Nothing partial stays: when the reader fails, Put returns an error. When the context
//     ends before Put or while it reads, Put returns an error or keeps all bytes. With the
//     error there is nothing to open, and the same call can be stored afterwards. Nothing
//     is seen of a result that is still being read.
//  7. Unknown refs do not exist: Open of a ref that Put has not returned fails with an
//     error that wraps fs.ErrNotExist: an empty one, a shorter or longer one, and refs that
//     look like paths.
//  8. Refs are no paths: Open returns no file from outside the store. A ref is one line of
//     visible text, is not absolute and has no element "..", whatever the id of the call.
//     With Path it has at most 8 KiB.
//  9. Concurrent calls agree: what several goroutines put into both stores is named and
//     kept as by one, readers of one result do not disturb each other, and Put does not
//     wait for the reader of another Put.
//  10. Stored results never change: after all of this, every result opens as it was put,
//     also in a store that is opened then, and so does a reader that was open meanwhile.
//  11. Every method returns: no panic, no runtime.Goexit, no endless wait.
//
// Rule 4 speaks of all processes. CheckStore sees only its own, so a name that depends on
// the process is found by [StoreChecker].Elsewhere. CheckStore does not examine how a store
// removes old results. It ends by closing the stores that have a method Close() error. It
// does not remove the results.
func CheckStore(open func() (pegboard.ResultStore, error)) error { return StoreChecker{}.Check(open) }

// A StoreChecker is a [CheckStore] with settings. The zero value is equivalent to
// CheckStore.
type StoreChecker struct {
	// Large is the size of the largest result in bytes; 0 means 64 MiB, the default limit
	// of a [pegboard.DirStore].
	Large int64
	// Elsewhere returns the result of [StoreSample] in another process, for a store over
	// the same place: for example, it runs a program that prints it as JSON. Nil means that
	// names are compared within this process only.
	Elsewhere func() ([]pegboard.StoredResult, error)
	// Grace is how long a method may take; 0 means a minute.
	Grace time.Duration
}

// Check is like the function [CheckStore].
func (k StoreChecker) Check(open func() (pegboard.ResultStore, error)) error {
	x := &storeExam{
		verdict: verdict{purposes: storePurposes, returns: ruleStoreReturns, grace: k.Grace},
		open:    open, large: k.Large, elsewhere: k.Elsewhere,
	}
	if x.grace <= 0 {
		x.grace = time.Minute
	}
	if x.large <= 0 {
		x.large = 64 << 20
	}
	defer x.close()
	x.check()
	return x.err()
}
