package rank_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

// sources are a few small sources by name.
func sources() map[string][]rank.Document {
	return map[string][]rank.Document{
		"calendar": {
			{Name: "create_event", Description: "Creates an event in a calendar.", Parameters: []rank.Parameter{{Name: "attendees", Description: "Mail addresses of those who are invited."}}},
			{Name: "listEvents", Description: "Lists the events of a day."},
			{Name: "deleteEvent", Description: "Deletes an event."},
		},
		"weather": {
			{Name: "mcp__weather__get_forecast", Description: "The weather of the next days at a place."},
			{Name: "get_alerts", Description: "Warnings of storms and floods.", Hint: "hurricanes"},
		},
		"中文": {{Name: "search_tickets", Description: "查询火车票余票信息"}},
		"":   {{Name: "send_email", Description: "Sends a message."}, {Name: "the", Description: ""}, {}},
	}
}

var sourceNames = []string{"calendar", "weather", "中文", ""}

// index joins the sources in the order of names, and returns the names it finds.
func index(names ...string) (search func(query string, limit int) []string) {
	var segments []*rank.Segment
	for _, name := range names {
		segments = append(segments, rank.NewSegment(name, "", sources()[name]))
	}
	x := rank.NewIndex(segments...)
	return func(query string, limit int) []string {
		var found []string
		for _, hit := range x.Search(query, limit, nil) {
			found = append(found, sources()[names[hit.Segment]][hit.Document].Name)
		}
		return found
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, query, want string }{
		{name: "a word of the name", query: "forecast", want: "mcp__weather__get_forecast"},
		{name: "a name", query: "mcp__weather__get_forecast", want: "mcp__weather__get_forecast"},
		{name: "a name in camel case", query: "listEvents", want: "listEvents"},
		{name: "a name run together", query: "getforecast", want: "mcp__weather__get_forecast"},
		{name: "a plural", query: "forecasts", want: "mcp__weather__get_forecast"},
		{name: "a beginning", query: "fore", want: "mcp__weather__get_forecast"},
		{name: "a beginning of three letters", query: "ema", want: "send_email"},
		{name: "a synonym", query: "remove an appointment, erase it", want: "deleteEvent"},
		{name: "a member of a kind", query: "Shall I take an umbrella?", want: "mcp__weather__get_forecast"},
		{name: "a word cut short", query: "msg", want: "send_email"},
		{name: "a parameter", query: "attendees", want: "create_event"},
		{name: "a parameter's description", query: "who is invited", want: "create_event"},
		{name: "a hint", query: "Is there a hurricane?", want: "get_alerts"},
		{name: "the source", query: "中文", want: "search_tickets"},
		{name: "chinese", query: "我想买火车票", want: "search_tickets"},
		{name: "a sentence", query: "Could you please tell me what the weather will be like tomorrow?", want: "mcp__weather__get_forecast"},
	}
	search := index(sourceNames...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := search(test.query, 3)
			require.NotEmpty(t, found)
			require.Equal(t, test.want, found[0])
		})
	}
}

func TestNumbersInNamesDoNotCount(t *testing.T) {
	t.Parallel()
	docs := []rank.Document{{Name: "Weather_1_Report"}, {Name: "report_weather_daily"}}
	x := rank.NewIndex(rank.NewSegment("", "", docs))
	hits := x.Search("a report on the weather", 2, nil)
	require.Len(t, hits, 2)
	require.Zero(t, hits[0].Document, "all words but the number are asked for")
	hits = rank.NewIndex(rank.NewSegment("", "", []rank.Document{{Name: "42"}})).Search("42", 1, nil)
	require.Len(t, hits, 1, "a number is found all the same")
}

func TestSearchAsksForSeveralTools(t *testing.T) {
	t.Parallel()
	found := index(sourceNames...)("Send an email to Bob. Then delete the calendar event. Also warn me of storms and floods!", 3)
	require.ElementsMatch(t, []string{"send_email", "deleteEvent", "get_alerts"}, found)
}

func TestSearchFindsNothing(t *testing.T) {
	t.Parallel()
	search := index(sourceNames...)
	for _, query := range []string{"", " ", "the of and", "zzzzqqqq", "?!.,", "\xff\xfe", "\x00"} {
		require.Empty(t, search(query, 5), "%q", query)
	}
	require.Empty(t, search("weather", 0))
	require.Empty(t, search("weather", -1))
	require.Empty(t, rank.NewIndex().Search("weather", 5, nil))
	require.Empty(t, rank.NewIndex(rank.NewSegment("a", "b", nil)).Search("a", 5, nil))
}

