package mcpjson

import (
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// An expansion is a text whose variables were replaced.
type expansion struct {
	text  string
	fault string // why it cannot be used; "" if it can
	hint  string // about a part that was left unchanged
}

// expand replaces the variables of a text.
func expand(text string, lookup func(string) (string, bool)) expansion {
	var out strings.Builder
	var e expansion
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			break
		}
		inside, after, closed := strings.Cut(rest, "}")
		name, instead, hasDefault := strings.Cut(inside, ":-")
		switch {
		case !closed, !isVariable(name):
			e.hint = "only ${NAME} and ${NAME:-text} are variables; ${ with something else is passed on as it is"
			out.WriteString("${")
			text = rest
			continue
		case strings.Contains(instead, "${"):
			e.fault = "the text for an unset variable cannot hold a variable; write ${" + name + "} or a plain text"
			return e
		}
		value, set := lookUp(name, lookup)
		switch {
		case set:
			out.WriteString(value)
		case hasDefault:
			out.WriteString(instead)
		default:
			e.fault = "the variable " + name + " is not set; set it, or write ${" + name + ":-text} for a text that stands in"
			return e
		}
		text = after
	}
	e.text = out.String()
	return e
}

// lookUp returns a variable, which is unset if there is no lookup or it fails.
func lookUp(name string, lookup func(string) (string, bool)) (value string, set bool) {
	if lookup == nil {
		return "", false
	}
	err := goroutine.Try(func() error {
		value, set = lookup(name)
		return nil
	})
	if err != nil {
		return "", false
	}
	return value, set
}

// isVariable reports whether name is one that a shell could set.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}
