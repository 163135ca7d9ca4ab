package suggest

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// maxLiteral limits the bytes of a command that is remembered as it is. A longer one is
// unlikely to recur and unreadable in a list.
const maxLiteral = 300

// literalSpec returns text as a specifier that matches nothing but text. It returns an
// empty string if such a rule would allow more than the person saw.
func literalSpec(tool, text string) string {
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(text) > maxLiteral || strings.Contains(text, "*") || strings.HasSuffix(text, shelltable.AddedArgsMark) || strings.ContainsFunc(text, unseen) {
		return ""
	}
	words, ok := splitWords(text, tool != "PowerShell")
	for ok && len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	if !ok || len(words) == 0 || changesState(words) || mayRunInput(words) {
		return ""
	}
	return text
}

// splitWords returns the words of text without their quotes. It reports false if text
// holds an expansion or an open quote.
func splitWords(text string, escapes bool) (words []string, ok bool) {
	var word strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && escapes && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		case quote != '\'' && (c == '$' || c == '`'):
			return nil, false
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && c == ' ':
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteByte(c)
		}
	}
	return append(words, word.String()), quote == 0
}

// isAssignment reports whether a word before a command sets a variable.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	name = strings.TrimSuffix(name, "+")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// stateChangers are commands that change the meaning of later commands of a line,
// including those that need no permission. A person saw one such line, but a rule would
// apply to all lines.
var stateChangers = []string{
	"export", "declare", "typeset", "readonly", "local", "unset", "read", "mapfile", "readarray",
	"alias", "unalias", "hash", "enable", "set", "shopt", "setopt", "unsetopt", "trap", "exec", "eval", "source", ".",
	"set-alias", "new-alias", "import-alias", "import-module", "set-variable", "new-variable",
}

// changesState reports whether a command changes the meaning of later ones.
func changesState(words []string) bool {
	drive := func(word string) bool { // in PowerShell, variables and aliases are files on drives
		name, _, ok := strings.Cut(strings.ToLower(word), ":")
		return ok && slices.Contains([]string{"alias", "env", "function", "variable"}, name)
	}
	return slices.Contains(stateChangers, strings.ToLower(words[0])) || slices.ContainsFunc(words, drive)
}
