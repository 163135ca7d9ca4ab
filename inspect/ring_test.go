package inspect_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryOfTheRingIsBounded with inputs of 128 KiB and results of 30 KB. It does not run
// beside other tests, whose memory would count.
func TestMemoryOfTheRingIsBounded(t *testing.T) { //nolint:paralleltest // it measures the heap
	for _, contents := range []bool{true, false} {
		b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, func(o *inspect.Options) { o.Contents = contents },
			writer("Write", tooltest.Reply{Text: strings.Repeat("r", 29_000)}))
		tail := `","text":"` + strings.Repeat("x", 128<<10-100) + `"}`
		calls := effort.Of(t, inspect.DefaultKeep)
		if !contents {
			calls = min(calls, 200)
		}
		pool, executor := b.pool(), &pegboard.Executor{OnEvent: b.page.Record}
		before := heap()
		for i := range calls {
			executor.Run(t.Context(), pool, call(fmt.Sprint(i), "Write", fmt.Sprintf(`{"path":"%d`, i)+tail))
		}
		used := heap() - before
		limit := int64(18 << 20) // 200 calls have 25 MiB of input
		if !contents {
			limit = 8 << 20
		}
		require.Less(t, used, limit, "%d calls", calls)
		require.Contains(t, b.see(t, "/timeline"), fmt.Sprintf("%d calls are remembered", calls))
		runtime.KeepAlive(b)
	}
}

// TestHugeTexts are cut, and neither hold up the call nor fill the page.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("<b>\u202e\x1b", 1<<20) // 8 MB in one line
	b := newBench(t, pegboard.SessionConfig{}, nil, writer(strings.Repeat("W", 60)))
	b.run(t, call(huge, huge, huge), call("2", strings.Repeat("W", 60), `{"path":"`+strings.Repeat("p", 8<<20)+`"}`))
	for _, path := range []string{"/", "/timeline", "/call?n=1", "/call?n=2"} {
		page := b.see(t, path)
		require.Less(t, len(page), 150_000, path)
		harmless(t, page)
	}
}
