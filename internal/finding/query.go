// Package finding is the language in which a model asks for tools, and in which it is
// told which of them can be asked for. It knows tools by their names alone.
package finding

import (
	"slices"
	"strings"
)

// A Query is what a model asks for: tools by name, or words.
type Query struct {
	Names    []string // as they were written; nil if the query is words
	ByName   bool     // the query is names, if there are any
	Words    string   // all words that rank
	Required []string // in lower case: what must be part of the name
	Sources  []string // the prefixes of sources, of which the tool must have one
}

// Parse reads a query. "select:A,B" asks for names. Otherwise a word after a + must be
// part of the name, and one for which isSource is true, with or without the separator
// after it, is the prefix of a source.
func Parse(text string, isSource func(prefix string) bool) (q Query) {
	text = strings.TrimSpace(text)
	if list, ok := cutPrefixFold(text, "select:"); ok {
		q.ByName = true
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				q.Names = append(q.Names, name)
			}
		}
		return q
	}
	var words []string
	for word := range strings.FieldsSeq(text) {
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

// Limited reports whether words alone do not decide which tools are found.
func (q Query) Limited() bool { return len(q.Required)+len(q.Sources) > 0 }

// Admits reports whether a tool of that name, whose source has that prefix, may be
// found.
func (q Query) Admits(name, source string) bool {
	if len(q.Sources) > 0 && !slices.Contains(q.Sources, source) {
		return false
	}
	name = strings.ToLower(name)
	return !slices.ContainsFunc(q.Required, func(must string) bool { return !strings.Contains(name, must) })
}

// Said returns the single words and names of the query, for guessing what was meant.
func (q Query) Said() []string {
	if q.ByName {
		return q.Names
	}
	return strings.Fields(q.Words)
}

func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
