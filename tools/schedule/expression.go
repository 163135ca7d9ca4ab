package schedule

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxExpression is how many bytes an expression may have.
const maxExpression = 200

// searchYears is how many years next looks ahead. 29 February on a Sunday may be 40 years away.
const searchYears = 41

// An expression is a cron expression of five fields. Make it with parseExpression.
type expression struct {
	text                              string // with one blank between two fields
	minute, hour, day, month, weekday set
	both                              bool // a day must fit both day and weekday, and not one of them
}

// A set is a set of small numbers, the bits of a word.
type set uint64

func (s set) has(n int) bool { return s&(1<<n) != 0 }

func (s set) len() int { return bits.OnesCount64(uint64(s)) }

// from returns the first number that is n or more, or else end.
func (s set) from(n, end int) int {
	return min(n+bits.TrailingZeros64(uint64(s)>>n), end)
}

// values returns the numbers in order.
func (s set) values() (all []int) {
	for n := range 64 {
		if s.has(n) {
			all = append(all, n)
		}
	}
	return all
}

// A field is the name of a field and the numbers that it may have.
type field struct {
	name        string
	least, most int
}

// fields are those of an expression, in their order.
var fields = [...]field{{"minute", 0, 59}, {"hour", 0, 23}, {"day of month", 1, 31}, {"month", 1, 12}, {"day of week", 0, 7}}

// monthDays is how many days a month has at most; the first is no month.
var monthDays = [...]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// parseExpression reads an expression. Its errors are for the model.
func parseExpression(text string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("%w: it has %d bytes, and at most %d are allowed", ErrExpression, len(text), maxExpression)
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' })
	switch {
	case len(parts) > 0 && strings.HasPrefix(parts[0], "@"):
		return nil, fmt.Errorf("%w: names such as %s are not known; write five fields, as in \"0 9 * * *\" for every day at 9:00", ErrExpression, quote(parts[0]))
	case len(parts) == len(fields)+1:
		return nil, fmt.Errorf("%w: it has 6 fields; write 5, minute hour day-of-month month day-of-week, without seconds or a year", ErrExpression)
	case len(parts) != len(fields):
		return nil, fmt.Errorf("%w: %s has %d fields; write 5: minute hour day-of-month month day-of-week", ErrExpression, quote(text), len(parts))
	}
	e := &expression{text: strings.Join(parts, " ")}
	for i, into := range []*set{&e.minute, &e.hour, &e.day, &e.month, &e.weekday} {
		values, err := fields[i].parse(parts[i])
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrExpression, fields[i].name, err)
		}
		*into = values
	}
	if e.weekday.has(7) {
		e.weekday = e.weekday&^(1<<7) | 1
	}
	e.both = parts[2][0] == '*' || parts[4][0] == '*'
	if err := e.checkComes(); err != nil {
		return nil, err
	}
	return e, nil
}

// parse reads one field, a list.
func (f field) parse(text string) (all set, err error) {
	for item := range strings.SplitSeq(text, ",") {
		values, err := f.parseItem(item)
		if err != nil {
			return 0, err
		}
		all |= values
	}
	return all, nil
}

// parseItem reads one item of a list: *, a value or a range, of which * and a range may have a
// step.
func (f field) parseItem(item string) (set, error) {
	span, stepText, stepped := strings.Cut(item, "/")
	from, to, step := f.least, f.most, 1
	if f.name == "day of week" && span == "*" {
		to = 6 // 7 is Sunday once more, and would make a step of 7 days one of both
	}
	var err error
	if span != "*" {
		first, last, isRange := strings.Cut(span, "-")
		if from, err = f.number(first); err != nil {
			return 0, err
		}
		to = from
		if isRange {
			if to, err = f.number(last); err != nil {
				return 0, err
			}
		} else if stepped {
			return 0, fmt.Errorf("%s has a step without a range; write %d-%d/%s", quote(item), from, f.most, quoteBare(stepText))
		}
	}
	if to < from {
		return 0, fmt.Errorf("the range %s runs backwards; write two ranges, as in %d-%d,%d-%d", quote(span), from, f.most, f.least, to)
	}
	if stepped {
		if step, err = f.step(stepText); err != nil {
			return 0, err
		}
	}
	var values set
	for n := from; n <= to; n += step {
		values |= 1 << n
	}
	return values, nil
}

