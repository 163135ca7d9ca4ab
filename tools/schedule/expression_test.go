package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

func TestExpressions(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, human string }{
		{text: "* * * * *", human: "every minute"},
		{text: "*/1 * * * *", human: "every minute"},
		{text: "*/5 * * * *", human: "every 5 minutes"},
		{text: "*/7 * * * *", human: "every hour at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56"},
		{text: "0 * * * *", human: "every hour"},
		{text: "7 * * * *", human: "every hour at minute 7"},
		{text: "0 */2 * * *", human: "every 2 hours"},
		{text: "15 */6 * * *", human: "every 6 hours at minute 15"},
		{text: "*/10 9-17 * * *", human: "every 10 minutes of hours 9 to 17"},
		{text: "* 5 * * *", human: "every minute of hour 5"},
		{text: "1-5,7 1,3,5,7 * * *", human: "every hour at minutes 1-5 and 7 of hours 1, 3, 5 and 7"},
		{text: "30 9 * * *", human: "every day at 09:30"},
		{text: "0,30 9,14 * * *", human: "every day at 09:00, 09:30, 14:00 and 14:30"},
		{text: "30 9 * * 1-5", human: "on weekdays at 09:30"},
		{text: "0 9 * * 0", human: "on Sunday at 09:00"},
		{text: "0 9 * * 7", human: "on Sunday at 09:00"},
		{text: "0 9 * * 6-7", human: "on Sunday and Saturday at 09:00"},
		{text: "0 9 * * 0-7", human: "every day at 09:00"},
		{text: "0 9 1 * *", human: "on day 1 of the month at 09:00"},
		{text: "0 9 13 * 5", human: "on day 13 of the month and on Friday at 09:00"},
		{text: "0 9 */2 * 5", human: "on day 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 and 31 of the month if it falls on Friday at 09:00"},
		{text: "0 9 1 * 0-6", human: "every day at 09:00"},
		{text: "30 14 29 2 *", human: "on day 29 of the month at 14:30 in February"},
		{text: "0 0 1 1,7 *", human: "on day 1 of the month at 00:00 in January and July"},
		{text: "*/15 * * 12 *", human: "every 15 minutes in December"},
		{text: " 5\t4 *  * *\t", human: "every day at 04:05"},
		{text: "05 04 * * *", human: "every day at 04:05"},
		{text: "30 14 31 2 1", human: "on day 31 of the month and on Monday at 14:30 in February"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			human, err := schedule.Human(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.human, human)
		})
	}
}

func TestExpressionsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{text: "", want: "0 fields"},
		{text: "* * * *", want: "4 fields"},
		{text: "* * * * * *", want: "6 fields; write 5"},
		{text: "* * * * * * *", want: "7 fields"},
		{text: "@daily", want: "names such as"},
		{text: "@every 5m", want: "names such as"},
		{text: "60 * * * *", want: `minute: "60" lies outside of 0 to 59`},
		{text: "* 24 * * *", want: `hour: "24" lies outside of 0 to 23`},
		{text: "* * 0 * *", want: "day of month: \"0\" lies outside of 1 to 31"},
		{text: "* * 32 * *", want: "day of month"},
		{text: "* * * 0 *", want: "month: \"0\" lies outside of 1 to 12"},
		{text: "* * * 13 *", want: "month"},
		{text: "* * * * 8", want: "day of week: \"8\" lies outside of 0 to 7"},
		{text: "* * * JAN *", want: "without names"},
		{text: "* * * * MON", want: "without names"},
		{text: "* * L * *", want: "?, L, W and # are not known"},
		{text: "* * 15W * *", want: "?, L, W and # are not known"},
		{text: "* * ? * *", want: "?, L, W and # are not known"},
		{text: "* * * * 5#3", want: "?, L, W and # are not known"},
		{text: "-1 * * * *", want: "is no number"},
		{text: "+1 * * * *", want: "is no number"},
		{text: "1.5 * * * *", want: "is no number"},
		{text: "001 * * * *", want: "is no number"},
		{text: "١ * * * *", want: "is no number"},
		{text: "1,,2 * * * *", want: `"" is no number`},
		{text: "1, * * * *", want: `"" is no number`},
		{text: "1- * * * *", want: `"" is no number`},
		{text: "5-1 * * * *", want: "runs backwards; write two ranges, as in 5-59,0-1"},
		{text: "1-2-3 * * * *", want: "is no number"},
		{text: "*/0 * * * *", want: "is no step"},
		{text: "*/ * * * *", want: "is no step"},
		{text: "*/x * * * *", want: "is no step"},
		{text: "*/90 * * * *", want: "a step of 90 is more than the field has"},
		{text: "5/15 * * * *", want: "has a step without a range; write 5-59/15"},
		{text: "1-30/5/2 * * * *", want: "is no step"},
		{text: "** * * * *", want: "is no number"},
		{text: "30 14 31 2 *", want: "never comes"},
		{text: "30 14 30 2 *", want: "never comes"},
		{text: "0 0 31 2,4,6,9,11 *", want: "never comes"},
		{text: "0 0 31 4 */2", want: "never comes"},
		{text: "* * * *\n*", want: "4 fields"},
		{text: "*\u00a0* * * *", want: "4 fields"},
		{text: strings.Repeat("1,", 200) + "1 * * * *", want: "at most 200"},
		{text: "\xff * * * *", want: "is no number"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, err := schedule.Human(tt.text)
			require.ErrorIs(t, err, schedule.ErrExpression)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// An oracle says for single minutes whether an expression names them.
type oracle struct {
	fields [5]map[int]bool
	anyDay bool // day of month or day of week begins with *
}

// newOracle reads a valid expression, in the simplest way.
func newOracle(text string) (o oracle) {
	least, most := [5]int{0, 0, 1, 1, 0}, [5]int{59, 23, 31, 12, 7}
	for i, part := range strings.Fields(text) {
		o.fields[i] = map[int]bool{}
		if i%2 == 0 && i > 0 && strings.HasPrefix(part, "*") {
			o.anyDay = true
		}
		for _, item := range strings.Split(part, ",") {
			span, step, _ := strings.Cut(item, "/")
			low, high, isRange := strings.Cut(span, "-")
			from, err := strconv.Atoi(low)
			to := from
			if err != nil {
				from, to = least[i], most[i]
				if i == 4 {
					to = 6
				}
			} else if isRange {
				to, _ = strconv.Atoi(high)
			}
			by, err := strconv.Atoi(step)
			if err != nil {
				by = 1
			}
			for n := from; n <= to; n += by {
				o.fields[i][n] = true
			}
		}
	}
	o.fields[4][0] = o.fields[4][0] || o.fields[4][7]
	return o
}

// tables are the fields as slices, for many questions.
func (o oracle) tables() (tables [5][60]bool) {
	for i, values := range o.fields {
		for n, named := range values {
			tables[i][n] = named
		}
	}
	return tables
}

// names reports whether the expression names the minute of t on the clock of its zone.
func (o oracle) names(t time.Time) bool {
	day, weekday := o.fields[2][t.Day()], o.fields[4][int(t.Weekday())]
	if !o.fields[0][t.Minute()] || !o.fields[1][t.Hour()] || !o.fields[3][int(t.Month())] {
		return false
	}
	if o.anyDay {
		return day && weekday
	}
	return day || weekday
}

// randomExpression returns an expression that may never come.
func randomExpression(r *rand.Rand) string {
	least, most := [5]int{0, 0, 1, 1, 0}, [5]int{59, 23, 31, 12, 7}
	var parts []string
	for i := range least {
		var items []string
		for range 1 + r.IntN(3) {
			a := least[i] + r.IntN(most[i]-least[i]+1)
			b := a + r.IntN(most[i]-a+1)
			items = append(items, []string{
				"*", "*", fmt.Sprint(a), fmt.Sprintf("%d-%d", a, b), fmt.Sprintf("%d-%d/%d", a, b, 1+r.IntN(most[i])), fmt.Sprintf("*/%d", 1+r.IntN(most[i])),
			}[r.IntN(6)])
		}
		parts = append(parts, strings.Join(items, ","))
	}
	return strings.Join(parts, " ")
}

// TestNextIsThatOfTheOracle walks through four years of five zones, minute by minute. In São Paulo
// the summer time begins at midnight, on Lord Howe Island it is half an hour, and in Casablanca it is
// interrupted.
func TestNextIsThatOfTheOracle(t *testing.T) {
	t.Parallel()
	texts := []string{
		"* * * * *", "*/15 * * * *", "30 2 * * *", "30 1 * * *", "0 0 * * *", "0 */2 * * *", "59 23 31 * *", "0 12 29 2 *", "0 0 13 * 5",
		"5 4 * * 7", "0 9 1-7 * 1", "0 9 */7 * 1", "15 1-3 * 3,10,11 0",
	}
	r := rand.New(rand.NewPCG(23, 6))
	for random := effort.Of(t, 20); random > 0; {
		text := randomExpression(r)
		if _, err := schedule.Human(text); err == nil {
			texts = append(texts, text)
			random--
		}
	}
	from, to := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			loc, err := time.LoadLocation(zone)
			require.NoError(t, err)
			for _, part := range stretches(t, from, to, loc) {
				want := minutesNamed(texts, part.from, part.to, loc)
				for i, text := range texts {
					nextOf, err := schedule.Next(text)
					require.NoError(t, err)
					var got []int64
					at := part.from.Add(-time.Second)
					for {
						next, ok := nextOf(at, loc)
						if !ok || !next.Before(part.to) {
							break
						}
						got, at = append(got, next.Unix()), next
					}
					require.True(t, slices.Equal(want[i], got), "%s in %s from %v: %d times, and the oracle has %d", text, zone, part.from, len(got), len(want[i]))
				}
			}
		})
	}
}

