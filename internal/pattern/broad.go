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
		if bare := strings.TrimRight(strings.TrimSuffix(name, ".exe"), ".0123456789"); bare != "" {
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

// carriers are programs that run the commands or the code in their arguments, in addition
// to those of interpreters that are no package managers.
const carriers = " ash bash busybox builtin bundle bunx capsh chroot chrt command conda coproc coverage dash deno devbox direnv doas docker dumb-init elixir emacs" +
	" entr env erl eval ex exec expect fakeroot find firejail fish flock gawk gdb gosu groovy ionice ipython java jruby jshell julia kotlin ksh lldb ltrace lua luajit" +
	" mawk mise mksh mongosh mysql nawk nice nix nix-shell node nodejs nohup nsenter nvim ocaml octave osascript parallel perf perl php pipenv pipx pkexec podman poetry" +
	" powershell prlimit psql pwsh pypy python r rbash rscript ruby rview runuser scala screen script setarch setpriv setsid sg sh sqlite3 ssh stdbuf strace su sudo" +
	" swift systemd-run taskset tclsh time timeout tini tmux toybox trap ts-node tsx uv uvx unshare valgrind vi view vim watch xargs xvfb-run zsh awk npx source . "

// carries reports whether a program may run another that its arguments name. word is the
// first of a line, as it is written there.
func carries(word string) bool {
	if strings.ContainsAny(word, "\"'\\$`*?[{") {
		return true
	}
	name := strings.ToLower(word[strings.LastIndexByte(word, '/')+1:])
	name = strings.TrimSuffix(name, ".exe")
	bare := strings.TrimRight(name, ".0123456789")
	return strings.Contains(carriers, " "+name+" ") || bare != "" && strings.Contains(carriers, " "+bare+" ")
}
