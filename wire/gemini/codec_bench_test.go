package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, tool(b, fmt.Sprintf("tool%04d", i), "Does something.", onePath))
			}
			p := poolOf(b, tools...)
			gemini.New(p, gemini.Config{})
			b.ReportAllocs()
			for b.Loop() {
				gemini.New(p, gemini.Config{})
			}
		})
	}
}

// BenchmarkRead reads the same reply as a stream of events and as an array.
func BenchmarkRead(b *testing.B) {
	responses := []string{says(`{"text":"I look ","thought":true}`)}
	for range 20 {
		responses = append(responses, says(`{"text":"at both of them, one by one. "}`))
	}
	responses = append(responses, says(calls("weather", `{"city": "Zürich"}`)), ends("STOP", calls("clock", "{}")))
	for name, body := range map[string]string{"events": stream(responses...), "array": array(responses...)} {
		b.Run(name, func(b *testing.B) {
			var w gemini.Codec
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
