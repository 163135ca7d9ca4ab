package shellparse

import (
	"slices"
	"strings"
)

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
