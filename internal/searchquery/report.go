package searchquery

import (
	"fmt"
	"strings"
)

// maxMissing is how many names one report lists that are those of no tool.
const maxMissing = 10

// A Report is what a search has to say beside what it found.
type Report struct {
	Found, Total    int      // tools that were found, and that can be
	Missing         []string // names that were asked for and are those of no tool
	Left            int      // tools that were asked for by name, beyond what one search returns
	Nearest         []string // names that may have been meant
	New             []string // found, but only the next request can hold them
	Pending, Failed []string // servers that still connect, and that cannot be reached
}

// Text says it to the model. It is empty if there is nothing to say.
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
	if r.Left > 0 {
		add("%d more were asked for than one search returns. Ask for them in another.", r.Left)
	}
	if len(r.Pending) > 0 {
		add("These servers still connect, so search again later for their tools: %s.", strings.Join(r.Pending, ", "))
	}
	if len(r.Failed) > 0 {
		add("These servers cannot be reached, so their tools are not there: %s.", strings.Join(r.Failed, ", "))
	}
	return strings.Join(text, " ")
}
