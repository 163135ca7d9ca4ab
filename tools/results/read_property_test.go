package results_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/results"
)

// randomText has about n characters of all lengths, in long and short lines.
func randomText(random *rand.Rand, n int) string {
	parts := []string{"a", "word ", "\n", "é", "漢", "😀", "\r\n"}
	var b strings.Builder
	for range random.IntN(n) {
		if random.IntN(60) == 0 {
			b.WriteString(strings.Repeat(parts[random.IntN(len(parts))], random.IntN(150)))
		}
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}

// TestPagesAreTheWholeText follows the notices as a model would.
func TestPagesAreTheWholeText(t *testing.T) {
	t.Parallel()
	goOn := regexp.MustCompile(`Go on with offset (\d+)`)
	for seed := range effort.Of(t, uint64(60)) {
		random := rand.New(rand.NewPCG(11, seed))
		limit := 1 + random.IntN(300)
		text := randomText(random, 4*limit)
		put := kept
		if seed%2 == 0 {
			put = inMemory
		}
		s, stored := put(t, text)
		var all strings.Builder
		offset, pages := 0, 0
		for {
			notice, page, out := read(t, s, results.Options{MaxBytes: limit}, fields{"ref": stored.Ref, "offset": offset})
			all.WriteString(page)
			pages++
			require.LessOrEqual(t, len(page), max(limit, utf8.UTFMax))
			if page != "" {
				first := strings.Count(text[:offset], "\n") + 1
				last := strings.Count(strings.TrimSuffix(text[:offset+len(page)], "\n"), "\n") + 1
				require.Contains(t, notice, fmt.Sprintf("bytes %d to %d", offset, offset+len(page)))
				require.Contains(t, notice, fmt.Sprintf("lines %d to %d.", first, last))
			}
			next := goOn.FindStringSubmatch(notice)
			require.Equal(t, next != nil, out.More)
			if next == nil {
				break
			}
			var err error
			offset, err = strconv.Atoi(next[1])
			require.NoError(t, err)
			require.Equal(t, all.Len(), offset)
		}
		require.Equal(t, text, all.String())
		require.GreaterOrEqual(t, pages, len(text)/max(limit, utf8.UTFMax))
	}
}

// TestHitsAreAllMatchingLines goes through short lines, page by page.
func TestHitsAreAllMatchingLines(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range effort.Of(t, uint64(60)) {
		random := rand.New(rand.NewPCG(12, seed))
		text := randomText(random, 400)
		pattern := []string{"a", "^word", "é$", "漢.*word", "^$"}[random.IntN(5)]
		s, stored := kept(t, text)
		var want, got []string
		at := 0
		for line := range strings.Lines(text) {
			bare := strings.TrimRight(line, "\r\n")
			if len(bare) <= 1_000 && regexp.MustCompile(pattern).MatchString(bare) {
				want = append(want, fmt.Sprintf("%d:%s", at, bare))
			}
			at += len(line)
		}
		for offset := int64(0); ; {
			_, page, out := read(t, s, results.Options{MaxBytes: 100 + random.IntN(500)}, fields{"ref": stored.Ref, "offset": offset, "pattern": pattern})
			for line := range strings.Lines(page) {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
			if offset = out.End; !out.More {
				break
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		found += len(got)
	}
	if effort.Full(t) {
		require.Greater(t, found, 500)
	}
}

// FuzzRead makes sure of what holds for any bytes at any offset.
func FuzzRead(f *testing.F) {
	f.Add([]byte("one\ntwo\n"), int64(3), 2, "t")
	f.Add([]byte("a\xff\xe6\xbc\n\x00"), int64(1), 1, "")
	f.Add([]byte(strings.Repeat("漢", 700)), int64(1), 5, "漢+")
	f.Fuzz(func(t *testing.T, data []byte, offset int64, limit int, pattern string) {
		if _, err := regexp.Compile(pattern); err != nil || offset < 0 || limit < 1 || utf8.RuneCountInString(pattern) > 1_000 || !utf8.ValidString(pattern) {
			t.Skip()
		}
		store := memory{texts: map[string]string{"r": string(data)}}
		s := sessionWith(t, store)
		for range 100 {
			out := call(t.Context(), t, s, results.Options{}, fields{"ref": "r", "offset": offset, "limit": limit, "pattern": pattern})
			require.NoError(t, out.Err, out.Result.Text())
			require.True(t, utf8.ValidString(out.Result.Text()))
			data, ok := out.Result.Data.(results.Output)
			require.True(t, ok)
			if !data.More {
				return
			}
			require.Greater(t, data.End, offset)
			offset = data.End
		}
	})
}

var _ pegboard.ResultStore = memory{}
