package searchquery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
)

func TestReportText(t *testing.T) {
	t.Parallel()
	require.Empty(t, searchquery.Report{Found: 1, Total: 3}.Text())
	require.Regexp(t, "^No tool matches; 0 can be found. .+", searchquery.Report{}.Text())
	text := searchquery.Report{Found: 1, Missing: strings.Split("abcdefghijkl", ""), OverLimit: 2}.Text()
	require.Contains(t, text, "a, b, c, d, e, f, g, h, i, j and 2 more")
	require.Contains(t, text, "2 more were asked for than one search returns")
}
