package shellparse

import (
	"errors"
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variants make a parser one of a shell.
var variants = map[Shell]syntax.ParserOption{Bash: syntax.Variant(syntax.LangBash), Zsh: syntax.Variant(syntax.LangZsh)}

// parse reads a line as a shell does.
func (d *desk) parse(line string, shell Shell) (*syntax.File, error) {
	variants[shell](&d.syntax)
	syntax.KeepComments(mayComment(line))(&d.syntax)
	d.text.Reset(line)
	file, err := d.syntax.Parse(&d.text, "")
	// Parse resets most of it, but that is no promise, and it would keep the line.
	d.syntax = syntax.Parser{}
	d.text.Reset("")
	return file, err
}

// tree parses a line, for zsh as far as it means the same to bash.
func (d *desk) tree(line string, shell Shell) (*syntax.File, error) {
	file, err := d.parse(line, Bash)
	if err != nil {
		return nil, errors.New("the line is not complete or not valid")
	}
	if shell != Zsh {
		return file, nil
	}
	other, err := d.parse(line, Zsh)
	if err != nil || !reflect.DeepEqual(file.Stmts, other.Stmts) {
		return file, errors.New("zsh reads the line in its own way")
	}
	return file, nil
}

// mayComment reports whether the line could hold a comment.
func mayComment(line string) bool { return strings.Contains(line, "#") }

// comments doubts a line with a comment that parsers and shells disagree about:
// one that ends in a backslash, or that follows something without a blank.
func (w *walker) comments(file *syntax.File) {
	if !mayComment(w.src) {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		c, ok := node.(*syntax.Comment)
		if !ok {
			return true
		}
		if strings.HasSuffix(strings.TrimSuffix(c.Text, "\n"), `\`) {
			w.doubt("a comment ends in a backslash")
		}
		if at := c.Hash.Offset(); at > 0 && at <= uint(len(w.src)) && !strings.ContainsRune(" \t\n;&|", rune(w.src[at-1])) {
			w.doubt("a comment begins within a word")
		}
		return true
	})
}

// assigns reports whether the line may change a variable such as HOME: whether the
// name stands in it other than as $HOME or ${HOME}.
func assigns(line, name string) bool {
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

// naive lists whatever could be a command in a line that cannot be parsed, so
// that rules that deny still see it.
func (w *walker) naive(line string) {
	line = line[:min(len(line), maxNaive)]
	split := func(r rune) bool { return strings.ContainsRune(";&|(){}\n\r`", r) }
	for _, piece := range strings.FieldsFunc(line, split) {
		var args []arg
		for _, word := range strings.Fields(piece) {
			if len(args) == 0 && (keywords[word] || strings.ContainsAny(word, "=<>$")) {
				continue
			}
			value := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(word)
			args = append(args, arg{value: value, known: true, source: word})
		}
		if len(args) == 0 {
			continue
		}
		c := Command{Text: join(args, source), Class: Unknown, Why: "the line cannot be parsed"}
		w.look(&c, args, 0)
		w.maybe(&c, args)
		if !w.emit(c) {
			return
		}
	}
}

// keywords are the reserved words of bash. Unquoted, they name no command.
var keywords = map[string]bool{
	"!": true, "{": true, "}": true, "[[": true, "case": true, "coproc": true, "do": true, "done": true,
	"elif": true, "else": true, "esac": true, "fi": true, "for": true, "function": true, "if": true,
	"in": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}
