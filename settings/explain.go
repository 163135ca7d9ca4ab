package settings

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Explain returns [Loaded.Facts] for a person: for each setting whether it counts, the file
// and line it comes from, and what overrode it. It holds no value of a header, of a key of
// the host or of a variable, except a wrong one that [ReadValues] reports.
func Explain(l *Loaded) string {
	var b strings.Builder
	kind := ""
	for _, f := range l.facts {
		if f.Kind != kind {
			kind = f.Kind
			fmt.Fprintf(&b, "%s\n", kind)
		}
		mark := " "
		if !f.Counts {
			mark = "-"
		}
		fmt.Fprintf(&b, "%s %s", mark, pegboard.OneLine(f.Text))
		if f.Kind != FactFile {
			fmt.Fprintf(&b, "  [%s]", f.Position)
		}
		if f.Why != "" {
			fmt.Fprintf(&b, "  (%s)", shown(f.Why))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "starts in mode %s\n", l.Mode)
	for _, w := range l.Warnings {
		fmt.Fprintf(&b, "warning: %s: %s\n", w.Position, shown(w.Text))
	}
	for _, e := range l.Broken {
		fmt.Fprintf(&b, "broken: %s\n", shown(e.Error()))
	}
	return b.String()
}

// shown returns a text of any length on one line. It escapes invisible characters.
func shown(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = pegboard.OneLine(word)
	}
	return strings.Join(words, " ")
}

// ExplainJSON returns the content of Explain as JSON: an object with the mode, the facts, the
// warnings and the errors of Broken.
func ExplainJSON(l *Loaded) ([]byte, error) {
	type warning struct {
		Position
		Text string `json:"text"`
	}
	out := struct {
		Mode     string    `json:"mode"`
		Facts    []Fact    `json:"facts"`
		Warnings []warning `json:"warnings"`
		Broken   []string  `json:"broken"`
	}{Mode: string(l.Mode), Facts: append([]Fact{}, l.facts...), Warnings: []warning{}, Broken: []string{}}
	for _, w := range l.Warnings {
		out.Warnings = append(out.Warnings, warning(w))
	}
	for _, e := range l.Broken {
		out.Broken = append(out.Broken, e.Error())
	}
	return json.Marshal(out)
}
