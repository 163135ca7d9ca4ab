package deferral

import (
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A Result is what a wire reads of a result in a conversation.
type Result struct {
	Tool   string // what was called, by its name in the pool; empty if the call is not there
	Failed bool
	Texts  []string // in order
}

// Text returns all text of r.
func (r Result) Text() string { return strings.Join(r.Texts, "\n") }

// Shown yields the names of the tools whose definitions r shows, as the API knows them.
// Only a call of [SearchTool] shows any, and only if it succeeded: a page or a file may
// say what looks the same, and must not load tools with it.
func (r Result) Shown() iter.Seq[string] {
	return func(yield func(string) bool) {
		if r.Tool != SearchTool || r.Failed {
			return
		}
		for _, text := range r.Texts {
			for name := range history.FunctionNames(text) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// ShowsTools reports whether r shows definitions of tools. Then it is
// [pegboard.HistoryResult].Fixed.
func (r Result) ShowsTools() bool {
	for range r.Shown() {
		return true
	}
	return false
}