func TestTiesAreOrderedByName(t *testing.T) {
	t.Parallel()
	var docs []rank.Document
	for i := range 300 {
		docs = append(docs, rank.Document{Name: fmt.Sprintf("item %03d", (i*7)%300), Description: "Item."})
	}
	hits := rank.NewIndex(rank.NewSegment("", "", docs)).Search("item", 1000, nil)
	require.Len(t, hits, 300)
	for i, hit := range hits {
		require.Equal(t, fmt.Sprintf("item %03d", i), docs[hit.Document].Name)
	}
}

func TestAcceptIsHonoured(t *testing.T) {
	t.Parallel()
	var docs []rank.Document
	for i := range 500 {
		docs = append(docs, rank.Document{Name: fmt.Sprintf("event_%d", i), Description: "An event."})
	}
	x := rank.NewIndex(rank.NewSegment("a", "", docs[:250]), rank.NewSegment("b", "", docs[250:]))
	hits := x.Search("event", 5, func(segment, document int) bool { return segment == 1 && document >= 247 })
	require.Len(t, hits, 3)
	for _, hit := range hits {
		require.Equal(t, 1, hit.Segment)
		require.GreaterOrEqual(t, hit.Document, 247)
	}
	require.Empty(t, x.Search("event", 5, func(int, int) bool { return false }))
	x.Search("weather", 5, func(int, int) bool { t.Error("asked about a document that matches nothing"); return true })
}

// queries are of many lengths, of words that occur and words that do not.
func queries() []string {
	words := strings.Fields("create event calendar weather forecast, storm. delete list mail and the 火车票 getAlerts zq message! day")
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for n := range 60 {
		var query []string
		for range n {
			query = append(query, words[random.IntN(len(words))])
		}
		all = append(all, strings.Join(query, " "))
	}
	return append(all, strings.Repeat("delete the event. ", 5000), strings.Repeat("x", 1<<16))
}

func TestOrderOfSegmentsDoesNotMatter(t *testing.T) {
	t.Parallel()
	one, other := index("calendar", "weather", "中文", ""), index("", "中文", "weather", "calendar")
	for _, query := range queries() {
		require.Equal(t, one(query, 20), other(query, 20), "%.80q", query)
	}
}

func TestScoresFall(t *testing.T) {
	t.Parallel()
	x := rank.NewIndex(rank.NewSegment("calendar", "Plans days.", sources()["calendar"]), rank.NewSegment("", "", sources()[""]))
	for _, query := range queries() {
		last := 0.0
		for i, hit := range x.Search(query, 20, nil) {
			require.Positive(t, hit.Score)
			if i > 0 {
				require.LessOrEqual(t, hit.Score, last, "%.80q", query)
			}
			last = hit.Score
		}
	}
}

func TestSearchIsConcurrent(t *testing.T) {
	t.Parallel()
	search := index(sourceNames...)
	want := make([][]string, 0, len(queries()))
	for _, query := range queries() {
		want = append(want, search(query, 5))
	}
	var group sync.WaitGroup
	got := make([][][]string, 4)
	for i := range got {
		group.Go(func() {
			for _, query := range queries() {
				got[i] = append(got[i], search(query, 5))
			}
		})
	}
	group.Wait()
	for i := range got {
		require.Equal(t, want, got[i])
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("delete the event. Then send mail", "create_event", "Creates an event.", 3)
	f.Add("火车", "查询", "\xff", 1)
	f.Fuzz(func(t *testing.T, query, name, description string, limit int) {
		limit %= 50
		own := rank.NewSegment(name, description, []rank.Document{{Name: name, Description: description}, {Name: description, Hint: query}})
		other := rank.NewSegment("calendar", "", sources()["calendar"])
		one, reverse := rank.NewIndex(own, other), rank.NewIndex(other, own)
		hits, turned := one.Search(query, limit, nil), reverse.Search(query, limit, nil)
		require.LessOrEqual(t, len(hits), max(limit, 0))
		require.Len(t, turned, len(hits))
		for i := range hits {
			require.InDelta(t, hits[i].Score, turned[i].Score, 0)
		}
	})
}
