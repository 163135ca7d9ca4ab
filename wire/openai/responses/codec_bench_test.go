package responses_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				info := pegboard.Info{Name: fmt.Sprintf("tool%04d", i), Loading: loading(i%2 == 0)}
				tools = append(tools, tool(b, info, "Does something.", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`))
			}
			p := poolOf(b, tools...)
			responses.New(p, responses.Config{HostedSearch: true})
			b.ReportAllocs()
			for b.Loop() {
				responses.New(p, responses.Config{HostedSearch: true})
			}
		})
	}
}

// BenchmarkRead reads text in 200 pieces, and four calls.
func BenchmarkRead(b *testing.B) {
	events := []string{created, added(0, says)}
	for range 200 {
		events = append(events, delta(0, "output_text", "piece "))
	}
	events = append(events, done(0, says))
	for i := range 4 {
		id := fmt.Sprintf("call_%d", i)
		events = append(events, added(i+1, useAs("in_progress", id, "clock", "")), delta(i+1, "function_call_arguments", `{"x":1}`), done(i+1, use(id, "clock", `{"x":1}`)))
	}
	body := stream(append(events, ending("completed", ""))...)
	var w responses.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var items []json.RawMessage
	size := 0
	for len(items) < 200 {
		for _, item := range randomItems(random) {
			item = strings.ReplaceAll(item, "call_", fmt.Sprintf("call_%d_", len(items)))
			item = strings.ReplaceAll(item, "<12>", strings.Repeat("lorem ipsum\\n", 500))
			items = append(items, json.RawMessage(item))
			size += len(item)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(responses.Codec).Normalize(items)
	}
}
