// Package searchquery is the language in which a model asks for tools, and in which it is
// told which of them can be asked for. It knows tools by their names alone.
package searchquery

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// How much of a query is read: who writes more is not looking for tools, and what is
// done for each word or name may be a look at all tools.
const (
	maxWords = 256 // or names
	maxSaid  = 8
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
// after it, is the prefix of a source. The first 256 words or names are read.
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

// Nearest returns up to three of names that a query may mean which found nothing. Only
// the first words of the query count: each costs a look at all names.
func (q Query) Nearest(names []string) []string {
	said := q.Names
	if !q.ByName {
		said = strings.Fields(q.Words)
	}
	var near []string
	for _, word := range said[:min(len(said), maxSaid)] {
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
