package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, tool(b, fmt.Sprintf("tool%04d", i), "Does something.", `{"properties":{"path":{"type":"string"}},"required":["path"]}`))
			}
			p := poolOf(b, tools...)
			anthropic.New(p, anthropic.Config{})
			b.ReportAllocs()
			for b.Loop() {
				anthropic.New(p, anthropic.Config{})
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	body := fixture(b, "parallel.sse")
	var w anthropic.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}
