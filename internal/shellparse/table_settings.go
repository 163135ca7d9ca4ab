package shellparse

import "strings"

// A settingsWriter is a subcommand that writes the settings of a program, which later
// calls of it read wherever they run.
type settingsWriter struct {
	words string // the subcommand; words with a dash are flags, any of which is needed
	home  string // the file below the home directory
	here  string // the file in the working directory that is written instead, if it is
	// runs is set if a setting may name a program, or where programs come from. A person is
	// then asked in every mode.
	runs bool
	// exact is set if no rule with a wildcard covers it, though it only edits the project.
	exact bool
}

// settingsWriters are such subcommands, by program. Source: the manuals of Go 1.26 (go help
// env), npm 10 and pnpm 9 (config), Yarn 1 and 4 (config), pip 24 (config), Cargo (config),
// Poetry 2 (config), conda 24 (config), Bundler 2 (config), gh 2 (config, alias), kubectl 1.32
// (config), Docker 27 (context, plugin), AWS CLI 2 (configure), gcloud (config), Helm 3 (repo,
// plugin), rustup 1 (default, override, toolchain), direnv 2, mise, pre-commit 4, Lefthook 1,
// Husky 9, Git LFS 3.
var settingsWriters = map[string][]settingsWriter{
	"aws":        {{words: "configure", home: ".aws/config", runs: true}},
	"bundle":     {{words: "config", home: ".bundle/config", runs: true}},
	"cargo":      {{words: "config set", home: ".cargo/config.toml", runs: true}, {words: "login", home: ".cargo/credentials.toml"}},
	"conda":      {{words: "config --add --append --prepend --set --remove --remove-key", home: ".condarc", runs: true}},
	"direnv":     {{words: "allow", home: ".local/share/direnv/allow", runs: true}, {words: "permit", home: ".local/share/direnv/allow", runs: true}},
	"docker":     {{words: "context create", home: ".docker/contexts"}, {words: "context use", home: ".docker/config.json"}, {words: "context update", home: ".docker/contexts"}, {words: "plugin install", home: ".docker/plugins", runs: true}},
	"gcloud":     {{words: "config set", home: ".config/gcloud"}, {words: "config unset", home: ".config/gcloud"}},
	"gh":         {{words: "config set", home: ".config/gh/config.yml", runs: true}, {words: "alias set", home: ".config/gh/config.yml", runs: true}, {words: "alias import", home: ".config/gh/config.yml", runs: true}, {words: "extension install", home: ".local/share/gh", runs: true}},
	"git-lfs":    {{words: "install", home: ".gitconfig", runs: true}},
	"go":         {{words: "env -w -u", home: ".config/go/env", runs: true}},
	"helm":       {{words: "repo add", home: ".config/helm"}, {words: "plugin install", home: ".local/share/helm", runs: true}},
	"husky":      {{words: "", here: ".husky", runs: true}},
	"kubectl":    {{words: "config set", home: ".kube/config"}, {words: "config set-context", home: ".kube/config"}, {words: "config set-cluster", home: ".kube/config"}, {words: "config set-credentials", home: ".kube/config", runs: true}, {words: "config use-context", home: ".kube/config"}, {words: "config unset", home: ".kube/config"}, {words: "config delete-context", home: ".kube/config"}},
	"lefthook":   {{words: "install", here: ".git/hooks", runs: true}},
	"mise":       {{words: "trust", home: ".local/state/mise", runs: true}, {words: "settings", home: ".config/mise", runs: true}},
	"pip":        pipSettings,
	"pip3":       pipSettings,
	"pnpm":       {{words: "config set", home: ".config/pnpm/rc", here: ".npmrc", runs: true}, {words: "config delete", home: ".config/pnpm/rc", here: ".npmrc"}, {words: "set", home: ".config/pnpm/rc", here: ".npmrc", runs: true}},
	"poetry":     {{words: "config", home: ".config/pypoetry/config.toml", here: "poetry.toml", runs: true}},
	"pre-commit": {{words: "install", here: ".git/hooks", runs: true}, {words: "init-templatedir", home: ".git-template", runs: true}},
	"rustup":     {{words: "default", home: ".rustup"}, {words: "override set", home: ".rustup"}, {words: "toolchain link", home: ".rustup", runs: true}},
	"npm":        npmSettings,
	"yarn": {{words: "config set", home: ".yarnrc", here: ".yarnrc.yml", runs: true}, {words: "config unset", home: ".yarnrc", here: ".yarnrc.yml"},
		{words: "set version", here: ".yarnrc.yml", runs: true}, {words: "plugin import", here: ".yarnrc.yml", runs: true}},
}

var npmSettings = []settingsWriter{
	{words: "config set", home: ".npmrc", here: ".npmrc", runs: true}, {words: "config delete", home: ".npmrc", here: ".npmrc"},
	{words: "config edit", home: ".npmrc", here: ".npmrc", runs: true}, {words: "config rm", home: ".npmrc", here: ".npmrc"},
	{words: "c set", home: ".npmrc", here: ".npmrc", runs: true}, {words: "c delete", home: ".npmrc", here: ".npmrc"},
	{words: "c edit", home: ".npmrc", here: ".npmrc", runs: true}, {words: "set", home: ".npmrc", here: ".npmrc", runs: true},
	{words: "pkg set", here: "package.json", exact: true},
}

var pipSettings = []settingsWriter{
	{words: "config set", home: ".config/pip/pip.conf", runs: true}, {words: "config edit", home: ".config/pip/pip.conf", runs: true},
	{words: "config unset", home: ".config/pip/pip.conf"},
}

// settingsWriterOf returns the settings that a command writes, or nil.
func settingsWriterOf(name string, args []arg) *settingsWriter {
	list := settingsWriters[name]
	if list == nil {
		return nil
	}
	var words, flags []string
	for _, a := range args {
		flag, _, _ := strings.Cut(a.value, "=")
		switch {
		case !a.isLiteral():
			words = append(words, "")
		case strings.HasPrefix(flag, "-"):
			flags = append(flags, flag)
		default:
			words = append(words, a.value)
		}
	}
	for i := range list {
		if list[i].matches(words, flags) {
			return &list[i]
		}
	}
	return nil
}

// matches reports whether a command with these words and flags writes the settings.
func (s *settingsWriter) matches(words, flags []string) bool {
	needed, given := false, false
	for word := range strings.FieldsSeq(s.words) {
		if strings.HasPrefix(word, "-") {
			needed, given = true, given || gitWords{flags: flags}.has(word)
			continue
		}
		if len(words) == 0 || words[0] != word {
			return false
		}
		words = words[1:]
	}
	return given || !needed && !gitWords{flags: flags}.has("--list", "--help", "-h", "--show", "--show-sources")
}

// addSettings adds the settings that a command writes.
func (e *effect) addSettings(name string, args []arg) {
	s := settingsWriterOf(name, args)
	if s == nil {
		return
	}
	e.worsen(Unknown, name+" changes its settings")
	if s.runs && e.askReason == "" {
		e.askReason = name + " would change its settings, which later calls run or trust"
	}
	e.noWildcards = e.noWildcards || s.runs || s.exact
	if s.home != "" {
		e.files = append(e.files, file{arg: literalArg(s.home), inHome: true, write: true, tree: true})
	}
	if s.here != "" {
		e.files = append(e.files, file{arg: literalArg(s.here), write: true, tree: true, guess: s.home != ""})
	}
}
