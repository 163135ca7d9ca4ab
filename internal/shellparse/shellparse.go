// Package shellparse determines the effects of a command line without running it: the
// commands it runs, the files it touches and the hosts it reaches. Effects that the
// text does not tell are reported as unknown; the package never guesses in favour of
// the line.
//
// It does no I/O, except by [Env].GitAliases, and starts no goroutine or process.
package shellparse

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A Shell is the program that will read the line.
type Shell int

// The shells.
const (
	Bash Shell = iota
	Zsh
	PowerShell // only a line of one plain command is understood
)

// Env is the environment in which a line is read.
type Env struct {
	Shell Shell
	Dir   string // working directory, absolute; relative paths start here
	Home  string // value of ~ and $HOME; empty if unknown
	// IsPublic reports whether a variable of the environment holds no secret; nil means
	// none but those that are never secret, such as HOME and LANG.
	IsPublic func(name string) bool
	// IsExported reports whether programs that the line starts find a variable in their
	// environment, whatever the line does; nil means that any may be there.
	IsExported func(name string) bool
	// GitAliases returns the meanings that a subcommand of git has as an alias where git
	// starts in dir: none if it is no alias. The error says why there may be others. It is
	// called for names that are no subcommands of git itself. If it is nil, only the
	// aliases that the line makes are known.
	GitAliases func(dir, home, name string) ([]string, error)
}

// A Line holds the effects of a command line.
type Line struct {
	// Commands are the simple commands in the order of the text, including those inside
	// substitutions, compound commands and function bodies.
	Commands []Command
	Paths    []Path // files that redirections open
	// Unknown is the reason why the line cannot be fully understood. It is empty if the
	// line is understood. Commands and Paths hold everything that was found in either
	// case.
	Unknown string
	// Background reports whether the line starts something with & in bash or zsh.
	Background bool
}

// A Path is a file that the line names.
type Path struct {
	Name  string // absolute if the directory is known, otherwise as written
	Write bool
	Tree  bool // includes everything below it
	Glob  bool // Name is a pattern that the shell expands
	// CopiesNames is set for a path that is read and whose names are written elsewhere, as
	// by cp and ln.
	CopiesNames bool
	// FollowsLinks is set for a tree that is read or written through the links in it.
	FollowsLinks bool
	// NamesOnly is set for a tree of which only names, sizes and the like are shown.
	NamesOnly bool
	// Tracked is set for a tree of which git shows the files that it tracks.
	Tracked bool
	// NoIndex is set with Tracked if git shows files on the disk where there is no
	// repository.
	NoIndex bool
	// InPlace is set for a tree if only files that are there already are changed, moved or
	// removed. It is set for a guess that is read, if only files are read that the line has
	// found there.
	InPlace bool
	// Origin is the file or directory that is copied or moved to a tree that is written, if
	// nothing else is written there. It is empty if it is not known.
	Origin string
	// Filter says which files of a tree that is read are read; nil means all.
	Filter *NameFilter
	// Enters is set for a directory in which other commands of the line run, as after cd, or
	// in which a program works because of an option.
	Enters bool
	// Guess is set if Name is only an argument that looks like a path, of a command
	// that the tables do not know. Only deny and ask rules should match it.
	Guess bool
	// MayWrite is set for a Guess that is written if nothing says that the program only reads
	// its file: whether that is a protected file, or one elsewhere, counts as well.
	MayWrite bool
}

// An effect is the effect of a command with given arguments. The zero effect is
// read-only and touches nothing.
type effect struct {
	class       Class
	reason      string // why class is not ReadOnly, such as "-o writes a file"
	editsOnly   bool
	noWildcards bool
	askReason   string
	files       []file
	hosts       []string
	runs        [][]arg // commands that it runs
	// startsOnFound are those of them that it starts itself, with files that it finds. They
	// are checked by effectOf: unless they only read, the effect is not known.
	startsOnFound [][]arg
	// acts are those of startsOnFound that may do more than read, if everything else that
	// the command does is to read.
	acts        [][]arg
	prints      *foundNames // the names that it prints, one a line; nil if it prints anything else
	lineUnknown string      // why the line becomes unknown: deny rules may concern a command that is not known
	git         *Git        // Dir is as given by -C: relative, absolute or empty
	alias       *gitAliasUse
	aliases     []gitSetting // aliases of git that it makes
}

// A file is an operand that names a file.
type file struct {
	arg
	write, tree, guess          bool
	mayWrite                    bool   // see Path
	inHome                      bool   // the name is relative to the home directory
	copiesNames, followsLinks   bool   // see Path
	namesOnly, tracked, noIndex bool   // see Path
	inPlace, enters             bool   // see Path
	origin                      string // see Path; relative to the same directory as the file
	filter                      *NameFilter
}

// unknownEffect returns the effect of a command that is not understood.
func unknownEffect(reason string) effect { return effect{class: Unknown, reason: reason} }

// worsen raises the class of an effect.
func (e *effect) worsen(class Class, reason string) {
	if class > e.class {
		e.class, e.reason = class, reason
	}
}

// start adds the effects of the commands that a program starts with files that it finds.
func (e *effect) start(program string) {
	reads := e.class == ReadOnly && !slices.ContainsFunc(e.files, func(f file) bool { return f.write || !f.namesOnly })
	for _, started := range e.startsOnFound {
		others, ok := readsFoundNames(started)
		if e.files = append(e.files, others...); ok {
			continue
		}
		e.worsen(Unknown, program+" runs a command")
		if reads {
			e.acts = append(e.acts, started)
		}
	}
}

// addRead adds files that are read, except - for the standard input.
func (e *effect) addRead(args ...arg) {
	for _, a := range args {
		if a.value != "-" || !a.known {
			e.files = append(e.files, file{arg: a})
		}
	}
}

// addWrite adds files that are written.
func (e *effect) addWrite(args ...arg) {
	for _, a := range args {
		e.files = append(e.files, file{arg: a, write: true})
	}
}

// addScript adds a text that sh runs.
func (e *effect) addScript(text string) {
	if text != "" {
		e.runs = append(e.runs, []arg{literalArg("sh"), literalArg("-c"), literalArg(text)})
	}
}

// isProcessSubst reports whether a file is a process substitution, or a name derived
// from one.
func (f file) isProcessSubst() bool {
	return strings.HasPrefix(f.value, processSubstPath) && (strings.HasPrefix(f.source, "<(") || strings.HasPrefix(f.source, ">("))
}

// isStandardStream reports whether a name is that of a stream the command has open
// already, or /dev/null.
func isStandardStream(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

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
	workLeft     int    // bytes of scripts and commands in commands that may still be read; see maxWork
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
	maxWork        = 100_000 // bytes of scripts and commands that commands run, with readPrice for each text
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
