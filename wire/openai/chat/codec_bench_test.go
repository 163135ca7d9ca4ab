package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before. Half of them are strict.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, toolOf(b, pegboard.Info{Name: fmt.Sprintf("tool%04d", i), Strict: i%2 == 0}, "Does something.", city))
			}
			p := poolOf(b, tools...)
			chat.New(p, chat.Config{})
			b.ReportAllocs()
			for b.Loop() {
				chat.New(p, chat.Config{})
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	chunks := []string{calling(piece(0, "a", "write", ""))}
	for range 1000 {
		chunks = append(chunks, saying("Some words. "), calling(piece(0, "", "", `"some text",`)))
	}
	body := stream(append(chunks, because("length"))...)
	var w chat.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
	var texts []string
	size := 0
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		texts = append(texts, model(call(id, "write")), result(id, strings.Repeat("lorem ipsum ", 500)))
	}
	for _, s := range texts {
		size += len(s)
	}
	messages := messagesOf(texts...)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(chat.Codec).Normalize(messages)
	}
}
