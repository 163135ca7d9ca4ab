package shellparse

// A lineBuilder collects the result for one line. The walkers of both languages embed it.
type lineBuilder struct {
	env         Env
	line        Line
	scriptDepth int // number of scripts that the line is nested in
	state       *parserState
	gitAliases  map[string][]string // aliases of git that the line makes, by name
}

// markUnknown marks the line unknown. The first reason is kept.
func (b *lineBuilder) markUnknown(reason string) {
	if b.line.Unknown == "" {
		b.line.Unknown = reason
	}
}

// takeCommand takes one command from the budget. If none is left, it marks the line
// unknown and reports false.
func (b *lineBuilder) takeCommand() bool {
	if b.scriptDepth > 0 {
		return b.pay(0) // leaves those of the line itself
	}
	if b.state.commandsLeft <= 0 {
		b.markUnknown("the line holds too many commands")
		return false
	}
	b.state.commandsLeft--
	return true
}
