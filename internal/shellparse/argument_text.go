package shellparse

import (
	"slices"
	"strings"
)

// source and unquoted are the two ways to write an argument.
func source(a arg) string { return a.source }

func unquoted(a arg) string {
	if a.known {
		return a.value
	}
	return a.source
}

// join writes arguments with one blank between them. The arguments that come of
// one word are written once.
func join(args []arg, as func(arg) string) string {
	if len(args) == 1 && !args[0].cont {
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
			if a.cont && args[i-1].cont && a.source == args[i-1].source {
				continue
			}
			if a.isFed() {
				continue
			}
			b.WriteByte(' ')
		}
		if a.cont {
			b.WriteString(a.source)
			continue
		}
		b.WriteString(as(a))
	}
	return b.String()
}

// endOf is join of the sources of arguments, without a copy if that is how a text
// ends.
func endOf(text string, args []arg) string {
	rest := text
	for i, a := range slices.Backward(args) {
		before, ok := strings.CutSuffix(rest, a.source)
		if ok && i > 0 {
			before, ok = strings.CutSuffix(before, " ")
		}
		if !ok || a.cont || a.isFed() {
			return join(args, source)
		}
		rest = before
	}
	return text[len(rest):]
}

// joinAll writes a command with the assignments before it.
func joinAll(assigns []assign, args []arg) string {
	texts := make([]string, 0, len(assigns)+1)
	for _, a := range assigns {
		texts = append(texts, a.source)
	}
	if len(args) > 0 {
		texts = append(texts, join(args, source))
	}
	return strings.Join(texts, " ")
}

// joinValues writes arguments without their quotes, and those that come of one
// word each.
func joinValues(args []arg) string {
	values := make([]string, 0, len(args))
	for _, a := range args {
		if !a.isFed() {
			values = append(values, unquoted(a))
		}
	}
	return strings.Join(values, " ")
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
