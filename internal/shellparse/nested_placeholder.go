package shellparse

import (
	"slices"
	"strings"
)

// markPlaceholders returns the arguments of xargs or parallel. For xargs, the words
// that it replaces by its input are marked.
func markPlaceholders(name string, args []arg) []arg {
	if name != "xargs" {
		return slices.Clone(args)
	}
	p := commandSpecs[name].parseArgs(args)
	return append(slices.Clone(args[:len(args)-len(p.operands)]), p.nestedCommand()...)
}

// nestedCommand returns the words of the command in the operands of xargs, with its
// placeholders marked.
func (p parsedArgs) nestedCommand() []arg {
	list := slices.Clone(p.operands)
	options := p.flagValues("-I", "-i", "-J", "--replace")
	if len(options) == 0 {
		return list
	}
	placeholder := options[len(options)-1].value
	if placeholder == "" {
		placeholder = findPlaceholder
	}
	for i, a := range list {
		switch {
		case a.value == placeholder:
			list[i] = arg{source: a.source, placeholder: true}
		case strings.Contains(a.value, placeholder):
			list[i].placeholder = true
		}
	}
	return list
}

// fillsScript reports whether a placeholder is a text that a shell runs, or part of
// one.
func fillsScript(name string, args []arg) bool {
	for i, a := range args {
		switch {
		case !a.isPlaceholder():
		case has("eval watch ssh tmux screen", name):
			return true
		case i > 0 && args[i-1].known && precedesScript(args[i-1].value):
			return true
		case a.known && slices.ContainsFunc(scriptsOf(name, args), arg.isPlaceholder):
			return true
		}
	}
	return false
}

// precedesScript reports whether an option of a shell is followed by a script.
func precedesScript(option string) bool {
	return has("--command --run -C", option) || len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.HasSuffix(option, "c")
}

// subcommandPrograms are programs whose first operand decides their effect.
const subcommandPrograms = "apt apt-get brew bun cargo docker gh go helm kubectl npm pip pip3 pnpm podman poetry systemctl terraform uv yarn"

// gitSubcommandFamilies are subcommands of git whose next word decides their effect.
const gitSubcommandFamilies = "bisect bundle config notes reflog remote stash submodule worktree"

// subcommandUnknown reports whether an unknown word leaves the effect of a program
// open, because it is the subcommand or the script.
func subcommandUnknown(name string, args []arg) bool {
	if !slices.ContainsFunc(args, func(a arg) bool { return !a.known || a.isPlaceholder() }) {
		return false
	}
	switch name {
	case "git":
		args = gitCommand(args)
		return len(args) == 0 || !args[0].isLiteral() || args[0].isPlaceholder() ||
			len(args) > 1 && has(gitSubcommandFamilies, args[0].value) && (!args[1].known || args[1].isPlaceholder())
	case "sed", "gsed", "awk", "gawk", "mawk", "nawk":
		return !slices.ContainsFunc(args[:firstPlaceholder(args)], func(a arg) bool { return !strings.HasPrefix(a.value, "-") })
	}
	if !has(subcommandPrograms, name) {
		return false
	}
	option := false
	for _, a := range args {
		switch {
		case !a.known || a.isPlaceholder():
			return true
		case strings.HasPrefix(a.value, "-"):
			option = true
		case !option:
			return false
		default:
			option = false // may be the option's value
		}
	}
	return false
}

// firstPlaceholder returns the index of the first placeholder, or the number of
// arguments.
func firstPlaceholder(args []arg) int {
	if i := slices.IndexFunc(args, arg.isPlaceholder); i >= 0 {
		return i
	}
	return len(args)
}
