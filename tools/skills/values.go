package skills

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// values are the values of the placeholders of a text.
type values struct {
	args      string   // as they were written
	words     []string // of args
	variables map[string]string
	// backslashes says that a backslash means nothing to the shell of the commands.
	backslashes bool
}

func newValues(args string, variables map[string]string) values {
	return values{args: args, words: splitWords(args), variables: variables}
}

// render returns a text with its placeholders replaced, and its commands by their outputs, of
// which there is one for each. Arguments that no placeholder takes stand at the end.
func (v values) render(t text, outputs []string) string {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.kind == pieceCommand {
			b.WriteString(outputs[0])
			outputs = outputs[1:]
			continue
		}
		b.WriteString(v.of(p))
	}
	if !t.takesArgs && strings.TrimSpace(v.args) != "" {
		b.WriteString("\n\nARGUMENTS: " + v.args)
	}
	return b.String()
}

// commands returns the command lines of a text.
func (v values) commands(t text) (lines []string, err error) {
	for _, p := range t.pieces {
		if p.kind != pieceCommand {
			continue
		}
		line, err := v.line(p.command)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// line returns a command line. An argument in it may be part of a word or of several, and no
// more: whatever quotes stand around it, a shell reads these characters as they are. So does it
// those of a variable, such as the name of a directory.
func (v values) line(pieces []piece) (string, error) {
	var b strings.Builder
	for _, p := range pieces {
		value := v.of(p)
		if p.kind == pieceWhole || p.kind == pieceIndexed && p.index < len(v.words) || p.kind == pieceNamed {
			if strings.ContainsFunc(value, isSpecial) {
				return "", fmt.Errorf("an argument is put into a command, and may have no other characters there than letters, digits, blanks and -_./:@%%+=,: "+
					"call the skill again with arguments that have none, or with fewer of them: %w", errArgument)
			}
		}
		if p.kind == pieceVariable && value != p.raw {
			if !v.backslashes {
				value = filepath.ToSlash(value)
			}
			if strings.ContainsFunc(value, func(c rune) bool { return isSpecial(c) && (c != '\\' || !v.backslashes) }) {
				return "", fmt.Errorf("${%s} is put into a command, and its value has characters there that mean something to a shell: "+
					"tell the user, or go on without the skill: %w", p.name, errArgument)
			}
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// isSpecial reports whether a shell may do something else with a character than pass it on.
func isSpecial(c rune) bool {
	return c != ' ' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-./:@%+=,", c)
}

// of returns the text that replaces a piece.
func (v values) of(p piece) string {
	switch p.kind {
	case pieceWhole:
		return v.args
	case pieceIndexed:
		if p.index < len(v.words) {
			return v.words[p.index]
		}
	case pieceNamed:
		if p.index < len(v.words) {
			return v.words[p.index]
		}
		return ""
	case pieceVariable:
		if value, ok := v.variables[p.name]; ok {
			return value
		}
	}
	return p.raw
}

// splitWords splits arguments at blanks. Quotes keep blanks together, a backslash takes the
// character behind it as it is, but not between single quotes. A quote that is never closed
// holds the rest.
func splitWords(args string) (words []string) {
	var word strings.Builder
	var quote byte
	open := false // a word was begun, which may be empty
	for i := 0; i < len(args); i++ {
		switch c := args[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(args):
			i++
			word.WriteByte(args[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && isBlank(c):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
