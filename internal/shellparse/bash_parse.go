package shellparse

import (
	"errors"
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// syntaxVariants are the options that make the parser read the language of a shell.
var syntaxVariants = map[Shell]syntax.ParserOption{Bash: syntax.Variant(syntax.LangBash), Zsh: syntax.Variant(syntax.LangZsh)}

// parseAs parses a line in the language of a shell.
func (s *parserState) parseAs(line string, shell Shell) (*syntax.File, error) {
	syntaxVariants[shell](&s.syntax)
	syntax.KeepComments(mayHoldComment(line))(&s.syntax)
	s.input.Reset(line)
	file, err := s.syntax.Parse(&s.input, "")
	// The parser's Parse resets most of its state, but does not promise to, and would
	// retain the line.
	s.syntax = syntax.Parser{}
	s.input.Reset("")
	return file, err
}

// syntaxTree parses a line. For zsh it also returns an error if zsh reads the line
// differently from bash.
func (s *parserState) syntaxTree(line string, shell Shell) (*syntax.File, error) {
	file, err := s.parseAs(line, Bash)
	if err != nil {
		return nil, errors.New("the line is not complete or not valid")
	}
	if shell != Zsh {
		return file, nil
	}
	other, err := s.parseAs(line, Zsh)
	if err != nil || !reflect.DeepEqual(file.Stmts, other.Stmts) {
		return file, errors.New("zsh reads the line in its own way")
	}
	return file, nil
}

// mayHoldComment reports whether the line could hold a comment.
func mayHoldComment(line string) bool { return strings.Contains(line, "#") }

// checkComments marks the line unknown if parsers and shells disagree about a comment:
// it ends in a backslash, or no blank precedes it.
func (w *walker) checkComments(file *syntax.File) {
	if !mayHoldComment(w.src) {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		c, ok := node.(*syntax.Comment)
		if !ok {
			return true
		}
		if strings.HasSuffix(strings.TrimSuffix(c.Text, "\n"), `\`) {
			w.markUnknown("a comment ends in a backslash")
		}
		if at := c.Hash.Offset(); at > 0 && at <= uint(len(w.src)) && !strings.ContainsRune(" \t\n;&|", rune(w.src[at-1])) {
			w.markUnknown("a comment begins within a word")
		}
		return true
	})
}

// mayAssign reports whether the line may change a variable such as HOME: whether it
// contains the name other than as $HOME or ${HOME}.
func mayAssign(line, name string) bool {
	for rest := line; ; {
		n := strings.Index(rest, name)
		if n < 0 {
			return false
		}
		if !strings.HasSuffix(rest[:n], "$") && !strings.HasSuffix(rest[:n], "${") {
			return true
		}
		rest = rest[n+len(name):]
	}
}

// listUnparsed lists everything that could be a command in a line that cannot be
// parsed, so that deny rules can match it.
func (w *walker) listUnparsed(line string) {
	line = line[:min(len(line), maxUnparsed)]
	split := func(r rune) bool { return strings.ContainsRune(";&|(){}\n\r`", r) }
	for _, piece := range strings.FieldsFunc(line, split) {
		var args []arg
		for _, word := range strings.Fields(piece) {
			if len(args) == 0 && (reservedWords[word] || strings.ContainsAny(word, "=<>$")) {
				continue
			}
			value := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(word)
			args = append(args, arg{value: value, known: true, source: word})
		}
		if len(args) == 0 {
			continue
		}
		c := Command{Text: joinArgs(args, sourceText), Class: Unknown, Reason: "the line cannot be parsed"}
		w.inspectNested(&c, args, 0)
		w.addGuesses(&c, args)
		if !w.addCommand(c) {
			return
		}
	}
}

// reservedWords are the reserved words of bash. Without quotes they cannot name a
// command.
var reservedWords = map[string]bool{
	"!": true, "{": true, "}": true, "[[": true, "case": true, "coproc": true, "do": true, "done": true,
	"elif": true, "else": true, "esac": true, "fi": true, "for": true, "function": true, "if": true,
	"in": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}
