package shellparse

import "strings"

// A gitSetting is an entry of git's configuration that a line sets.
type gitSetting struct {
	key   arg
	value arg
}

// gitSettingOf splits "key=value". A key alone means true.
func gitSettingOf(a arg) gitSetting {
	key, value, found := strings.Cut(a.value, "=")
	if !found {
		value = "true"
	}
	return gitSetting{a.withValue(key), a.withValue(value)}
}

// addGitSetting adds what a setting makes git run. It reports whether the setting surely
// makes git run nothing of its own.
func (e *effect) addGitSetting(s gitSetting) (harmless bool) {
	kind := gitKeyUnseen
	if s.key.isLiteral() {
		kind = gitKeyKindOf(s.key.value)
	}
	switch {
	case kind == gitKeyHarmless:
		return true
	case !s.key.isLiteral() || !s.value.isLiteral():
		e.refuseUnseen("what a setting of git makes it run is not known")
		return false
	case isHarmlessGitValue(s.key.value, kind, s.value.value):
		return true
	}
	switch kind {
	case gitKeyCommand:
		e.noWildcards = true
		e.addScript(gitSettingCommand(s.key.value, s.value.value))
	case gitKeyAlias:
		e.noWildcards = true
		e.aliases = append(e.aliases, s)
		e.addGitAlias(s.value.value, nil)
	case gitKeyAddress:
		return e.addGitAddress(s.value)
	default:
		e.refuseUnseen("git may run what the setting " + s.key.value + " leads to")
	}
	return false
}

// refuseUnseen is for a command that may start others that cannot be seen: no rule with a
// wildcard covers it, and a rule that denies a command may be about them.
func (e *effect) refuseUnseen(reason string) {
	e.noWildcards = true
	e.worsen(Unknown, reason)
	if e.lineUnknown == "" {
		e.lineUnknown = reason
	}
}

// gitSettingCommand returns the command that git runs for the value of a key. Source:
// gitcredentials(7), CUSTOM HELPERS; git-config(1), submodule.<name>.update.
func gitSettingCommand(key, value string) string {
	_, name, _ := cutLast(strings.ToLower(key), ".")
	if text, ok := strings.CutPrefix(value, "!"); ok {
		return text
	}
	if name == "helper" && !strings.HasPrefix(value, "/") {
		return "git credential-" + value
	}
	return value
}

// addGitAddress adds the command in the address of a repository. It reports whether there
// is none. Source: gitremote-helpers(7), git-remote-ext(1).
func (e *effect) addGitAddress(a arg) (harmless bool) {
	helper, address, found := strings.Cut(a.value, "::")
	switch {
	case !a.isLiteral() || !found || strings.ContainsAny(helper, "/:@. "):
		return true
	case helper != "ext":
		e.refuseUnseen("git runs git-remote-" + helper + " for " + a.value)
		return false
	}
	e.noWildcards = true
	e.worsen(Unknown, a.source+" is a command that git runs")
	var words []arg
	for _, word := range splitExtAddress(address) {
		words = append(words, literalArg(word))
	}
	e.runs = append(e.runs, words)
	return false
}

// splitExtAddress returns the words of the command in an address for git-remote-ext.
func splitExtAddress(address string) []string {
	var words []string
	var word strings.Builder
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case c == ' ':
			words = append(words, word.String())
			word.Reset()
		case c == '%' && i+1 < len(address):
			i++
			switch address[i] {
			case ' ', '%':
				word.WriteByte(address[i])
			case 's':
				word.WriteString("upload-pack")
			case 'S':
				word.WriteString("git-upload-pack")
			}
		default:
			word.WriteByte(c)
		}
	}
	return append(words, word.String())
}

// addGitAlias adds the command that an alias stands for, with the arguments that git
// appends. Source: git-config(1), alias.*.
func (e *effect) addGitAlias(value string, args []arg) {
	if script, ok := strings.CutPrefix(value, "!"); ok {
		for _, a := range args {
			script += " " + shellWord(a)
		}
		e.addScript(script)
		return
	}
	words, ok := splitGitWords(value)
	if !ok {
		e.refuseUnseen("the alias " + value + " cannot be understood")
		return
	}
	run := []arg{literalArg("git")}
	for _, word := range words {
		run = append(run, literalArg(word))
	}
	if len(words) > 0 {
		e.runs = append(e.runs, append(run, args...))
	}
}

// shellWord returns an argument as a word of a script.
func shellWord(a arg) string {
	if a.isLiteral() {
		return "'" + strings.ReplaceAll(a.value, "'", `'\''`) + "'"
	}
	return `"$@"`
}

// splitGitWords splits a text as git splits an alias: at blanks outside quotes.
func splitGitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	quote, inWord := byte(0), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'':
			if i++; i == len(text) {
				return nil, false
			}
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}
