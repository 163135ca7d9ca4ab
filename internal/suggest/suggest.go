// Package suggest proposes allow rules for a shell tool, so that a person who was asked
// about a command is not asked about it again.
//
// It looks at texts only, not at rules, modes or files. A caller that offers a proposal
// must check that the rule would have allowed the whole call.
package suggest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// maxText is the length in bytes of the longest command for which rules are proposed:
// no rule allows a line with more characters.
const maxText = 10_000

// Command returns specifiers of allow rules for a shell tool (Bash, PowerShell or
// Monitor) that cover a simple command. There are at most two, the most useful first:
// the program and subcommand followed by " *", then the command itself.
//
// text is the command as shellparse gives it to allow rules. The command itself is left
// out if the rule would allow more than the person saw: if the text holds a star or an
// expansion, if the command runs its input, or if it changes the meaning of other
// commands. It is also left out if it is longer than 300 bytes or has unprintable
// characters. The result is nil if there is no proposal.
//
// Every specifier covers text, unless no wildcard may cover the command: then the
// prefix allows it no more than before. The command itself is never [pattern.Broad]; a
// prefix may be, and ModeAuto then ignores it.
func Command(tool, text string) []string { return propose(tool, text, false) }

// CommandWithInput is [Command] for a command whose standard input the line may supply
// (see shellparse.Command.ReadsInput), which the text does not show. The command itself
// is then left out unless its program treats input only as text: the next time the
// input may be something the person never saw.
func CommandWithInput(tool, text string) []string { return propose(tool, text, true) }

func propose(tool, text string, fed bool) (found []string) {
	if !slices.Contains([]string{"Bash", "PowerShell", "Monitor"}, tool) || len(text) > maxText || !isRuleText(text) {
		return nil
	}
	if spec := prefixOf(text); spec != "" && isProven(tool, spec, text) {
		found = append(found, spec)
	}
	program, _, _ := strings.Cut(text, " ")
	if fed && !textFilters[program] {
		return found
	}
	if spec := literalSpec(tool, text); spec != "" && isProven(tool, spec, text) && !pattern.Broad(tool, spec) {
		found = append(found, spec)
	}
	return found
}

// isRuleText reports whether an allow rule could cover text.
func isRuleText(text string) bool {
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || 0x7F <= r && r < 0xA0 }
	return text != "" && text == strings.TrimSpace(text) && utf8.ValidString(text) && !strings.ContainsFunc(text, control)
}

// isProven reports whether a rule for tool can hold spec and covers text.
func isProven(tool, spec, text string) bool {
	if _, ok := pattern.Parameter(tool, spec); ok {
		return false
	}
	s, err := pattern.Parse(tool, spec)
	return err == nil && s.Covers(pattern.Subject{Kind: pattern.Command, Names: []string{text}})
}
