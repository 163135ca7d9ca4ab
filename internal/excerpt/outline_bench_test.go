package excerpt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkOutline cuts documents of 4 MB to 2,000 characters: what tools return, and
// what is made to take long.
func BenchmarkOutline(b *testing.B) {
	const size = 4_000_000
	record := `{"id":12345,"name":"somebody","tags":["a","b"],"text":"some words that say little"},`
	for _, bm := range []struct{ name, document string }{
		{name: "records", document: "[" + strings.Repeat(record, size/len(record)) + "0]"},
		{name: "one string", document: `"` + strings.Repeat("a\\n", size/3) + `"`},
		{name: "numbers", document: "[" + strings.Repeat("1,", size/2) + "0]"},
		{name: "members", document: "{" + strings.Repeat(`"":0,`, size/5) + `"":0}`},
		{name: "numbers, deep", document: strings.Repeat("[", 9000) + "[" + strings.Repeat("1,", size/2) + "0]" + strings.Repeat("]", 9000)},
		{name: "arrays beside each other, deep", document: strings.Repeat("[[[[]]],", 4000) + strings.Repeat("[[]],", size/5) + "0" + strings.Repeat("]", 4000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			document := []byte(bm.document)
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				_, ok := outline(document, 2000)
				require.True(b, ok)
			}
		})
	}
}
