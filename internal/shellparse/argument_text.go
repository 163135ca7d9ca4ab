package shellparse

import (
	"slices"
	"strings"
)

// sourceText and unquotedText return an argument as written and without its quotes.
// They are passed to joinArgs.
func sourceText(a arg) string { return a.source }

func unquotedText(a arg) string {
	if a.known {
		return a.value
	}
	return a.source
}

// joinArgs writes arguments separated by one blank. Arguments that one brace expansion
// produced are written once.
func joinArgs(args []arg, as func(arg) string) string {
	if len(args) == 1 && !args[0].fromBraces {
		return as(args[0])
	}
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + len(a.source)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			if a.fromBraces && args[i-1].fromBraces && a.source == args[i-1].source {
				continue
			}
			if a.isAdded() {
				continue
			}
			b.WriteByte(' ')
		}
		if a.fromBraces {
			b.WriteString(a.source)
			continue
		}
		b.WriteString(as(a))
	}
	return b.String()
}

// joinSources is joinArgs with sourceText. It returns a substring of text if text ends
// with the result.
func joinSources(text string, args []arg) string {
	rest := text
	for i, a := range slices.Backward(args) {
		before, ok := strings.CutSuffix(rest, a.source)
		if ok && i > 0 {
			before, ok = strings.CutSuffix(before, " ")
		}
		if !ok || a.fromBraces || a.isAdded() {
			return joinArgs(args, sourceText)
		}
		rest = before
	}
	return text[len(rest):]
}

// joinWithAssignments writes a command with the assignments before it.
func joinWithAssignments(assigns []assignment, args []arg) string {
	texts := make([]string, 0, len(assigns)+1)
	for _, a := range assigns {
		texts = append(texts, a.source)
	}
	if len(args) > 0 {
		texts = append(texts, joinArgs(args, sourceText))
	}
	return strings.Join(texts, " ")
}

// joinValues writes arguments without quotes, including each that a brace expansion
// produced.
func joinValues(args []arg) string {
	values := make([]string, 0, len(args))
	for _, a := range args {
		if !a.isAdded() {
			values = append(values, unquotedText(a))
		}
	}
	return strings.Join(values, " ")
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
