package shellparse

import (
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The limits of a line. A line beyond them is unknown.
const (
	maxCharacters = 10_000 // of a line
	maxNaive      = 50_000 // bytes that are searched for texts in a line that cannot be parsed
	maxDepth      = 100    // of compounds, substitutions and lists in each other
	maxCommands   = 500
	maxScripts    = 5 // texts of commands in texts of commands
)

// Parse is [Parser.Parse] for a single line.
func Parse(line string, env Env) Line { return new(desk).line(line, env) }

// parse is Parse at a depth of scripts.
func parse(line string, env Env, scripts int, desk *desk) Line {
	if env.Shell == PowerShell {
		return parsePowerShell(line, env, scripts, desk)
	}
	w := desk.walker(scripts)
	w.src, w.env, w.scripts = line, env, scripts
	w.at, w.homeless = placeOf(env.Dir), assigns(line, "HOME")
	w.spare, w.deeds = w.fewWords[:], w.fewDeeds[:0]
	if why := gate(line); why != "" {
		w.doubt(why)
	}
	if tooLong(line) {
		w.naive(line)
		return w.line
	}
	file, err := desk.tree(line, env.Shell)
	if err != nil {
		w.doubt(err.Error())
	}
	if file == nil {
		w.naive(line)
		return w.line
	}
	w.root = file
	w.comments(file)
	if w.line.Unknown != "" {
		// The shell may read another line than the parser did.
		w.naive(line)
	}
	w.stmts(file.Stmts, w.at)
	w.effects()
	w.swayed()
	return w.line
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

func tooLong(line string) bool {
	return len(line) > maxCharacters && utf8.RuneCountInString(line) > maxCharacters
}

// gate says why a line is not left to the parser alone, or is empty.
func gate(line string) string {
	if tooLong(line) {
		return "the line is longer than 10,000 characters"
	}
	if !utf8.ValidString(line) {
		return "the line is not valid UTF-8"
	}
	for _, r := range line {
		if r == '\r' {
			return "the line holds a carriage return"
		}
		if r != '\t' && r != '\n' && unicode.IsControl(r) {
			return "the line holds a control character"
		}
	}
	for at := 0; ; {
		n := strings.Index(line[at:], "\\\n")
		if n < 0 {
			return ""
		}
		at += n
		// After a blank the two halves are words of their own. Elsewhere they
		// may be the halves of an operator or an expansion.
		if at > 0 && !strings.ContainsRune(" \t\n", rune(line[at-1])) {
			return "a word goes on in the next line"
		}
		at += 2
	}
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
