package reference

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// HeapGrowth returns by how many bytes the heap grows at most while f runs. Garbage that is
// not collected yet counts. A test that calls it must not be parallel.
func HeapGrowth(f func()) uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before, most := sample[0].Value.Uint64(), uint64(0)
	done := goroutine.Go(f)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
		case <-done:
			return most - min(most, before)
		}
	}
}
