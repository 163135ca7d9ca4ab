package shellparse

import "strings"

// inspectVariables adds the commands that programs run because of the variables that the
// line sets for them. It looks at assignments that do not export their variable, too,
// since the environment may hold it already.
func (w *walker) inspectVariables(c *Command, assigns []assignment) {
	for i, a := range assigns {
		if strings.HasPrefix(a.name, "GIT_CONFIG_") {
			w.inspectGitVariable(c, assigns, i)
			continue
		}
		kind := variableKindOf(a.name)
		switch {
		case has("HOME XDG_CONFIG_HOME", a.name) && strings.Contains(w.src, "git"):
			w.markUnknown("git reads its settings below the directory that the variable " + a.name + " names")
		case kind == variableUnlisted, kind == variableHarmless:
		case a.compound || !a.value.known:
			w.markUnknown("what the variable " + a.name + " makes programs run is computed")
		case isHarmlessVariable(kind, a.name, a.value.value):
		case kind == variableCommand:
			var e effect
			e.addScript(a.value.value)
			w.addStarted(c, e, 0)
		default:
			w.markUnknown("programs may run what the variable " + a.name + " leads to")
		}
	}
}

// inspectGitVariable adds what the variable makes git run with which a setting is given.
// Source: git-config(1), ENVIRONMENT.
func (w *walker) inspectGitVariable(c *Command, assigns []assignment, at int) {
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

// wordAssignments returns the variables that a launcher such as env is told to set.
func wordAssignments(args []arg) []assignment {
	var assigns []assignment
	for _, a := range args {
		name, value, found := strings.Cut(a.value, "=")
		if !a.known {
			name, _, found = strings.Cut(strings.Trim(a.source, `"'`), "=")
		}
		if found && isName(name) {
			assigns = append(assigns, assignment{name: name, value: a.withValue(value), source: a.source})
		}
	}
	return assigns
}
