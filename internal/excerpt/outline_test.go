package excerpt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

const minJSON = 64 // characters: the documented smallest limit

// outline returns the text of the outline of a complete document.
func outline(document []byte, limit int) (text string, ok bool) {
	x, ok := excerpt.Outline(excerpt.Source{Output: excerpt.Output{Head: document, Total: int64(len(document))}}, limit)
	return x.Text, ok
}

// numbers is [1,2,3…].
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",%d", i+1)
	}
	return "[" + b.String()[1:] + "]"
}

func TestOutline(t *testing.T) {
	t.Parallel()
	x, ok := excerpt.Outline(stored(sourceOf(numbers(1000), 8000), "/a", 3894), 64)
	require.True(t, ok)
	require.Equal(t, excerpt.Excerpt{
		Note: `[Result too long to show: 3894 bytes, 1 line. All of it is in /a; read on there with Grep. ` +
			`Below is a shorter JSON document; each "…" in it says what was left out there.]`,
		Text: `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,{"…":"984 more items"}]`,
	}, x)

	x, ok = excerpt.Outline(sourceOf("[1,"+strings.Repeat("\n", 100)+"2]", 8000), 64)
	require.True(t, ok)
	require.Equal(t, excerpt.Excerpt{Text: "[1,2]"}, x, "nothing was left out")

	for _, s := range []excerpt.Source{sourceOf(numbers(1000), 2000), sourceOf("no JSON", 100)} {
		x, ok = excerpt.Outline(s, 64)
		require.False(t, ok)
		require.Equal(t, excerpt.Excerpt{}, x)
	}
}

func TestOutlineText(t *testing.T) {
	t.Parallel()
	const record = `{"id":1.50e2,"name":"somebody","tags":["a","b"]}`
	records := strings.Repeat(","+record, 200)[1:]
	long := strings.Repeat("word ", 100)
	tests := []struct {
		name     string
		document string
		limit    int
		want     string
	}{
		{name: "fits with its space", document: "{ \"a\" : 1 }\n", limit: 64, want: "{ \"a\" : 1 }\n"},
		{name: "fits without its space", document: "[1," + strings.Repeat(" ", 100) + "1.0e5, \"\\u00e9\" ]", limit: 64,
			want: `[1,1.0e5,"\u00e9"]`},
		{name: "an array of numbers", document: numbers(1000), limit: 64,
			want: `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,{"…":"984 more items"}]`},
		{name: "an array of records", document: "[" + records + "]", limit: 500,
			want: "[" + strings.Repeat(record+",", 9) + `{"…":"191 more items"}]`},
		{name: "an array of records, in little room", document: "[" + records + "]", limit: 150,
			want: "[" + strings.Repeat(`{"id":1.50e2,"…":"2 more members"},`, 3) + `{"…":"197 more items"}]`},
		{name: "an object of many members", document: `{"a":1,"b":2` + strings.Repeat(`,"c":[1,2,3]`, 20) + `}`, limit: 64,
			want: `{"a":1,"b":2,"c":[1,2,3],"c":[1,2,3],"…":"18 more members"}`},
		{name: "a string", document: `"` + long + `"`, limit: 64, want: `"` + long[:40] + `…[460 more characters]"`},
		{name: "escapes stay whole", document: `"` + strings.Repeat(`\ud83d\ude00`, 50) + `"`, limit: 64,
			want: `"` + strings.Repeat(`\ud83d\ude00`, 3) + `…[47 more characters]"`},
		{name: "characters, not bytes", document: `"` + strings.Repeat("漢", 100) + `"`, limit: 64,
			want: `"` + strings.Repeat("漢", 40) + `…[60 more characters]"`},
		{name: "a number", document: strings.Repeat("9", 100), limit: 64, want: `{"…":"100 bytes left out"}`},
		{name: "invalid UTF-8", document: "[\"a\xffb\"]", limit: 64, want: "[\"a\uFFFDb\"]"},
		{name: "every part before the whole of one", limit: 200,
			document: fmt.Sprintf(`{"log":%q,"items":%s,"next":{"page":2},"ok":true}`, long, numbers(300)),
			want: `{"log":"` + long[:53] + `…[447 more characters]","items":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,{"…":"279 more items"}],` +
				`"next":{"page":2},"ok":true}`},
		{name: "the key of the note is in use", document: `{"…":"3 more members","x":"` + long + `","y":"` + long + `"}`, limit: 64,
			want: `{"…":"3 more members","……":"2 more members"}`},
		{name: "nothing of it fits", document: `{"` + long + `":1}`, limit: 64, want: `{"…":"1 more member"}`},
		{name: "the limit is too small", document: numbers(1000), limit: -1,
			want: `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,{"…":"984 more items"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := outline([]byte(tt.document), tt.limit)
			require.True(t, ok)
			require.Equal(t, tt.want, got)
			requireCut(t, []byte(tt.document), tt.limit)
		})
	}
}

func TestOutlineRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "word", "{", "[1,]", "{} {}", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		got, ok := outline([]byte(text), 100)
		require.False(t, ok, "%.20s", text)
		require.Empty(t, got)
	}
	large := []byte(`"` + strings.Repeat("x", excerpt.MaxJSON-2) + `"`)
	_, ok := outline(large, 100)
	require.True(t, ok)
	_, ok = outline(append(large, ' '), 100)
	require.False(t, ok)
}

// TestOutlineOfDeepDocuments: deep values are omitted, and nothing recurses without end.
func TestOutlineOfDeepDocuments(t *testing.T) {
	t.Parallel()
	const deep = 9000
	for _, tt := range []struct{ name, open, close string }{
		{name: "arrays", open: "[", close: "]"},
		{name: "objects", open: `{"a":`, close: "}"},
		{name: "both, with more beside", open: `{"a":1,"b":[2,`, close: `,3],"c":4}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document := []byte(strings.Repeat(tt.open, deep/2) + "0" + strings.Repeat(tt.close, deep/2))
			for _, limit := range []int{64, 5000} {
				requireCut(t, document, limit)
			}
		})
	}
}

