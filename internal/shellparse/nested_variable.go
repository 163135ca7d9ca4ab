package shellparse

import (
	"regexp"
	"strings"
)

// inspectVariables adds to a command what the variables that it is given make programs
// run. exported is set if they surely reach programs. Other assignments count, too, since
// the environment may hold the variable already; only those of scripts do not.
func (w *walker) inspectVariables(c *Command, assigns []assignment, exported bool) {
	for i, a := range assigns {
		if !exported && isScriptVariable(a.name) {
			continue
		}
		if kind := variableKindOf(a.name); kind == variableSetting {
			w.addGitVariable(c, assigns, i)
		} else {
			w.addVariable(c, kind, a)
		}
		w.guessVariable(c, a.name, a.value)
	}
}

// addVariable adds the commands that programs surely run because of a variable, or marks
// the line unknown where they cannot be told.
func (w *walker) addVariable(c *Command, kind variableKind, a assignment) {
	if kind == variableHome && strings.Contains(w.src, "git") {
		w.markUnknown("git reads its settings below the directory that the variable " + a.name + " names")
	}
	switch {
	case kind != variableCommand && kind != variableUnseen:
	case a.compound || !a.value.known:
		w.markUnknown("what the variable " + a.name + " makes programs run is computed")
	case runsNothingMore(kind, a.name, a.value.value):
	case kind == variableCommand:
		var e effect
		e.addScript(a.value.value)
		w.addStarted(c, e, 0)
	default:
		w.markUnknown("programs may run what the variable " + a.name + " leads to")
	}
}

// addGitVariable adds what a variable makes git run with which a setting is given.
// Source: git-config(1), ENVIRONMENT.
func (w *walker) addGitVariable(c *Command, assigns []assignment, at int) {
	var e effect
	a := assigns[at]
	number, isKey := strings.CutPrefix(a.name, "GIT_CONFIG_KEY_")
	switch {
	case isKey:
		s := gitSetting{key: a.value}
		for _, other := range assigns {
			if other.name == "GIT_CONFIG_VALUE_"+number && !other.compound {
				s.value = other.value
			}
		}
		if a.compound {
			s.key = arg{}
		}
		e.addGitSetting(s)
	case strings.HasPrefix(a.name, "GIT_CONFIG_VALUE_"), a.name == "GIT_CONFIG_COUNT", a.name == "GIT_CONFIG_NOSYSTEM":
	case a.compound || !a.value.known:
		e.refuseUnseen("a setting of git is computed")
	case a.name == "GIT_CONFIG_PARAMETERS":
		words, ok := splitGitWords(a.value.value)
		if !ok {
			e.refuseUnseen("the settings in GIT_CONFIG_PARAMETERS cannot be understood")
		}
		for _, word := range words {
			e.addGitSetting(gitSettingOf(literalArg(word)))
		}
	case a.value.value != "" && a.value.value != "/dev/null":
		e.refuseUnseen("git runs what the settings of " + a.name + " name")
	}
	w.addStarted(c, e, 0)
}

// guessVariable adds for deny rules what a program may run because of a variable: its
// value may be a command line, the options of a program, or a function.
func (w *walker) guessVariable(c *Command, name string, value arg) {
	kind := variableKindOf(name)
	switch {
	case kind == variableHarmless, value.known && value.value == "":
		return
	case !value.known, (file{arg: value}).isProcessSubst():
		w.addNamesIn(c, expansions.ReplaceAllString(value.source, "."), outsideNames, Path{})
		c.RunsUnseen = c.RunsUnseen || namesProgram(kind, name)
		return
	}
	c.RunsUnseen = c.RunsUnseen || loadsCode(kind, name, value.value)
	if program := optionVariables[name]; program != "" {
		w.addScript(c, literalArg(program+" "+value.value), false)
	}
	if strings.HasPrefix(value.value, "()") {
		w.addScript(c, literalArg("f "+value.value), false)
	}
	w.addTexts(c, value.value)
	w.addNamesIn(c, value.value, allNames, Path{})
}

// expansions matches the expansions of variables in the text of a word. Most that stand before
// a path hold the working directory.
var expansions = regexp.MustCompile(`\$(\w+|\{\w+\})`)

// assignmentOf returns the variable that a word sets for the command behind it, as in
// env NAME=value. A word that is not known sets one if its name is written in the line.
func assignmentOf(program string, word arg) (assignment, bool) {
	name, value, found := strings.Cut(word.value, "=")
	if !word.known {
		name, _, found = strings.Cut(strings.Trim(word.source, `"'`), "=")
	}
	if !found || !isName(name) && (program != "env" || !word.known) {
		return assignment{}, false
	}
	return assignment{name: name, value: word.withValue(value), source: word.source}, true
}

// launchedAssignments returns the variables that the words after a launcher set for its
// command. It ends at the first word that surely is the command; between is as in
// inspectLaunched.
func launchedAssignments(program string, args []arg, between int) []assignment {
	var list []assignment
	option := false // the previous word is an option, whose value this word may be
	for _, a := range args {
		assign, ok := assignmentOf(program, a)
		switch {
		case a.known && strings.HasPrefix(a.value, "-"):
			option = true
		case ok:
			list = append(list, assign)
		case option:
			option = false
		case a.known && between == 0:
			return list
		default:
			between--
		}
	}
	return list
}

// exportedAssignments returns the assignments of an export, in which a name without a
// value stands for those that the line gives it.
func (w *walker) exportedAssignments(assigns []assignment) []assignment {
	var list []assignment
	for _, a := range assigns {
		if a.source != a.name {
			list = append(list, a)
			continue
		}
		values := w.bindings()[a.name]
		if len(values) == 0 && mayAssign(w.src, a.name+"=") {
			values = []arg{{}} // not known
		}
		for _, v := range values {
			list = append(list, assignment{name: a.name, value: v, source: a.source})
		}
	}
	return list
}
