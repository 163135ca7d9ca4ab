package shellparse

import "strings"

// shellVariables are variables that the shell itself reads or sets, and those that the C
// library does. Source: the manual of bash 5.2, shell variables, and environ(7).
var shellVariables = wordSet("AUTOCWD CDPATH CHILD_MAX COLUMNS COPROC DIRSTACK EMACS ENV EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST" +
	" GCONV_PATH GROUPS HOME HOSTALIASES HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC INSIDE_EMACS LANG LANGUAGE LINENO LINES LOCALDOMAIN" +
	" LOCPATH MACHTYPE MAPFILE NLSPATH OLDPWD OSTYPE PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PWD RANDOM" +
	" REPLY RES_OPTIONS SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TERMCAP TERMINFO TIMEFORMAT TMOUT TMPDIR TZ TZDIR UID USER")

// shellVariablePrefixes are how the names of families of such variables begin.
const shellVariablePrefixes = "_ BASH COMP DYLD_ EPOCH GLOB HIST LC_ LD_ MAIL MALLOC_ OPT PS READLINE_ TEXTDOMAIN"

// isShellVariable reports whether a variable may mean something to the shell.
func isShellVariable(name string) bool {
	if shellVariables[name] || name == "auto_resume" || name == "histchars" {
		return true
	}
	for prefix := range strings.FieldsSeq(shellVariablePrefixes) {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// loopVariable is the index of a variable that a loop sets.
const loopVariable = -1

// keepsVariable reports whether a variable with a name such as DIR stays in the shell that
// sets it: the environment does not hold it, so that no program sees it, and it means
// nothing to the shell. A line that exports such variables does more than read, which
// checkKeptVariables looks at.
func (w *walker) keepsVariable(name string) bool {
	return w.env.Shell == Bash && w.scriptDepth == 0 && isName(name) && !isScriptVariable(name) && !isShellVariable(name) &&
		variableKindOf(name) == variableUnlisted && w.env.IsExported != nil && !w.env.IsExported(name)
}

// checkKeptVariables makes the commands that set such variables unknown if the line does more
// than read: then the environment of its programs may hold more than IsExported says.
func (w *walker) checkKeptVariables() {
	if len(w.ownSet) == 0 || w.onlyReads() {
		return
	}
	for _, set := range w.ownSet {
		if set.index == loopVariable {
			w.markUnknown("the line sets the variable " + set.name)
			continue
		}
		if set.index < len(w.line.Commands) {
			w.line.Commands[set.index].worsen(Unknown, "the variable "+set.name+" may change what runs")
		}
		if w.envSet.name == "" || set.index < w.envSet.index {
			w.envSet = set
		}
	}
}

// onlyReads reports whether all that the line does is known, and changes nothing.
func (w *walker) onlyReads() bool {
	if w.line.Unknown != "" || anyWritten(w.line.Paths) {
		return false
	}
	for i := range w.line.Commands {
		if w.line.Commands[i].Class != ReadOnly {
			return false
		}
	}
	return true
}
