package rank_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

// shelf is a small library.
var shelf = []rank.Text{
	{Title: "Bread", Body: "Flour, water, salt and yeast. Let the dough rest overnight. Bake it hot."},
	{Title: "Sourdough starter", Body: "A starter is flour and water that ferments. Feed the starter every day."},
	{Title: "Pizza", Body: "The dough needs strong flour. Tomatoes, basil and cheese go on top."},
	{Title: "Feeding a cat", Body: "Cats eat meat. " + strings.Repeat("They sleep a lot. ", 200) + "A cat that ferments does not exist."},
	{Title: "日本の都市", Body: "東京は日本の首都です。大阪は西にあります。"},
	{Title: "", Body: ""},
}

func TestTexts(t *testing.T) {
	t.Parallel()
	x := rank.NewTexts(shelf)
	tests := []struct {
		name, query string
		want        []string // titles
		passage     string   // that of the first hit begins so
	}{
		{name: "a word of a title", query: "pizza", want: []string{"Pizza"}, passage: "The dough needs"},
		{name: "another form of the word", query: "baking", want: []string{"Bread"}, passage: "Bake it hot."},
		{name: "words that stand together", query: "feed starter", want: []string{"Sourdough starter", "Feeding a cat"}, passage: "A starter is flour"},
		{name: "the end of a long body", query: "exist", want: []string{"Feeding a cat"}, passage: "A cat that ferments does not exist."},
		{name: "a script without spaces", query: "大阪", want: []string{"日本の都市"}, passage: "大阪は西にあります。"},
		{name: "no such word", query: "airplane"},
		{name: "only words of grammar", query: "what is it"},
		{name: "nothing", query: " \x00?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hits := x.Search(tt.query, 10)
			var titles []string
			for _, h := range hits {
				titles = append(titles, shelf[h.Text].Title)
			}
			require.Equal(t, tt.want, titles)
			if len(hits) > 0 {
				passage := shelf[hits[0].Text].Body[hits[0].From:hits[0].To]
				require.True(t, strings.HasPrefix(passage, tt.passage), passage)
			}
		})
	}
}

func TestTextsLimit(t *testing.T) {
	t.Parallel()
	texts := make([]rank.Text, 500)
	for i := range texts {
		texts[i] = rank.Text{Title: fmt.Sprint("Report ", i), Body: strings.Repeat("common words here. ", 1+i%7)}
	}
	x := rank.NewTexts(texts)
	all := x.Search("common report", len(texts))
	require.Len(t, all, len(texts))
	require.Equal(t, all, rank.NewTexts(texts).Search("common report", len(texts)), "the same in another index")
	require.Equal(t, all[:5], x.Search("common report", 5), "texts of equal passages keep their order")
	require.Empty(t, x.Search("common", 0))
	require.Empty(t, x.Search("common", -1))
	require.Empty(t, rank.NewTexts(nil).Search("common", 3))
}

// FuzzTexts checks that a passage is a part of the body in whole characters, and of bounded
// size.
func FuzzTexts(f *testing.F) {
	f.Add("Let the dough's crust rest. İstanbul", "crust rest istanbul")
	f.Add("東京は日本の首都です", "首都")
	f.Add("\xff\xfe broken", "broken")
	f.Fuzz(func(t *testing.T, body, query string) {
		for _, h := range rank.NewTexts([]rank.Text{{Title: "t", Body: body}, {Title: query, Body: query}}).Search(query, 2) {
			passage := []string{body, query}[h.Text][h.From:h.To]
			require.LessOrEqual(t, len(passage), 320)
			require.Positive(t, h.Score)
			if utf8.ValidString(body) && utf8.ValidString(query) {
				require.True(t, utf8.ValidString(passage), "%q", passage)
			}
		}
	})
}
