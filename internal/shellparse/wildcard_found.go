package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// maxFoundWords limits the words that are tried in the place of one that is not known.
const maxFoundWords = 16

// anyRest ends the beginning that the names of files have in common. No name holds it, and no
// pattern for values matches it, so that what passes with it passes with every rest.
const anyRest = "\x00"

// onFoundNames returns the command, whose name comes first, with words in the place of those
// that stand for names of files. It reports false if there are no such words, if no
// [shelltable.WildcardSpec] applies, or if a name could be more than an operand: it begins
// like an option, leads out of the project, or sets something.
//
// All names of a tree or of a pattern have the same beginning, which ends at a slash. What a
// program takes a word for is then decided by the line and not by the name of a file.
func onFoundNames(words []arg) (variants [][]arg, ok bool) {
	if len(words) == 0 || !slices.ContainsFunc(words[1:], func(a arg) bool { return !a.isLiteral() }) {
		return nil, false
	}
	spec, _, ok := specBehindLaunchers(words)
	if !ok {
		return nil, false
	}
	found := make([][]arg, len(words))
	for i, a := range words {
		if a.isLiteral() {
			continue
		}
		if found[i], ok = a.foundWords(spec); !ok {
			return nil, false
		}
	}
	variants = withWords(words, found)
	var none []arg // the command if nothing is found
	for i, a := range variants[0] {
		if found[i] == nil || !words[i].mayBeSeveral() {
			none = append(none, a)
		}
	}
	return append(variants, none), true
}

// withWords returns the words with each of those found in their places at least once. Each
// decides for itself, so that not every combination counts.
func withWords(words []arg, found [][]arg) (variants [][]arg) {
	most := 0
	for _, list := range found {
		most = max(most, len(list))
	}
	for k := range most {
		variant := slices.Clone(words)
		for i, list := range found {
			if len(list) > 0 {
				variant[i] = list[k%len(list)]
			}
		}
		variants = append(variants, variant)
	}
	return variants
}

// foundWords returns what an argument stands for that is not literal: names, or beginnings
// of names with anyRest behind them. It reports false if a name could be more than an operand.
func (a arg) foundWords(s shelltable.WildcardSpec) (list []arg, ok bool) {
	names := foundNames{plain: true, values: []arg{a}}
	if !a.known {
		if a.found == nil {
			return nil, false
		}
		names = *a.found
	}
	if !names.plain || names.bare || names.read {
		return nil, false
	}
	for _, v := range names.values {
		if !v.glob {
			list = append(list, v)
			continue
		}
		beginning, ok := beginningOf(v.value)
		if !ok || !v.known || refusesNames(s) {
			return nil, false
		}
		list = append(list, literalArg(beginning+anyRest))
	}
	for _, v := range slices.Concat(names.trees, names.starts) {
		if v.glob || refusesNames(s) {
			return nil, false
		}
		list = append(list, v, v.withValue(strings.TrimSuffix(v.value, "/")+"/"+anyRest))
	}
	ok = len(list) > 0 && len(list) <= maxFoundWords && !slices.ContainsFunc(list, arg.mayBeMore)
	return list, ok
}

// mayBeMore reports whether a program could take a word for something else than an operand.
func (a arg) mayBeMore() bool {
	return !a.known || !startsWithPlainByte(a.value) || mayLeaveProject(a.value) || strings.ContainsAny(a.value, " \t\n'\"\\")
}

// refusesNames reports whether a spec refuses words by their text, so that it cannot be said
// of all names with one beginning.
func refusesNames(s shelltable.WildcardSpec) bool {
	return s.RefusedOperand != nil && !wholeWords.MatchString(s.RefusedOperand.String()) || s.RefusedArg != nil && !strings.HasPrefix(s.RefusedArg.String(), "^-")
}

// wholeWords matches the text of an expression for some words, of which none has a slash.
var wholeWords = regexp.MustCompile(`^\(\?i\)\^\([a-z|]+\)\$$`)

// beginningOf returns what all names begin with that a pattern stands for. It reports false
// unless that ends at a slash: the beginning of a name could be that of a variable.
func beginningOf(pattern string) (beginning string, ok bool) {
	odd := func(r rune) bool {
		return !strings.ContainsRune("_-./*?", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if strings.ContainsFunc(pattern, odd) || mayLeaveProject(pattern) {
		return "", false
	}
	for segment := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(segment, ".") && strings.ContainsAny(segment, "*?") { // two dots may match
			return "", false
		}
	}
	fixed := pattern[:strings.IndexAny(pattern+"*", "*?")]
	beginning = fixed[:strings.LastIndexByte(fixed, '/')+1]
	return beginning, beginning != ""
}

// addStarts notes the commands that a command starts with names of files, if a rule with a
// wildcard may be about them.
func (w *walker) addStarts(c *Command, s strippedCommand, e effect) {
	started := e.acts
	if c.Class != ReadOnly && len(s.args) > 0 && s.args[0].is("xargs") {
		command, ok := w.xargsCommand(s.args[1:])
		if !ok {
			return
		}
		started = [][]arg{command}
	}
	var texts []string
	for _, words := range started {
		if _, ok := onFoundNames(words); !ok || forbidsWildcard(words) {
			return
		}
		texts = append(texts, joinArgs(words, sourceText)+shelltable.AddedArgsMark)
	}
	if c.Starts = texts; len(texts) > 0 {
		c.OnFound = true
	}
	if in := w.input(); c.OnFound && s.args[0].is("xargs") && !in.nul {
		w.addNames(c, in)
	}
}

// addFound adds to a command that may do more than read what deny rules look at if it gets
// names of files: itself with each of the names, as far as they are known. It reports
// whether nothing else of the command is computed.
func (w *walker) addFound(c *Command, s strippedCommand, assigns []assignment) bool {
	if c.NoWildcards || len(s.args) == 0 {
		return false
	}
	words := w.withAddedArgs(s)
	if _, ok := onFoundNames(words); !ok {
		return false
	}
	c.OnFound = true
	found := make([][]arg, len(words))
	for i, a := range words {
		if !a.known {
			found[i] = slices.Concat(a.found.values, a.found.trees)
		}
	}
	for _, words := range withWords(words, found) {
		for i, a := range words {
			words[i].source = a.value
		}
		c.Nested = append(c.Nested, joinValues(words))
		c.addSpellings(words, programName(words[0].value))
		c.addMentioned(words[0].value, words, assigns)
		w.addGuesses(c, words)
	}
	return true
}
