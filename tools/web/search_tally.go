package web

import (
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

// searchTallies counts the requests of each conversation.
var searchTallies = pegboard.NewKey[*searchTally]("requests of WebSearch")

// A searchTally counts requests to backends.
type searchTally struct{ n atomic.Int64 }

// take counts one more request, if there are fewer than limit. It reports whether it did.
func (t *searchTally) take(limit int) bool {
	for {
		n := t.n.Load()
		if n >= int64(limit) {
			return false
		}
		if t.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}
