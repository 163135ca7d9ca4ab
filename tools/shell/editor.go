package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// editors are programs that wait for keys without noticing that they have no terminal, and
// the beginnings of arguments with which they do not. Other programs for a terminal end at
// once without one, and say why.
var editors = map[string][]string{
	"vi": viBatch, "vim": viBatch, "nvim": viBatch, "view": viBatch, "rvim": viBatch, "rview": viBatch, "vimdiff": viBatch, "gvim": viBatch,
	"nano": {"--version", "-V", "--help", "-h"}, "pico": {"--version", "-V", "--help", "-h"},
	"emacs": {"--batch", "-batch", "--script", "-script", "--version", "--help"},
	"micro": {"-version", "--version", "-help", "--help", "-options"}, "joe": {"--version", "--help"}, "mcedit": {"--version", "--help"},
	"hx": {"--version", "-V", "--help", "-h", "--health"}, "kak": {"-version", "-help", "-f", "-l"},
}

// viBatch are the arguments with which vi runs commands.
var viBatch = []string{"-e", "-E", "-s", "-c", "-S", "+", "--cmd", "--headless", "--version", "--help", "-h"}

// editorPrefix matches the words before the name of a program that another program starts: an
// assignment, an option, a time, and the program that starts it.
var editorPrefix = regexp.MustCompile(`^([A-Za-z_]\w*=.*|-.*|[\d.]+[smhd]?|sudo|doas|env|timeout|nohup|nice|time|command|stdbuf)$`)

// checkEditors returns an error if a line opens an editor, which would wait for keys until
// its time is over.
func checkEditors(line *lines.Line) error {
	for i := range line.Commands {
		if text := line.Commands[i].Text; opensEditor(text) {
			return fmt.Errorf("%q opens an editor, and there is no terminal here, nor anyone to type; "+
				"change the file with a tool for that or with a command such as sed, or give the editor its commands as arguments", text)
		}
	}
	return nil
}

// mayOpenEditor reports whether a line contains the name of an editor, so that it is worth
// parsing.
func mayOpenEditor(line string) bool {
	for name := range editors {
		if strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// opensEditor reports whether a simple command opens an editor.
func opensEditor(text string) bool {
	words := strings.Fields(text)
	for len(words) > 0 && editorPrefix.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	batch, ok := editors[shellparse.ProgramOf(words[0])]
	return ok && !slices.ContainsFunc(words[1:], func(word string) bool {
		return slices.ContainsFunc(batch, func(begin string) bool { return strings.HasPrefix(strings.Trim(word, `'"`), begin) })
	})
}
