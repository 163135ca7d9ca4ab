package shellparse

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A Parser parses lines and reuses its memory from one line to the next. The zero value
// is ready to use. It may be used by several goroutines and must not be copied.
type Parser struct {
	idle sync.Pool // of *parserState
}

// Parse returns the effects of a line. It never fails: if a part cannot be understood,
// Unknown is set and the Line holds everything that was found. The result does not
// depend on earlier lines.
func (p *Parser) Parse(line string, env Env) Line {
	s, ok := p.idle.Get().(*parserState)
	if !ok {
		s = &parserState{}
	}
	l := s.parseLine(line, env)
	s.lineWalker = walker{} // the result shares no memory with it
	p.idle.Put(s)           // not deferred: after a panic the state is unusable
	return l
}

// Parse is [Parser.Parse] for a single line.
func Parse(line string, env Env) Line { return new(parserState).parseLine(line, env) }

// A parserState is the state shared by the walkers of one line and of the scripts in
// it.
type parserState struct {
	commandsLeft int    // how many more commands of the line itself are listed
	workLeft     int    // how much more of what commands run is read; see maxWork
	gaveUp       string // why something that commands run is not read
	scripts      map[scriptKey]scriptRead
	command      int           // index of the command of the line whose scripts are read
	setsCdPath   bool          // the line may set CDPATH
	syntax       syntax.Parser // zero except while parseAs runs
	input        strings.Reader
	lineWalker   walker // walker of the line itself, not of scripts in it
}

// parseLine returns the effects of a line.
func (s *parserState) parseLine(line string, env Env) Line {
	s.commandsLeft, s.workLeft, s.gaveUp = maxCommands, maxWork, ""
	clear(s.scripts)
	s.setsCdPath = false
	l := parse(line, env, 0, s)
	l.Unknown = cmp.Or(l.Unknown, s.gaveUp)
	return l
}

// newWalker returns a walker for the line, or for a script in it if scripts is
// positive.
func (s *parserState) newWalker(scripts int) *walker {
	w := &s.lineWalker
	if scripts > 0 {
		w = &walker{}
	}
	w.state = s
	return w
}

// The limits of a line. A line that exceeds one of them is unknown.
const (
	maxCharacters  = 10_000 // in a line
	maxUnparsed    = 50_000 // bytes that are searched for commands in a line that cannot be parsed
	maxDepth       = 100    // nesting of compound commands, substitutions and lists
	maxCommands    = 500
	maxScriptDepth = 5       // nesting of scripts in arguments
	maxWork        = 100_000 // bytes of what commands run, with readPrice for each text
)

// parse returns the effects of a line. scripts is the number of scripts that the line
// is nested in.
func parse(line string, env Env, scripts int, state *parserState) Line {
	if env.Shell == PowerShell {
		return parsePowerShell(line, env, scripts, state)
	}
	w := state.newWalker(scripts)
	w.src, w.env, w.scriptDepth = line, env, scripts
	state.setsCdPath = state.setsCdPath || mayAssign(line, "CDPATH")
	w.place, w.homeUnknown = newPlace(env.Dir), mayAssign(line, "HOME")
	w.spareArgs, w.accesses = w.argBuffer[:], w.accessBuffer[:0]
	if reason := textProblem(line); reason != "" {
		w.markUnknown(reason)
	}
	if tooLong(line) {
		w.listUnparsed(line)
		return w.line
	}
	file, err := state.syntaxTree(line, env.Shell)
	if err != nil {
		w.markUnknown(err.Error())
	}
	if file == nil {
		w.listUnparsed(line)
		return w.line
	}
	w.file = file
	w.checkComments(file)
	if w.line.Unknown != "" {
		// The shell may not read the line as the parser did.
		w.listUnparsed(line)
	}
	w.stmts(file.Stmts, w.place)
	w.askForShown(0)
	if w.shown != "" {
		w.markUnknown(showsVariable(w.shown))
	}
	w.checkAccesses()
	w.checkKeptVariables()
	w.applyEnvAssignment()
	return w.line
}

func tooLong(line string) bool {
	return len(line) > maxCharacters && utf8.RuneCountInString(line) > maxCharacters
}

// textProblem returns why the syntax tree of a line cannot be trusted, or an empty
// string.
func textProblem(line string) string {
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
		// After a blank, the text before and after the line break are separate words.
		// Elsewhere they may be parts of one operator or expansion.
		if at > 0 && !strings.ContainsRune(" \t\n", rune(line[at-1])) {
			return "a word goes on in the next line"
		}
		at += 2
	}
}

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
