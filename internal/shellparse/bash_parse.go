package shellparse

import (
	"errors"
	"reflect"
	"slices"
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
	w.listUnparsedRemovals(line)
	for _, words := range unparsedPieces(line[:min(len(line), maxUnparsed)]) {
		var args []arg
		for _, word := range words {
			if len(args) == 0 && (reservedWords[word] || strings.ContainsAny(word, "=<>$")) {
				continue
			}
			args = append(args, arg{value: withoutQuotes(word), known: true, source: word})
		}
		if len(args) == 0 {
			continue
		}
		c := unparsedCommand(args)
		w.inspectNested(&c, args, 0)
		w.addGuesses(&c, args)
		if !w.addCommand(c) {
			return
		}
	}
}

// listUnparsedRemovals lists the removals in a line that cannot be parsed about which a
// person must be asked. It looks at the whole line, however long it is.
func (w *walker) listUnparsedRemovals(line string) {
	dir, home := w.env.Dir, w.homeDir()
	for _, words := range unparsedPieces(line) {
		at := slices.IndexFunc(words, func(word string) bool { return isRemoval(programName(withoutQuotes(word))) })
		if at < 0 {
			continue
		}
		args, files := make([]arg, 0, len(words)-at), make([]file, 0, len(words)-at)
		for _, word := range words[at:] {
			value := withoutQuotes(word)
			if rest, ok := strings.CutPrefix(value, "~"); ok && (rest == "" || rest[0] == '/') && home != "" {
				value = home + rest
			}
			a := arg{value: value, known: !strings.Contains(word, "$"), glob: strings.ContainsAny(word, "*?["), source: word}
			args, files = append(args, a), append(files, file{arg: a, write: true})
		}
		c := unparsedCommand(args)
		if c.AskReason = removalReason(programName(args[0].value), files[1:], dir, home); c.AskReason != "" && !w.addCommand(c) {
			return
		}
	}
}

func unparsedCommand(args []arg) Command {
	return Command{Text: joinArgs(args, sourceText), Class: Unknown, Reason: "the line cannot be parsed"}
}

// unparsedPieces returns the words between the operators of a line, without regard to
// quotes.
func unparsedPieces(line string) [][]string {
	var pieces [][]string
	for piece := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|(){}\n\r`", r) }) {
		if words := strings.Fields(piece); len(words) > 0 {
			pieces = append(pieces, words)
		}
	}
	return pieces
}

// withoutQuotes returns a word without all that could quote a character in it.
func withoutQuotes(word string) string { return quotesRemover.Replace(word) }

var quotesRemover = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// reservedWords are the reserved words of bash. Without quotes they cannot name a
// command.
var reservedWords = map[string]bool{
	"!": true, "{": true, "}": true, "[[": true, "case": true, "coproc": true, "do": true, "done": true,
	"elif": true, "else": true, "esac": true, "fi": true, "for": true, "function": true, "if": true,
	"in": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}

// zshCalculates reports whether zsh may evaluate an argument of a builtin as an
// expression, or may give a variable a value that it evaluates.
func zshCalculates(name string, args []arg) bool {
	switch name {
	case "exit", "return", "break", "continue", "shift", "wait":
		return !areAllNumbers(args)
	case "printf":
		return zshFormatCalculates(args)
	case "test", "[":
		return zshTestCalculates(args)
	case "read":
		for _, a := range args {
			if !a.known || isName(a.value) {
				return true
			}
		}
	case "unset":
		return true
	}
	return false
}

func areAllNumbers(args []arg) bool {
	for _, a := range args {
		if !a.isLiteral() || !isDigits(a.value) {
			return false
		}
	}
	return true
}

// zshFormatCalculates reports whether a format has conversions other than those of
// text. Zsh decodes escapes first, so an escape may produce a conversion.
func zshFormatCalculates(args []arg) bool {
	if len(args) > 0 && args[0].value == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return false
	}
	format := args[0].value
	if strings.Contains(format, "*") || !onlyConversions(format, "sbcq") || strings.Contains(format, "%(") {
		return true
	}
	for {
		_, rest, found := strings.Cut(format, `\`)
		if !found {
			return false
		}
		if rest == "" || strings.IndexByte(`abefnrtv\`, rest[0]) < 0 {
			return true
		}
		format = rest[1:]
	}
}

// zshTestCalculates reports whether a condition compares or tests anything but plain
// numbers where zsh evaluates expressions.
func zshTestCalculates(args []arg) bool {
	for i, a := range args {
		if !a.isLiteral() {
			continue // not an operator: testEffect refuses unknown words
		}
		if a.value == "-t" && i+1 < len(args) && !areAllNumbers(args[i+1:i+2]) && args[i+1].value != "]" {
			return true
		}
		if has("-eq -ne -lt -le -gt -ge", a.value) && i > 0 && i+1 < len(args) &&
			(!areAllNumbers(args[i-1:i]) || !areAllNumbers(args[i+1:i+2])) {
			return true
		}
	}
	return false
}

// checkZshWord marks the line unknown if only zsh expands the word.
func (w *walker) checkZshWord(m *markedWord) {
	switch {
	case m.plainAt(0, '='):
		w.markUnknown("zsh replaces a word that begins with = by the path of a command")
	case strings.Contains(string(m.text), "**"):
		w.markUnknown("zsh searches all directories for **")
	}
}