// requireCut cuts a document and checks all that is promised of the result.
func requireCut(t *testing.T, document []byte, limit int) string {
	t.Helper()
	cut, ok := outline(document, limit)
	require.True(t, ok)
	require.True(t, json.Valid([]byte(cut)), "%s", cut)
	require.True(t, utf8.ValidString(cut))
	require.LessOrEqual(t, utf8.RuneCountInString(cut), max(limit, minJSON))
	p, err := newPair(document, []byte(cut))
	require.NoError(t, err)
	require.NoError(t, p.differ(p.whole.Root(), p.cut.Root()))
	again, ok := outline([]byte(cut), max(limit, minJSON))
	require.True(t, ok)
	require.Equal(t, cut, again, "what fits is not changed")
	return cut
}

// randomJSON returns a value with some space in it.
func randomJSON(rnd *rand.Rand, depth int) string {
	space := strings.Repeat(" ", rnd.IntN(3)/2)
	switch kind := rnd.IntN(10); {
	case kind < 2 || depth == 0 && kind < 6:
		return space + []string{"true", "null", "-0.10E+5", "12345678901234567890", strings.Repeat("7", 60)}[rnd.IntN(5)]
	case kind < 5 || depth == 0:
		var b strings.Builder
		for range rnd.IntN(80) {
			b.WriteString([]string{"a", " ", `\n`, `\"`, `\\`, `\u00e9`, "é", "漢", "😀", `\ud83d\ude00`, `\ud83d`, "…["}[rnd.IntN(12)])
		}
		return space + `"` + b.String() + `"`
	case kind < 8:
		items := make([]string, rnd.IntN(12))
		for i := range items {
			items[i] = randomJSON(rnd, depth-1)
		}
		return "[" + space + strings.Join(items, ",") + "]"
	}
	items := make([]string, rnd.IntN(12))
	for i := range items {
		items[i] = fmt.Sprintf(`%s"%s%d" :%s`, space, strings.Repeat("k", rnd.IntN(20)), i, randomJSON(rnd, depth-1))
	}
	return "{" + strings.Join(items, ",") + space + "}"
}

func TestOutlineOfRandomDocuments(t *testing.T) {
	t.Parallel()
	cuts := 0
	for seed := range effort.Of(t, uint64(100)) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		document := randomJSON(rnd, 4)
		for _, limit := range []int{0, 64, 100, 500, 2000} {
			if cut := requireCut(t, []byte(document), limit); cut != document {
				cuts++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, cuts, 100)
	}
}

func FuzzOutline(f *testing.F) {
	f.Add([]byte(numbers(200)), uint16(100))
	f.Add([]byte(`{"a":"\ud83d\ude00\\\"","…":[[[[{"b":1e999}]]]]}`), uint16(10))
	f.Add([]byte("\"\xff\\u12\""), uint16(0))
	f.Fuzz(func(t *testing.T, document []byte, limit uint16) {
		if !json.Valid(document) {
			_, ok := outline(document, int(limit))
			require.Equal(t, json.Valid([]byte(strings.ToValidUTF8(string(document), "\uFFFD"))), ok)
			return
		}
		requireCut(t, document, int(limit))
	})
}

