// Package searchquery reads the queries with which a model searches for tools, and words
// the answers: the report on a search, and the announcement of the tools that a search
// can find. It knows nothing of tools but their names.
package searchquery

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// The part of a query that is read. Each word or name may cost a pass over all tools.
const (
	maxWords        = 256 // words, or names
	maxNearestWords = 8   // words of which Nearest looks for names
)

// A Query asks for tools by name or in words.
type Query struct {
	Names    []string // as they were written; nil if the query is in words
	ByName   bool     // whether the query asks by name; Names may still be empty
	Words    string   // the words to rank by
	Required []string // parts that the tool's name must contain, in lower case
	Sources  []string // prefixes of sources, one of which must be the tool's
}

// Parse reads a query. "select:A,B" asks for names. In other queries a word after a + is
// a required part of the name, and a word for which isSource returns true, with or
// without the separator after it, is the prefix of a source. Parse reads at most 256
// words or names.
func Parse(text string, isSource func(prefix string) bool) (q Query) {
	text = strings.TrimSpace(text)
	if list, ok := cutPrefixFold(text, "select:"); ok {
		q.ByName = true
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				q.Names = append(q.Names, name)
			}
			if len(q.Names) == maxWords {
				break
			}
		}
		return q
	}
	var words []string
	read := 0
	for word := range strings.FieldsSeq(text) {
		if read++; read > maxWords {
			break
		}
		must, isRequired := strings.CutPrefix(word, "+")
		switch prefix := strings.TrimSuffix(word, "__"); {
		case isRequired && must != "":
			q.Required = append(q.Required, strings.ToLower(must))
			words = append(words, must)
		case isSource(prefix):
			q.Sources = append(q.Sources, prefix)
		default:
			words = append(words, word)
		}
	}
	q.Words = strings.Join(words, " ")
	return q
}

// HasFilters reports whether the query excludes tools by name or source.
func (q Query) HasFilters() bool { return len(q.Required)+len(q.Sources) > 0 }

// PassesFilters reports whether the query's filters let a tool through, given its name
// and the prefix of its source.
func (q Query) PassesFilters(name, source string) bool {
	if len(q.Sources) > 0 && !slices.Contains(q.Sources, source) {
		return false
	}
	name = strings.ToLower(name)
	return !slices.ContainsFunc(q.Required, func(must string) bool { return !strings.Contains(name, must) })
}

// Nearest returns up to three of names that the query, which found nothing, may stand
// for. It considers the first eight words or names of the query.
func (q Query) Nearest(names []string) []string {
	words := q.Names
	if !q.ByName {
		words = strings.Fields(q.Words)
	}
	var near []string
	for _, word := range words[:min(len(words), maxNearestWords)] {
		for _, name := range nearest.Names(word, names, 3) {
			if !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
		if len(near) >= 3 {
			break
		}
	}
	return near[:min(3, len(near))]
}

func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
