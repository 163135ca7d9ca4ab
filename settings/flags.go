package settings

import (
	"strings"
)

// Flags are the settings of the command line, by the flags of Claude Code that a host may
// offer. The zero value has none. The values are those of the user who starts the program, so
// that they need no trust.
type Flags struct {
	// Settings is the value of --settings: the path of a settings file, or its text, which
	// begins with "{". A relative path is relative to the session's directory. The file must
	// exist.
	Settings string
	// AllowedTools and DisallowedTools are the values of --allowedTools and
	// --disallowedTools: allow and deny rules. Each value holds any number of rules,
	// separated by commas and blanks outside of parentheses.
	AllowedTools, DisallowedTools []string
	// Tools are the values of --tools: the names of the built-in tools that exist, separated
	// as rules are. Nil, and a value "default", means all of them; a value without a name
	// means none.
	Tools []string
	// Mode is the value of --permission-mode. It may be any mode.
	Mode string
	// Dirs are the values of --add-dir, each one directory.
	Dirs []string
	// Agents is the value of --agents: a JSON object of definitions, see [Files.LoadAgents].
	Agents string
}

// splitRules splits the value of a flag at commas and blanks that stand outside of
// parentheses. A parenthesis that is never closed holds the rest.
func splitRules(value string) (all []string) {
	var word strings.Builder
	depth := 0
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
		}
		word.Reset()
	}
	for i := range len(value) {
		c := value[i]
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			end()
			continue
		}
		word.WriteByte(c)
	}
	end()
	return all
}

// splitAll splits all values of a flag.
func splitAll(values []string) (all []string) {
	for _, v := range values {
		all = append(all, splitRules(v)...)
	}
	return all
}
