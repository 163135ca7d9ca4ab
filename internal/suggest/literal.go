package suggest

import (
	"slices"
	"strings"
	"unicode"
)

// maxLiteral is the number of bytes that a command may have to be remembered as it
// stands. What is longer hardly comes again, and nobody reads it in a list.
const maxLiteral = 300

// addedArgsMark ends the text of a command to which xargs adds arguments.
const addedArgsMark = " …"

// literalSpec returns text as a specifier that means nothing but text, or nothing if
// it would say more than the person saw.
func literalSpec(tool, text string) string {
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(text) > maxLiteral || strings.Contains(text, "*") || strings.HasSuffix(text, addedArgsMark) || strings.ContainsFunc(text, unseen) {
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

// splitWords returns the words of text without their quotes. It reports false if the
// shell replaces something in it by what the text does not say, or if a quote is
// left open.
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

// stateChangers give the commands that follow in a line another meaning, those as well
// for which nobody is asked. That was seen with one line, and a rule holds for all.
var stateChangers = []string{
	"export", "declare", "typeset", "readonly", "local", "unset", "read", "mapfile", "readarray",
	"alias", "unalias", "hash", "enable", "set", "shopt", "setopt", "unsetopt", "trap", "exec", "eval", "source", ".",
	"set-alias", "new-alias", "import-alias", "import-module", "set-variable", "new-variable",
}

// changesState reports whether a command changes what others mean.
func changesState(words []string) bool {
	drive := func(word string) bool { // of PowerShell, where variables and aliases are files
		name, _, ok := strings.Cut(strings.ToLower(word), ":")
		return ok && slices.Contains([]string{"env", "alias", "function", "variable"}, name)
	}
	return slices.Contains(stateChangers, strings.ToLower(words[0])) || slices.ContainsFunc(words, drive)
}