// randomValue returns a value for json.Marshal.
func randomValue(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(7); {
	case n == 0 && depth < 5:
		m := map[string]any{}
		for i := range rnd.IntN(30) {
			m[strings.Repeat("k", rnd.IntN(40))+fmt.Sprint(i)] = randomValue(rnd, depth+1)
		}
		return m
	case n <= 2 && depth < 5:
		var a []any
		for range rnd.IntN(40) {
			a = append(a, randomValue(rnd, depth+1))
		}
		return a
	case n == 3:
		return strings.Repeat("\u2028\"\\ä😀\x00", rnd.IntN(100))
	case n == 4:
		return json.Number(strings.Repeat("9", 1+rnd.IntN(200)))
	}
	return rnd.Int()
}

func TestOutlineOfMarshalledValues(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		raw, err := json.Marshal(randomValue(rnd, 0))
		require.NoError(t, err)
		most := 64 + rnd.IntN(1000)
		cut, ok := outline(raw, most)
		require.True(t, ok || len(raw) > excerpt.MaxJSON, "%d %.300s", len(raw), raw)
		if !ok {
			continue
		}
		require.True(t, json.Valid([]byte(cut)), cut)
		require.LessOrEqual(t, utf8.RuneCountInString(cut), most)
	}
}

func TestLast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  string
		most  int
		later bool // the text does not begin here
		want  string
		start int
	}{
		{name: "nothing"},
		{name: "all", text: "one\ntwo", most: 7, want: "one\ntwo"},
		{name: "a whole line", text: "one\ntwo", most: 6, want: "two", start: 4},
		{name: "at a line already", text: "one\ntwo", most: 3, want: "two", start: 4},
		{name: "one line", text: "onetwo", most: 3, want: "two", start: 3},
		{name: "one line that ends", text: "onetwo\n", most: 4, want: "two\n", start: 3},
		{name: "a whole character", text: "漢字", most: 5, want: "字", start: 3},
		{name: "from the middle of a line", text: "one\ntwo", most: 10, later: true, want: "two", start: 4},
		{name: "from the middle of a character", text: "\xa2字", most: 10, later: true, want: "字", start: 1},
		{name: "marks are longer than what they stand for", text: "a\xffb\xff", most: 4, want: "b\uFFFD", start: 2},
		{name: "one mark for all", text: "a\xff\xfe\xfd", most: 4, want: "a\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, start := excerpt.Last([]byte(tt.text), tt.most, !tt.later)
			require.Equal(t, tt.want, text)
			require.Equal(t, tt.start, start)
		})
	}
}

func TestLastOfRandomText(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(2000)) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		text := randomText(rnd, seed%2 == 0)
		most := rnd.IntN(500)
		last, start := excerpt.Last([]byte(text), most, rnd.IntN(2) == 0)
		require.LessOrEqual(t, len(last), most)
		require.True(t, utf8.ValidString(last))
		require.Equal(t, strings.ToValidUTF8(text[start:], "\uFFFD"), last)
		if seed%2 == 0 {
			require.NotContains(t, last, "\uFFFD")
		}
		if again, from := excerpt.Last([]byte(last), most, true); start > 0 {
			require.Equal(t, last, again, "what fits is not changed")
			require.Zero(t, from)
		}
	}
}

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

// TestOutlineOfTheCorpus cuts every document there is in outside data: files that are
// JSON, lines that are, and results of tools that are.
func TestOutlineOfTheCorpus(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		documents, cuts, results := 0, 0, 0
		try := func(text []byte) {
			if !json.Valid(text) {
				return
			}
			documents++
			for _, limit := range []int{64, 2000, 10_000} {
				if cut := requireCut(t, text, limit); cut != string(text) {
					cuts++
				}
			}
		}
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			switch filepath.Ext(path) {
			case ".json":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				try(text)
			case ".jsonl":
				n := 0
				for _, line := range corpus.Lines(t, path) {
					if n++; n > 1500 {
						break
					}
					try(line)
					var call struct{ Result string }
					if json.Unmarshal(line, &call) == nil && bytes.ContainsAny([]byte(call.Result), "{[") && json.Valid([]byte(call.Result)) {
						results++
						try([]byte(call.Result))
					}
				}
			}
			return nil
		}))
		corpus.Report(t, folder, "%d documents, %d of them results of tools; cut %d times", documents, results, cuts)
		require.NotZero(t, documents)
	}
}
