package suggest

import (
	"slices"
	"strings"
)

// An inputRunner is a program that runs its standard input unless its arguments name a
// program.
type inputRunner struct {
	operands int    // number of leading operands that name the program; 0 if operands never do
	options  string // options whose value names the program
}

// inputRunners are keyed by name without version. The text of a command does not show
// its input, so the same text may run something else the next time.
var inputRunners = map[string]inputRunner{
	"sh": {1, "-c -lc -ec"}, "bash": {1, "-c -lc -ec"}, "zsh": {1, "-c -lc -ec"}, "dash": {1, "-c -ec"}, "ksh": {1, "-c -ec"}, "ash": {1, "-c -ec"},
	"fish": {1, "-c"}, "pwsh": {1, "-c -Command -File"}, "powershell": {0, "-c -Command -File"}, "cmd": {0, "/c /C"},
	"python": {1, "-c -m"}, "pypy": {1, "-c -m"}, "ipython": {1, "-c -m"},
	"node": {1, "-e -p --eval --print --test"}, "nodejs": {1, "-e -p --eval --print --test"}, "deno": {1, ""}, "bun": {1, "-e"}, "tsx": {1, "-e"}, "ts-node": {1, "-e"},
	"ruby": {1, "-e -ne -pe"}, "irb": {1, ""}, "perl": {1, "-e -E -ne -pe"}, "php": {1, "-r -f"}, "lua": {1, "-e"}, "luajit": {1, "-e"},
	"rscript": {1, "-e"}, "julia": {1, "-e"}, "osascript": {1, "-e"}, "tclsh": {1, ""}, "expect": {1, "-c"}, "ghci": {0, "-e"},
	"psql": {0, "-c -f --command --file"}, "mysql": {0, "-e --execute"}, "mariadb": {0, "-e --execute"}, "sqlite": {2, ""},
	"duckdb": {0, "-c"}, "mongosh": {0, "--eval"}, "redis-cli": {0, ""},
	"ssh": {2, ""}, "sftp": {0, "-b"}, "at": {0, "-f"}, "batch": {0, ""}, "crontab": {1, ""}, "gdb": {0, "-x -ex"}, "patch": {0, "-i"},
	"parallel": {0, ""}, "xargs": {0, ""},
}

// textFilters are programs that treat their input only as text, and write it only to
// their output. Options that make some of them do more are visible in their arguments.
var textFilters = map[string]bool{
	"cat": true, "head": true, "tail": true, "wc": true, "sort": true, "uniq": true, "cut": true, "tr": true, "paste": true,
	"column": true, "fold": true, "fmt": true, "nl": true, "rev": true, "tac": true, "grep": true, "egrep": true, "fgrep": true, "rg": true,
	"jq": true, "diff": true, "cmp": true, "comm": true, "gzip": true, "gunzip": true, "bzip2": true, "xz": true, "zstd": true,
	"base64": true, "iconv": true, "xxd": true, "od": true, "hexdump": true, "md5sum": true, "sha1sum": true, "sha256sum": true,
	"sha512sum": true, "shasum": true, "cksum": true,
}

// programName returns the name of a program without its directory and version.
func programName(word string) string {
	word = strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	word = strings.TrimSuffix(word, ".exe")
	if short := strings.TrimRight(word, ".-0123456789"); short != "" {
		return short
	}
	return word
}

// mayRunInput reports whether a command may run its input or take instructions from it:
// an argument names the input, or no argument names a program. A launcher may precede
// the program, which is then the last word.
func mayRunInput(words []string) bool {
	if slices.ContainsFunc(words, namesInput) {
		return true
	}
	last := words[len(words)-1]
	if _, ok := inputRunners[programName(last)]; ok {
		return true
	}
	r, ok := inputRunners[programName(words[0])]
	return ok && !r.namesProgram(words[1:])
}

// namesInput reports whether an argument stands for the input of a command.
func namesInput(word string) bool {
	return word == "-" || strings.HasSuffix(word, "=-") || strings.HasSuffix(word, "@-") ||
		len(word) == len("-f-") && word[0] == '-' && word[2] == '-' && word[1] != '-' ||
		strings.Contains(word, "/dev/stdin") || strings.Contains(word, "/dev/fd/") || strings.Contains(word, "/proc/self/fd/")
}

// namesProgram reports whether arguments name the program that an inputRunner runs.
func (r inputRunner) namesProgram(args []string) bool {
	isOption := func(word string) bool { return strings.HasPrefix(word, "-") }
	if r.operands > 0 && len(args) >= r.operands && !slices.ContainsFunc(args[:r.operands], isOption) {
		return true
	}
	options := strings.Fields(r.options)
	for i, word := range args {
		if i+1 < len(args) && slices.Contains(options, word) {
			return true
		}
	}
	return false
}
