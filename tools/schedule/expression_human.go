package schedule

import (
	"fmt"
	"strings"
	"time"
)

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
