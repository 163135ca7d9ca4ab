package rank

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanner(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string // a bar before a word that begins a clause
	}{
		{name: "empty"},
		{name: "snake case", text: "get_current_weather", want: "get current weather"},
		{name: "camel case", text: "getCurrentWeather", want: "get current weather"},
		{name: "capitals", text: "parseHTMLPage", want: "parse html page"},
		{name: "capitals with a plural", text: "listIDs and URLs", want: "list ids and urls"},
		{name: "dotted", text: "OpenWeatherMap.get-current", want: "open weather map get current"},
		{name: "qualified", text: "mcp__git-hub__list_issues", want: "mcp git hub list issues"},
		{name: "digits", text: "base64 to mp3, v2.5", want: "base64 to mp3 v2 5"},
		{name: "digits before capitals", text: "Events_3_FindEvents", want: "events 3 find events"},
		{name: "possessive", text: "today's Bob’s cats'", want: "today bob cats"},
		{name: "clauses", text: "Send it. Then stop! ok?yes", want: "send it |then stop |ok |yes"},
		{name: "a comma within a list", text: "Chicago, IL", want: "chicago il"},
		{name: "lines", text: "one\ntwo", want: "one |two"},
		{name: "other letters", text: "Größe d'été", want: "größe d été"},
		{name: "chinese", text: "查询天气", want: "查询 询天 天气"},
		{name: "a lone character", text: "a 查 b", want: "a 查 b"},
		{name: "mixed scripts", text: "用GitHub搜索", want: "用 git hub 搜索"},
		{name: "korean", text: "날씨 정보", want: "날씨 정보"},
		{name: "broken bytes", text: "a\xff\xfeb", want: "a b"},
		{name: "very long", text: strings.Repeat("a", 100), want: strings.Repeat("a", maxWord)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var words []string
			for s := (wordScanner{text: test.text}); s.next(); {
				mark := ""
				if s.afterBreak && len(words) > 0 {
					mark = "|"
				}
				words = append(words, mark+string(s.word))
			}
			require.Equal(t, test.want, strings.Join(words, " "))
		})
	}
}

func TestGrams(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, one, other string
		shared           int
	}{
		{name: "a beginning", one: "cal", other: "calendar", shared: 1},
		{name: "a longer beginning", one: "calend", other: "calendar", shared: 4},
		{name: "not a beginning", one: "end", other: "calendar", shared: 0},
		{name: "a compound", one: "category", other: "getcategoryinfo", shared: 5},
		{name: "two letters", one: "ip", other: "ip", shared: 1},
		{name: "one letter", one: "r", other: "r", shared: 0},
		{name: "characters of many bytes", one: "größen", other: "größe", shared: 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			has := make(map[uint32]bool)
			for gram := range grams([]byte(test.other)) {
				has[gram] = true
			}
			shared := 0
			for gram := range grams([]byte(test.one)) {
				if has[gram] {
					shared++
				}
			}
			require.Equal(t, test.shared, shared)
		})
	}
}