// A stretch is a part of the time that is walked through.
type stretch struct{ from, to time.Time }

// stretches returns all of the time at full effort, and otherwise a share of its days, with all in
// which the clock is changed.
func stretches(t *testing.T, from, to time.Time, loc *time.Location) (parts []stretch) {
	t.Helper()
	if effort.Full(t) {
		return []stretch{{from, to}}
	}
	const day = 24 * time.Hour
	var plain []stretch
	for at := from; at.Before(to); at = at.Add(day) {
		_, before := at.Add(-day / 2).In(loc).Zone()
		_, after := at.Add(day + day/2).In(loc).Zone()
		if part := (stretch{at, at.Add(day)}); before != after {
			parts = append(parts, part)
		} else {
			plain = append(plain, part)
		}
	}
	return append(parts, effort.Sample(t, plain)...)
}

// minutesNamed returns the minutes of each expression.
func minutesNamed(texts []string, from, to time.Time, loc *time.Location) [][]int64 {
	all := make([][]int64, len(texts))
	var tables [][5][60]bool
	var anyDay []bool
	for _, text := range texts {
		o := newOracle(text)
		tables, anyDay = append(tables, o.tables()), append(anyDay, o.anyDay)
	}
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		local := t.In(loc)
		_, month, day := local.Date()
		hour, minute, _ := local.Clock()
		weekday := local.Weekday()
		for i := range tables {
			f := &tables[i]
			if !f[0][minute] || !f[1][hour] || !f[3][month] {
				continue
			}
			if anyDay[i] && f[2][day] && f[4][weekday] || !anyDay[i] && (f[2][day] || f[4][weekday]) {
				all[i] = append(all[i], local.Unix())
			}
		}
	}
	return all
}

// FuzzExpression holds what the parser accepts against the oracle.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"* * * * *", "0 9 1-7 * 1", "*/5 8-18/2 1,15 */3 0-7", "30 14 29 2 *", "@daily", "5/15 * * * *", "60 * * * *", "1-2-3 * * * *", "* * L * ?"} {
		f.Add(text, int64(1_700_000_000))
	}
	zones := []*time.Location{time.UTC}
	for _, zone := range []string{"Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca"} {
		if loc, err := time.LoadLocation(zone); err == nil {
			zones = append(zones, loc)
		}
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		human, err := schedule.Human(text)
		if err != nil {
			require.ErrorIs(t, err, schedule.ErrExpression)
			return
		}
		require.NotEmpty(t, human)
		unix = max(0, min(unix, 4_000_000_000))
		loc := zones[int(unix%int64(len(zones)))]
		after := time.Unix(unix, 0)
		nextOf, err := schedule.Next(text)
		require.NoError(t, err)
		next, ok := nextOf(after, loc)
		require.True(t, ok, "what is accepted comes")
		require.True(t, next.After(after))
		o := newOracle(text)
		require.True(t, o.names(next))
		local := after.In(loc)
		minute := local.Add(time.Minute - time.Duration(local.Second())*time.Second)
		for range 3000 { // two days
			if !minute.Before(next) {
				break
			}
			require.False(t, o.names(minute), "%v comes before %v", minute, next)
			minute = minute.Add(time.Minute)
		}
	})
}