// number reads a value of the field.
func (f field) number(text string) (int, error) {
	n, err := digits(text)
	switch {
	case err != nil && (text == "?" || strings.ContainsAny(text, "LlWw#")):
		return 0, fmt.Errorf("%s: ?, L, W and # are not known; use numbers, and * for any", quote(text))
	case err != nil:
		return 0, fmt.Errorf("%s is no number; use %d to %d, without names", quote(text), f.least, f.most)
	case n < f.least || n > f.most:
		return 0, fmt.Errorf("%s lies outside of %d to %d", quote(text), f.least, f.most)
	}
	return n, nil
}

// step reads the step of a range.
func (f field) step(text string) (int, error) {
	n, err := digits(text)
	switch {
	case err != nil || n == 0:
		return 0, fmt.Errorf("%s is no step; use a number from 1 on", quote(text))
	case n > f.most:
		return 0, fmt.Errorf("a step of %d is more than the field has; the steps begin anew at each turn of the field, so use a larger field, or ScheduleWakeup", n)
	}
	return n, nil
}

// digits reads a number of one or two digits.
func digits(text string) (int, error) {
	if len(text) == 0 || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(text)
}

// checkComes returns an error if no day fits. A day of the week comes in each month.
func (e *expression) checkComes() error {
	if !e.both || slices.ContainsFunc(e.month.values(), func(m int) bool {
		return bits.TrailingZeros64(uint64(e.day)) <= monthDays[m]
	}) {
		return nil
	}
	return fmt.Errorf("%w: %s never comes, since no such month has that day", ErrExpression, quote(e.text))
}

