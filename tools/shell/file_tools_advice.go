package shell

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// fileToolsAdvice returns a line that names the tools for files in the pool, and with
// commands the ones that they replace. It is empty if there are no such tools.
func fileToolsAdvice(s pegboard.Scope, commands bool) string {
	var look, change, instead []string
	for _, tool := range []struct {
		name, command string
		list          *[]string
	}{{"Read", "cat", &look}, {"Glob", "find", &look}, {"Grep", "", &look}, {"Edit", "sed", &change}, {"Write", "echo", &change}} {
		if !s.Has(tool.name) {
			continue
		}
		*tool.list = append(*tool.list, tool.name)
		if tool.command != "" {
			instead = append(instead, tool.command)
		}
	}
	var text string
	switch {
	case len(look)+len(change) == 0:
		return ""
	case len(change) == 0:
		text = "Use " + listed(look, "and") + " to look at files"
	case len(look) == 0:
		text = "Use " + listed(change, "and") + " to change files"
	default:
		text = "Use " + listed(look, "and") + " to look at files, and " + listed(change, "and") + " to change them"
	}
	if commands && len(instead) > 0 {
		text += ", not " + listed(instead, "or")
	}
	return text + ".\n"
}

// listed joins words as a sentence lists them.
func listed(words []string, last string) string {
	n := len(words)
	if n == 1 {
		return words[0]
	}
	return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
}
