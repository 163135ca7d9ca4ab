package searchquery

import (
	"fmt"
	"strings"
)

// maxMissing is the maximum number of missing names that a report lists.
const maxMissing = 10

// A Report holds the facts about a search that the model should know beside its matches.
type Report struct {
	Found     int      // number of tools found
	Total     int      // number of tools that a search can find
	Missing   []string // requested names that no tool has, or several have
	OverLimit int      // number of tools requested by name beyond the limit of one search
	Nearest   []string // names that the query may stand for
	New       []string // found tools that only the next request can contain
	Pending   []string // servers that are still connecting
	Failed    []string // servers that cannot be reached
}

// Text words the report for the model. It returns "" if there is nothing to report.
func (r Report) Text() string {
	var text []string
	add := func(format string, args ...any) { text = append(text, fmt.Sprintf(format, args...)) }
	if r.Found == 0 {
		add("No tool matches; %d can be found.", r.Total)
		switch {
		case len(r.Nearest) > 0:
			add("The nearest names are %s. Ask for one with select:NAME, or try other words.", strings.Join(r.Nearest, ", "))
		case r.Total > 0:
			add("Try other words, or fewer that must be in the name.")
		default:
			add("Use the tools that you were given.")
		}
	} else if n := len(r.Missing); n > 0 {
		listed := strings.Join(r.Missing[:min(n, maxMissing)], ", ")
		if n > maxMissing {
			listed += fmt.Sprintf(" and %d more", n-maxMissing)
		}
		add("No tool, or more than one, is called %s. Search for it in words.", listed)
	}
	if len(r.New) > 0 {
		add("%s came just now. Load it in your next message, with select:%s.", strings.Join(r.New, ", "), strings.Join(r.New, ","))
	}
	if r.OverLimit > 0 {
		add("%d more were asked for than one search returns. Ask for them in another.", r.OverLimit)
	}
	if len(r.Pending) > 0 {
		add("These servers still connect, so search again later for their tools: %s.", strings.Join(r.Pending, ", "))
	}
	if len(r.Failed) > 0 {
		add("These servers cannot be reached, so their tools are not there: %s.", strings.Join(r.Failed, ", "))
	}
	return strings.Join(text, " ")
}
