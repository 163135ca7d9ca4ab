package shellparse

import "strings"

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
