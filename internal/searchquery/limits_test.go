package searchquery_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
)

func TestReviewParseReadsOnlyTheBeginning(t *testing.T) {
	t.Parallel()
	require.Len(t, searchquery.Parse("select:"+strings.Repeat("a,", 9000), isSource).Names, 256)
	q := searchquery.Parse(strings.Repeat("+a mcp__git ", 9000), isSource)
	require.Len(t, q.Required, 128)
	require.Len(t, q.Sources, 128)
}

func TestReviewReport(t *testing.T) {
	t.Parallel()
	require.Empty(t, searchquery.Report{Found: 1, Total: 3}.Text())
	require.Regexp(t, "^No tool matches; 0 can be found. .+", searchquery.Report{}.Text())
	text := searchquery.Report{Found: 1, Missing: strings.Split("abcdefghijkl", ""), Left: 2}.Text()
	require.Contains(t, text, "a, b, c, d, e, f, g, h, i, j and 2 more")
	require.Contains(t, text, "2 more were asked for than one search returns")
}

func TestReviewAboutIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	var now []string
	for range 600 {
		now = append(now, "mcp__a__t")
	}
	text := searchquery.Announce(now, nil, func(string) searchquery.Source {
		return searchquery.Source{Prefix: "mcp__a", About: strings.Repeat("x查询\n ", 5000)}
	})
	require.Less(t, len(text), 600)
	require.True(t, utf8.ValidString(text))
}
