package shellparse

import "strings"

// launchers are programs that run the command after their options, with the number of
// operands before it. Only deny rules look behind them, so the list may be generous.
var launchers = map[string]int{
	"env": 0, "sudo": 0, "doas": 0, "pkexec": 0, "su": 0, "runuser": 0, "gosu": 1, "su-exec": 1, "setpriv": 0, "sg": 1,
	"watch": 0, "ionice": 0, "setsid": 0, "chrt": 1, "taskset": 1, "flock": 1, "setarch": 1, "linux64": 0, "linux32": 0,
	"prlimit": 0, "choom": 0, "tini": 0, "dumb-init": 0, "eatmydata": 0, "chronic": 0, "cross-env": 0, "ld.so": 0,
	"chroot": 1, "nsenter": 0, "unshare": 0, "bwrap": 0, "firejail": 0, "fakeroot": 0, "systemd-run": 0, "capsh": 0,
	"xargs": 0, "parallel": 0, "entr": 0, "busybox": 0, "toybox": 0,
	"strace": 0, "ltrace": 0, "gdb": 0, "valgrind": 0, "perf": 1, "unbuffer": 0, "script": 0,
	"timeout": 1, "time": 0, "nice": 0, "nohup": 0, "stdbuf": 0, "command": 0, "builtin": 0, "exec": 0,
	"noglob": 0, "nocorrect": 0, "repeat": 1, "-": 0, "--": 0, "coproc": 0, "ssh": 1, "tmux": 1, "screen": 0,
	"direnv": 2, "devbox": 1, "mise": 1, "npx": 0, "bunx": 0, "pipx": 1, "uv": 1, "uvx": 0, "poetry": 1,
	"pipenv": 1, "bundle": 1, "conda": 1, "xvfb-run": 0, "dbus-run-session": 0,
}

// subcommandLaunchers are programs with subcommands that are launchers.
var subcommandLaunchers = map[string]map[string]int{
	"npm": {"exec": 0, "x": 0}, "pnpm": {"exec": 0, "dlx": 0}, "yarn": {"exec": 0, "dlx": 0}, "bun": {"x": 0},
	"docker": {"exec": 1, "run": 1}, "podman": {"exec": 1, "run": 1}, "kubectl": {"exec": 1},
}

// launcherWords returns the number of operands between the name of a launcher and its
// command.
func launcherWords(name string) (between int, ok bool) {
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		name = "ld.so"
	}
	between, ok = launchers[name]
	return between, ok
}

// launcherOptions are the options of some launchers, by their letters: those without a
// value and those with one. An option is listed only if that is certain.
var launcherOptions = map[string]struct{ alone, valued string }{
	"env": {"i0v", "uSC"}, "sudo": {"AbBEHinPsS", "CDghpRrTtUu"}, "doas": {"ns", "Cu"}, "xargs": {"0rtxop", "adEILnPsJ"},
	"timeout": {"v", "sk"}, "nice": {"", "n"}, "stdbuf": {"", "ioe"}, "time": {"p", "fo"}, "setsid": {"cfw", ""},
	"command": {"p", ""}, "exec": {"cl", "a"}, "ionice": {"t", "cn"},
}

// isCompleteOption reports whether an option of a launcher surely does not take the
// next word as its value.
func isCompleteOption(name, option string) bool {
	if strings.HasPrefix(option, "--") {
		return option == "--" || strings.Contains(option, "=") || has("--ignore-environment --null --no-run-if-empty --preserve-status --foreground", option)
	}
	letters, ok := launcherOptions[name]
	for i := 1; ok && i < len(option); i++ {
		switch {
		case strings.IndexByte(letters.valued, option[i]) >= 0:
			return i < len(option)-1
		case strings.IndexByte(letters.alone, option[i]) < 0:
			return false
		}
	}
	return ok
}

// scriptRunners are commands that run a text. The value is true if a shell whose
// language the package reads surely runs it.
var scriptRunners = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true, "rbash": true,
	"su": true, "runuser": true, "script": true, "eval": true, "trap": true, "capsh": true, "sg": true,
	"flock": false, "watch": false, "ssh": false, "parallel": false, "env": false, "alias": false, "tmux": false, "screen": false,
	"compgen": false, "complete": false, "nix-shell": false, "fish": false, "busybox": false, "pwsh": false, "npm": false, "npx": false,
}

// isFindProgram reports whether a program runs the commands after options such as
// -exec.
func isFindProgram(name string) bool {
	switch name {
	case "find", "gfind", "fd", "fdfind", "bfs":
		return true
	}
	return false
}
