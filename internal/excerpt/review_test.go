package excerpt_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// Random texts through Reader, Beginning and Ends: counts in notices hold.
func TestReviewNotices(t *testing.T) {
	t.Parallel()
	letters := []string{"a", "ä", "😀", "\n", "\r\n", "\xff", "\n\n", "xxxxxxxxxx"}
	for seed := range effort.Of(t, uint64(3000)) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		var b strings.Builder
		for range rnd.IntN(400) {
			b.WriteString(letters[rnd.IntN(len(letters))])
		}
		text := b.String()
		most := 1 + rnd.IntN(200)
		s := excerpt.NewReader(strings.NewReader(text)).Source()
		s.Path, s.Stored = "/p", int64(len(text))
		lines := int64(strings.Count(text, "\n"))
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines++
		}
		require.Equal(t, lines, s.Lines)
		x := excerpt.Ends(s, most)
		require.True(t, utf8.ValidString(x.Text))
		require.LessOrEqual(t, utf8.RuneCountInString(x.Text), most+1)
		if x.Note != "" {
			var total, ln, head, tail int64
			require.Contains(t, x.Note, fmt.Sprintf("%d bytes, ", len(text)))
			i := strings.Index(x.Note, "the first ")
			_, err := fmt.Sscanf(x.Note[i:], "the first %d bytes", &head)
			require.NoError(t, err)
			i = strings.Index(x.Note, "the last ")
			_, err = fmt.Sscanf(x.Note[i:], "the last %d bytes", &tail)
			require.NoError(t, err)
			_, _ = total, ln
			require.LessOrEqual(t, head+tail, int64(len(text)))
			want := text[:head]
			if head > 0 && tail > 0 && !strings.HasSuffix(want, "\n") {
				want += "\n"
			}
			want += text[int64(len(text))-tail:]
			require.Equal(t, strings.TrimRight(strings.ToValidUTF8(want, "\uFFFD"), "\n"), x.Text)
			if j := strings.Index(x.Note, "(from line "); j >= 0 {
				var from int64
				_, err = fmt.Sscanf(x.Note[j:], "(from line %d)", &from)
				require.NoError(t, err)
				require.Equal(t, int64(strings.Count(text[:int64(len(text))-tail], "\n"))+1, from, "%q %q", text, x.Note)
			}
		}
		y := excerpt.Beginning(s, most)
		require.True(t, utf8.ValidString(y.Text))
		require.LessOrEqual(t, utf8.RuneCountInString(y.Text), most)
	}
}

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

func TestReviewJSON(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		raw, err := json.Marshal(randomValue(rnd, 0))
		require.NoError(t, err)
		most := 64 + rnd.IntN(1000)
		cut, ok := excerpt.JSON(raw, most)
		require.True(t, ok || len(raw) > excerpt.MaxJSON, "%d %.300s", len(raw), raw)
		if !ok {
			continue
		}
		require.True(t, json.Valid([]byte(cut)), cut)
		require.LessOrEqual(t, utf8.RuneCountInString(cut), most)
	}
}

// A log whose lines begin with a bracket is not copied to find out that it is no JSON.
func TestReviewPreviewCopiesNothing(t *testing.T) {
	whole := strings.Repeat("[2026-11-21] a line of a log\n", 4<<20)
	s := excerpt.NewReader(strings.NewReader(whole)).Source()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	excerpt.Preview(s, whole, 2000)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(whole)))
}