// next returns the first minute after a time whose reading on the local clock fits. In the hour
// that a clock shows twice, both are such minutes.
func (e *expression) next(after time.Time, loc *time.Location) (time.Time, bool) {
	t := after.In(loc)
	t = t.Add(time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	for limit := t.AddDate(searchYears, 0, 0); t.Before(limit); {
		skip := e.skip(t)
		if skip == 0 {
			return t, true
		}
		t = forward(t, skip)
	}
	return time.Time{}, false
}

// skip returns 0 if t fits, and otherwise after how many minutes t may fit, if the clock is not
// changed meanwhile.
func (e *expression) skip(t time.Time) int {
	hour, minute, _ := t.Clock()
	switch {
	case !e.month.has(int(t.Month())) || !e.hasDay(t):
		return 24*60 - hour*60 - minute
	case !e.hour.has(hour):
		return (e.hour.from(hour, 24)-hour)*60 - minute
	}
	return e.minute.from(minute, 60) - minute
}

// hasDay reports whether the day of t fits: one of day and weekday if both say which days, and
// otherwise both.
func (e *expression) hasDay(t time.Time) bool {
	day, weekday := e.day.has(t.Day()), e.weekday.has(int(t.Weekday()))
	if e.both {
		return day && weekday
	}
	return day || weekday
}

// forward returns t some minutes later, or one minute if the clock is changed meanwhile: then
// they may pass a minute that fits.
func forward(t time.Time, minutes int) time.Time {
	later := t.Add(time.Duration(minutes) * time.Minute)
	_, before := t.Zone()
	if _, after := later.Zone(); before != after {
		return t.Add(time.Minute)
	}
	return later
}

// quote returns a short text in quotes.
func quote(text string) string { return strconv.Quote(quoteBare(text)) }

// quoteBare returns the beginning of a text.
func quoteBare(text string) string {
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// maxTimes is how many times of the day human names one by one.
const maxTimes = 6

// human says in words when the expression comes, such as "every day at 09:30".
func (e *expression) human() string {
	when := e.humanTime()
	days := e.humanDays()
	if days == "" && strings.HasPrefix(when, "at ") {
		days = "every day"
	}
	if strings.HasPrefix(when, "at ") {
		when = days + " " + when
	} else if days != "" {
		when += " " + days
	}
	if e.month.len() < 12 {
		var names []string
		for _, m := range e.month.values() {
			names = append(names, time.Month(m).String())
		}
		when += " in " + join(names)
	}
	return when
}

// humanTime says at which times of the day it comes.
func (e *expression) humanTime() string {
	hours, minutes := e.hour.values(), e.minute.values()
	everyHour := len(hours) == 24
	hourStep, minuteStep := e.hour.evenStep(24), e.minute.evenStep(60)
	switch {
	case everyHour && len(minutes) == 60:
		return "every minute"
	case everyHour && minuteStep > 0:
		return fmt.Sprintf("every %d minutes", minuteStep)
	case len(minutes) == 1 && (everyHour || hourStep > 0):
		text := "every hour"
		if !everyHour {
			text = fmt.Sprintf("every %d hours", hourStep)
		}
		if minutes[0] != 0 {
			text += fmt.Sprintf(" at minute %d", minutes[0])
		}
		return text
	case len(hours)*len(minutes) <= maxTimes:
		var times []string
		for _, h := range hours {
			for _, m := range minutes {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + join(times)
	case len(minutes) == 60:
		return "every minute of " + hourNames(hours)
	case minuteStep > 0:
		return fmt.Sprintf("every %d minutes of %s", minuteStep, hourNames(hours))
	case everyHour:
		return "every hour at minutes " + join(numbers(minutes))
	}
	return fmt.Sprintf("every hour at minutes %s of %s", join(numbers(minutes)), hourNames(hours))
}

// humanDays says on which days it comes; empty means every day.
func (e *expression) humanDays() string {
	var day, weekday string
	if !e.both && (e.day.len() == 31 || e.weekday.len() == 7) {
		return "" // one of them fits every day
	}
	if e.day.len() < 31 {
		day = "on day " + join(numbers(e.day.values())) + " of the month"
	}
	switch e.weekday {
	case 0b1111111:
	case 0b0111110:
		weekday = "on weekdays"
	default:
		var names []string
		for _, d := range e.weekday.values() {
			names = append(names, time.Weekday(d).String())
		}
		weekday = "on " + join(names)
	}
	switch {
	case day != "" && weekday != "" && e.both:
		return day + " if it falls " + weekday
	case day != "" && weekday != "":
		return day + " and " + weekday
	}
	return day + weekday
}

// evenStep returns n if the set is 0, n, 2n … below most, with the same distance at its end, for
// an n of at least 2. It is 0 for other sets.
func (s set) evenStep(most int) int {
	all := s.values()
	if len(all) < 2 || all[0] != 0 {
		return 0
	}
	n := all[1]
	if n < 2 || most%n != 0 || len(all) != most/n {
		return 0
	}
	for i, v := range all {
		if v != i*n {
			return 0
		}
	}
	return n
}

func hourNames(hours []int) string {
	if last := hours[len(hours)-1]; len(hours) > 1 && last-hours[0] == len(hours)-1 {
		return fmt.Sprintf("hours %d to %d", hours[0], last)
	}
	if len(hours) == 1 {
		return fmt.Sprintf("hour %d", hours[0])
	}
	return "hours " + join(numbers(hours))
}

// numbers returns numbers as text, with a range in the place of three or more that follow one
// another.
func numbers(all []int) (texts []string) {
	for i := 0; i < len(all); {
		end := i
		for end+1 < len(all) && all[end+1] == all[end]+1 {
			end++
		}
		if end-i >= 2 {
			texts = append(texts, fmt.Sprintf("%d-%d", all[i], all[end]))
			i = end + 1
			continue
		}
		texts = append(texts, fmt.Sprint(all[i]))
		i++
	}
	return texts
}

// join joins words as a list in a sentence.
func join(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return strings.Join(words, "")
}
