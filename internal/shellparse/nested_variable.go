package shellparse

import "strings"

// inspectVariable adds to a command what a variable that it is given may make it run: the
// value may be a command line, the options of a program, or a function.
func (w *walker) inspectVariable(c *Command, name string, value arg) {
	switch {
	case harmlessVariables[name], value.known && value.value == "":
		return
	case !value.known, (file{arg: value}).isProcessSubst():
		if namesProgram(name) {
			c.RunsUnseen = true
		}
		return
	}
	if loadsCode(name, value.value) {
		c.RunsUnseen = true
	}
	if program := optionVariables[name]; program != "" {
		w.addScript(c, literalArg(program+" "+value.value), false)
	}
	if strings.HasPrefix(value.value, "()") {
		w.addScript(c, literalArg("f "+value.value), false)
	}
	w.addTexts(c, value.value)
}

// loadsCode reports whether a program may run what is in a file that a variable names.
func loadsCode(name, value string) bool {
	switch {
	case has("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PYTHONSTARTUP PERL5OPT PERL5DB RUBYOPT GCONV_PATH VIMINIT EXINIT", name):
		return true
	case name == "NODE_OPTIONS":
		return strings.Contains(value, "require") || strings.Contains(value, "import") || strings.Contains(value, "loader") || strings.Contains(value, "-r")
	}
	path, _, _ := strings.Cut(value, " ")
	return namesProgram(name) && strings.Contains(path, "/") && !strings.HasPrefix(path, "/usr/bin/") && !strings.HasPrefix(path, "/bin/") && !strings.HasPrefix(path, "-")
}

// optionVariables are the variables from which programs take options.
var optionVariables = map[string]string{
	"TAR_OPTIONS": "tar", "MAKEFLAGS": "make", "GNUMAKEFLAGS": "make", "MFLAGS": "make", "NODE_OPTIONS": "node", "LESS": "less", "MORE": "more",
	"MANOPT": "man", "ZIPOPT": "zip", "ZIP": "zip", "UNZIP": "unzip", "RUBYOPT": "ruby", "PERL5OPT": "perl", "ACK_OPTIONS": "ack", "RSYNC_RSH": "rsync -e",
	"VIMINIT": "vim -c", "EXINIT": "ex -c", "NINJA_FLAGS": "ninja", "GREP_OPTIONS": "grep", "PYTEST_ADDOPTS": "pytest", "JAVA_TOOL_OPTIONS": "java",
	"MAVEN_OPTS": "java", "GOFLAGS": "go test", "SCREENRC": "screen -c", "npm_config_call": "npx -c", "CFLAGS": "gcc", "CXXFLAGS": "g++", "CPPFLAGS": "gcc", "LDFLAGS": "gcc", "WGETRC": "wget --config",
}

// namesProgram reports whether a program may run what a variable holds.
func namesProgram(name string) bool {
	upper := strings.ToUpper(name)
	for end := range strings.FieldsSeq("PAGER EDITOR VISUAL BROWSER COMMAND SHELL WRAPPER CMD PROGRAM RUNNER LINKER ASKPASS OPTIONS FLAGS RSH SSH PROXY_COMMAND") {
		if strings.HasSuffix(upper, end) {
			return true
		}
	}
	return optionVariables[name] != "" || strings.HasPrefix(upper, "GIT_CONFIG") || strings.HasPrefix(upper, "NPM_CONFIG_") || strings.HasPrefix(upper, "BASH_FUNC_") ||
		has("AR AS BASH_ENV CC CPP CXX ENV FC GIT_EXTERNAL_DIFF LD LESSCLOSE LESSOPEN MAKE PC PERL5DB PROMPT_COMMAND PS0 PS1 PS4 RUSTC YACC LEX", upper)
}

// inspectExported adds what variables that the line sets and exports later may make the
// programs behind run. names are the words of export without a value.
func (w *walker) inspectExported(c *Command, name string) {
	values := w.bindings()[name]
	for _, v := range values {
		w.inspectVariable(c, name, v)
	}
	if len(values) == 0 && mayAssign(w.src, name+"=") && namesProgram(name) {
		c.RunsUnseen = true
	}
}
