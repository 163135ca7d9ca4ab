package searchquery_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
)

func TestAnnounceCountsToolsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	of := func(name string) searchquery.Source {
		if name == "Own" {
			return searchquery.Source{}
		}
		prefix := name[:strings.LastIndex(name, "__")]
		return searchquery.Source{Prefix: prefix, About: "About\n\n " + prefix}
	}
	var now []string
	for i := range 300 {
		now = append(now, fmt.Sprint("mcp__a__", i), fmt.Sprint("mcp__b__", i))
	}
	now = append(now, "Own")
	slices.Sort(now)
	text := searchquery.Announce(now, nil, of)
	require.True(t, strings.HasSuffix(text, ":\nOwn\nmcp__a__*: 300 tools (About mcp__a)\nmcp__b__*: 300 tools (About mcp__b)"), text)
	require.Empty(t, searchquery.Announce(now, now, of))
	require.Equal(t, "These tools are not available any more:\nOwn", searchquery.Announce(now[1:], now, of))
}

func TestAnnounceCutsAboutBetweenCharacters(t *testing.T) {
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
