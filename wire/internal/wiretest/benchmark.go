package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
)

// Benchmark makes the tools of a request from pools whose tools were sent before, half of them
// strict, and repairs and shortens a conversation of 100 calls in which nothing is wrong.
func Benchmark(b *testing.B, w Wire) {
	b.Helper()
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("New/", n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, Tool(b, pegboard.Info{Name: fmt.Sprintf("tool%04d", i), Strict: i%2 == 0}, "Does something.", OnePath))
			}
			p := Pool(b, tools...)
			w.New(p)
			b.ReportAllocs()
			for b.Loop() {
				w.New(p)
			}
		})
	}
	var messages []json.RawMessage
	size := 0
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		for _, m := range words(w.Model(w.Call(id, "write", `{"path":"x"}`)), w.User(w.Result(id, "write", strings.Repeat("lorem ipsum ", 500)))) {
			messages, size = append(messages, m), size+len(m)
		}
	}
	s := &Trimmer{Texts: make([]string, 100)}
	s.Texts[7] = "short"
	for name, do := range map[string]func(){
		"Normalize": func() { w.Zero.Normalize(messages) },
		"Trim":      func() { w.Zero.Trim(b.Context(), messages, s) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
