package shellparse

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pwshCommand is one command of a pipeline. A word that is a comma-separated list has
// anyNumber set.
type pwshCommand struct {
	words   []arg
	targets []arg // files that redirections write
}

// A pwshLexer splits the plain subset of PowerShell: bare words, strings without
// expansions, separators of commands, and redirections to files. It returns an error
// for anything else.
type pwshLexer struct {
	src       string // unread rest of the line
	pipelines [][]pwshCommand
	pipeline  []pwshCommand
	command   pwshCommand
	open      bool // a command must follow the last separator
}

var errNotComplete = errors.New("the line is not complete or not valid")

// lexPwsh returns the pipelines of a line. PowerShell treats typographic quotes, dashes
// and blanks like those of ASCII, so a line with such a character is an error.
func lexPwsh(line string) ([][]pwshCommand, error) {
	for _, r := range line {
		if r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			return nil, fmt.Errorf("PowerShell may take the character %U for a quote, dash or blank", r)
		}
	}
	l := pwshLexer{src: line}
	for {
		l.blanks()
		if l.src == "" {
			return l.pipelines, l.end(false)
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *pwshLexer) blanks() { l.src = strings.TrimLeft(l.src, " \t") }

// take removes a prefix of the rest of the line, if it is there.
func (l *pwshLexer) take(prefix string) bool {
	rest, ok := strings.CutPrefix(l.src, prefix)
	l.src = rest
	return ok
}

// atEnd reports whether a word ends here.
func (l *pwshLexer) atEnd() bool {
	return l.src == "" || strings.IndexByte(" \t\n;|", l.src[0]) >= 0 || strings.HasPrefix(l.src, "&&")
}

// next reads a separator, a redirection or a word.
func (l *pwshLexer) next() error {
	first := len(l.command.words) == 0
	switch {
	case l.take("&&"), l.take("||"):
		return l.end(true)
	case l.open && first && l.take("\n"):
		return nil
	case l.take("\n"), l.take(";"):
		return l.end(false)
	case l.take("|"):
		return l.pipe()
	case l.src[0] == '&':
		return errors.New("& runs what it is given, or starts a job")
	}
	if op := redirectOperator.FindString(l.src); op != "" {
		l.src = l.src[len(op):]
		return l.redirect()
	}
	word, err := l.word()
	if err == nil && first {
		err = pwshNameProblem(word)
	}
	l.command.words = append(l.command.words, word)
	return err
}

// pipe ends a command whose output another command reads.
func (l *pwshLexer) pipe() error {
	if len(l.command.words) == 0 {
		return errNotComplete
	}
	l.pipeline = append(l.pipeline, l.command)
	l.command, l.open = pwshCommand{}, true
	return nil
}

// end ends a pipeline. open is set if another one must follow.
func (l *pwshLexer) end(open bool) error {
	if len(l.command.words) == 0 {
		if open || l.open || len(l.command.targets) > 0 {
			return errNotComplete
		}
		return nil
	}
	l.pipelines = append(l.pipelines, append(l.pipeline, l.command))
	l.pipeline, l.command, l.open = nil, pwshCommand{}, open
	return nil
}

// redirectOperator matches the operator of an output redirection.
var redirectOperator = regexp.MustCompile(`^[1-6*]?>>?`)

// redirect reads the target of a redirection: another stream, $null or a file.
func (l *pwshLexer) redirect() error {
	if l.take("&1") || l.take("&2") {
		if !l.atEnd() {
			return errNotComplete
		}
		return nil
	}
	l.blanks()
	if len(l.src) >= len("$null") && strings.EqualFold(l.src[:len("$null")], "$null") {
		l.src = l.src[len("$null"):]
		if !l.atEnd() {
			return errors.New("a redirection leads to what a variable holds")
		}
		return nil
	}
	if l.atEnd() {
		return errNotComplete
	}
	word, err := l.word()
	if word.anyNumber || strings.ContainsAny(word.value, "*?[") || strings.HasPrefix(word.source, "-") {
		return errors.New("the target of a redirection cannot be known")
	}
	l.command.targets = append(l.command.targets, word)
	return err
}

// isBareByte reports whether a byte has no special meaning in a bare word.
func isBareByte(c byte) bool {
	return c >= utf8.RuneSelf || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte(`_-./\:=+~^%?*!`, c) >= 0
}

// beforeString matches the part of a word that may precede a string.
var beforeString = regexp.MustCompile(`^-[^,]*[=:]$`)

// startsWithQuote reports whether a word begins with a string.
func startsWithQuote(source string) bool {
	return source != "" && (source[0] == '\'' || source[0] == '"')
}

// word reads a word: a string, or bare characters. A string may follow these only as in
// --name="a b" and -Name:"a b".
func (l *pwshLexer) word() (w arg, err error) {
	whole := l.src
	quoted := startsWithQuote(whole)
	for !quoted && l.src != "" {
		switch c := l.src[0]; {
		case isBareByte(c):
			w.value += l.src[:1]
			l.src = l.src[1:]
			continue
		case c == ',':
			w.value += ","
			w.anyNumber = true
			l.src = l.src[1:]
			l.blanks() // the list continues
			if l.src == "" || !isBareByte(l.src[0]) || len(w.value) == 1 {
				return w, errors.New("a list is not plain")
			}
			continue
		}
		break
	}
	w.known, w.glob = !w.anyNumber, !quoted && strings.ContainsAny(w.value, "*?")
	if startsWithQuote(l.src) {
		if !quoted && !beforeString.MatchString(w.value) {
			return w, errors.New("a quote stands within a word")
		}
		var text string
		if text, err = l.text(); err != nil {
			return w, err
		}
		w.value += text
	}
	w.source = whole[:len(whole)-len(l.src)]
	switch {
	case !l.atEnd():
		return w, fmt.Errorf("the line holds %q where it is not plain", l.src[0])
	case w.source == "--%":
		return w, errors.New("--% ends the reading of the line")
	}
	return w, nil
}

// text reads a string without expansions.
func (l *pwshLexer) text() (string, error) {
	quote := l.src[:1]
	l.src = l.src[1:]
	var b strings.Builder
	for {
		text, rest, ok := strings.Cut(l.src, quote)
		if !ok {
			return "", errNotComplete
		}
		if quote == `"` && strings.ContainsAny(text, "$`") {
			return "", errors.New("a string holds what PowerShell replaces")
		}
		b.WriteString(text)
		l.src = rest
		if !l.take(quote) {
			return b.String(), nil
		}
		b.WriteString(quote)
	}
}

// pwshKeywords begin a statement that is not a command.
const pwshKeywords = " begin break catch class clean configuration continue data define do dynamicparam else elseif" +
	" end enum exit filter finally for foreach from function if in inlinescript parallel param" +
	" return sequence switch throw trap try until using var while workflow "

// pwshNameProblem returns why a word cannot be the name of a plain command.
func pwshNameProblem(word arg) error {
	switch c := word.value[:min(1, len(word.value))]; {
	case startsWithQuote(word.source):
		return errors.New("an expression stands where a command is expected")
	case word.source == "%" || word.source == "?":
		return nil
	case word.source == ".":
		return errors.New("a script that is read changes what follows")
	case word.anyNumber || word.glob || startsWithQuote(word.source[len(word.source)-1:]) || c[0] < utf8.RuneSelf && !isNameStart(c[0]):
		return errors.New("an expression stands where a command is expected")
	case strings.Contains(pwshKeywords, " "+strings.ToLower(word.value)+" "):
		return errors.New("the line holds a statement that is no command")
	}
	return nil
}

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(`_./\~`, c) >= 0
}

// splitParameter splits a word such as -Path or -Path:a that names a parameter. If the
// colon ends the word, the value is the next word.
func splitParameter(word arg) (name, value string, ok bool) {
	if startsWithQuote(word.source) || len(word.value) < 2 || word.value[0] != '-' || strings.IndexByte(".0123456789", word.value[1]) >= 0 {
		return "", "", false
	}
	name, value, _ = strings.Cut(word.value[1:], ":")
	return name, value, true
}
