// Package suggest proposes what an allow rule of a shell tool should say, so that
// a person who was asked about a command is not asked about it again.
//
// It knows texts only, no rules, modes or files. A caller that offers a proposal
// still has to see that the rule would have allowed the whole call.
package suggest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// maxText is the number of bytes of a command about which nothing is proposed: no
// rule allows a line with more characters.
const maxText = 10_000

// Command returns specifiers of allow rules on a shell tool (Bash, PowerShell or
// Monitor) that cover a simple command, the most useful first, at most two: its
// program and sub-command with " *" behind them, then the command itself.
//
// text is the command as shellparse gives it to allow rules. The command itself
// is left out if as a rule it would mean more than the person saw: if it holds a
// star or what the shell replaces, if it reads what it runs, if it changes what
// other commands mean. It is left out, too, if it is longer than 300 bytes or
// holds what cannot be seen. The result is nil if nothing would do.
//
// Every specifier covers text, unless the command is one that no wildcard may
// cover: then the prefix allows it no more than before. The command itself is never
// [pattern.Broad]; a prefix may be, which ModeAuto sets aside.
func Command(tool, text string) []string { return propose(tool, text, false) }

// CommandWithInput is [Command] for a command whose standard input comes from the line (see
// shellparse.Command.ReadsInput), which its text does not say. The command itself then is
// left out unless its program is known to take its input for text: the next time it
// may be fed what nobody saw.
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

// isRuleText reports whether text is one that an allow rule could ever cover.
func isRuleText(text string) bool {
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || 0x7F <= r && r < 0xA0 }
	return text != "" && text == strings.TrimSpace(text) && utf8.ValidString(text) && !strings.ContainsFunc(text, control)
}

// isProven reports whether a rule on tool says spec and covers text.
func isProven(tool, spec, text string) bool {
	if _, ok := pattern.Parameter(tool, spec); ok {
		return false
	}
	s, err := pattern.Parse(tool, spec)
	return err == nil && s.Covers(pattern.Subject{Kind: pattern.Command, Names: []string{text}})
}
