package pattern

import (
	"slices"
	"strings"
)

// Broad reports whether an allow rule with this specifier would let a tool run anything:
// all commands, all code that an interpreter or a package manager is given, or any agent.
// text is empty for a rule on the whole tool.
func Broad(tool, text string) bool {
	if !slices.Contains([]string{"Bash", "PowerShell", "Agent", "Task", "Monitor"}, tool) {
		return false
	}
	if text == "" {
		return true
	}
	line, prefix := strings.CutSuffix(strings.ToLower(text), ":*")
	before, _, star := strings.Cut(line, "*")
	if !prefix && !star {
		return false
	}
	words := strings.Fields(before)
	for i, word := range words {
		name := word[strings.LastIndexAny(word, `/\`)+1:]
		if bare := strings.TrimSuffix(strings.TrimRight(name, ".0123456789"), ".exe"); bare != "" {
			name = bare
		}
		cut := star && i == len(words)-1 && strings.HasSuffix(before, word) // the star continues the word
		if slices.ContainsFunc(interpreters, func(known string) bool { return known == name || cut && strings.HasPrefix(known, name) }) {
			return true
		}
	}
	return len(words) == 0
}

// interpreters are commands that run code or commands in their arguments or files.
var interpreters = []string{
	"bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd",
	"python", "ipython", "node", "nodejs", "deno", "bun", "tsx", "ts-node", "ruby", "irb", "perl", "php", "lua", "rscript", "julia", "osascript", "awk", "gawk",
	"rake", "bundle", "npm", "npx", "yarn", "pnpm", "bunx", "pip", "pipx", "uv", "uvx", "poetry", "make", "just", "task", "cargo", "go", "gradle", "mvn",
	"eval", "exec", "source", ".", "env", "xargs", "find", "timeout", "nohup", "sudo", "su", "doas", "ssh", "busybox", "docker", "podman",
}
