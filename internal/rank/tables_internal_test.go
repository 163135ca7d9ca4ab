package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readable checks that a query can contain the word as it stands in a table.
func readable(t *testing.T, word, place string) {
	t.Helper()
	s := wordScanner{text: word}
	require.True(t, s.next(), "%q of %s", word, place)
	require.Equal(t, word, string(s.word), place)
	require.False(t, s.next(), "%q of %s is several words", word, place)
	require.NotEqual(t, ignoredWord, weightOf([]byte(word)), "%q of %s is not looked for", word, place)
}

func TestTablesHaveNoIdleWords(t *testing.T) {
	t.Parallel()
	for _, group := range synonyms {
		words := strings.Fields(group)
		require.Greater(t, len(words), 1, group)
		stems := make(map[string]string)
		for _, word := range words {
			readable(t, word, group)
			root := string(stem([]byte(word)))
			require.Empty(t, stems[root], "%q says the same in %s", word, group)
			stems[root] = word
		}
	}
	for _, k := range kinds {
		members := strings.Fields(k.members)
		require.NotEmpty(t, members, k.general)
		require.True(t, slices.IsSorted(members), k.general)
		stems := make(map[string]string)
		for _, word := range slices.Concat(strings.Fields(k.general), members) {
			readable(t, word, k.general)
			root := string(stem([]byte(word)))
			require.Empty(t, stems[root], "%q says the same in %s", word, k.general)
			stems[root] = word
		}
	}
}

func TestMembersCallForTheirKind(t *testing.T) {
	t.Parallel()
	x := NewIndex(NewSegment("", "", []Document{{Name: "weather"}, {Name: "rain"}, {Name: "calculate"}}))
	calls := func(word string) (names []string) {
		for _, term := range x.related[wordKey(stem([]byte(word)))] {
			for _, name := range []string{"weather", "rain", "calculate"} {
				if key, ok := x.table.find(wordKey(stem([]byte(name)))); ok && key == term {
					names = append(names, name)
				}
			}
		}
		return names
	}
	require.Equal(t, []string{"weather"}, calls("rain"))
	require.Equal(t, []string{"weather"}, calls("umbrella"), "no document has to have the member")
	require.Empty(t, calls("weather"), "a kind does not call for its members")
	require.Equal(t, []string{"calculate"}, calls("calc"))
	require.Empty(t, calls("zq"))
}
