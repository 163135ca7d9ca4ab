package resulttrim_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

// FuzzDecide makes sure of what holds for any input whatsoever: a fate for each
// result, keys that differ, the same answers when asked again, after a restart,
// and from the transcript alone.
func FuzzDecide(f *testing.F) {
	f.Add([]byte("aaaabbbb"), 10, 10, 0, 0)
	f.Add([]byte("\x00\x01\x10\x00\x01\x01\xff\xff\x00\x02\x80\x00\xff\x02\x00\x7f"), 100, 100, 50, 5)
	f.Add([]byte("\x01\x01\x7f\x7f\x02\x02\x7f\x7f\x03\x03\x7f\x7f\x04\x04\x7f\x7f"), 1, math.MaxInt, -1, math.MinInt)
	f.Fuzz(func(t *testing.T, data []byte, message, keep, batch, least int) {
		limits := resulttrim.Limits{PerMessage: message, KeepRecent: keep, MaskStep: batch, MinSize: least}
		results := resultsFrom(data)
		var live resulttrim.State
		var before []resulttrim.Decision
		for _, prefix := range prefixes(results) {
			got := live.Decide(prefix, limits)
			requireStands(t, results[:len(before)], before, got)
			before = got
		}
		require.Len(t, before, len(results))
		keys := make(map[resulttrim.Key]bool)
		for i, d := range before {
			require.Contains(t, []resulttrim.Form{resulttrim.Whole, resulttrim.Replaced, resulttrim.Masked}, d.Form)
			if results[i].Fixed || results[i].Size <= max(least, 0) {
				require.Equal(t, resulttrim.Whole, d.Form)
			}
			keys[d.Key] = true
		}
		require.Len(t, keys, len(results))
		if len(results) == 0 {
			return
		}
		var fresh resulttrim.State
		require.Equal(t, before, fresh.Decide(results, limits))
		require.Equal(t, before, live.Decide(results, limits))
		require.Equal(t, before, reloaded(t, &live).Decide(results, limits))
	})
}

// FuzzUnmarshal makes sure that whatever is read can be used and written again.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte(`{"version":1,"results":[{"id":"","repeat":2,"fate":"masked"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s resulttrim.State
		if json.Unmarshal(data, &s) != nil {
			return
		}
		again := reloaded(t, &s)
		results := resultsFrom(data)
		limits := resulttrim.Limits{PerMessage: 100, KeepRecent: 100}
		require.Equal(t, s.Decide(results, limits), again.Decide(results, limits))
	})
}

// resultsFrom reads four bytes per result. One bit of the id byte makes it fixed,
// another makes its size that of an extreme integer.
func resultsFrom(data []byte) []resulttrim.Result {
	var out []resulttrim.Result
	for ; len(data) >= 4; data = data[4:] {
		r := resulttrim.Result{
			ID:    string(data[0:1]),
			Turn:  int(int8(data[1])),
			Size:  int(int16(binary.BigEndian.Uint16(data[2:]))),
			Fixed: data[0]&1 != 0,
		}
		if data[0]&2 != 0 {
			r.Size <<= bits.UintSize - 17
		}
		out = append(out, r)
	}
	return out
}
