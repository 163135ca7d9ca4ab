package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// maxArgument is the number of bytes of a line that are passed as one argument. Linux
// permits 128 KiB.
const maxArgument = 100 << 10

// maxLine returns the number of bytes of the longest line that the system can start.
// On Unix all arguments and the environment share a limit, usually of 2 MiB on Linux and
// of 1 MiB elsewhere. On Windows they share 32,767 characters.
func (r *runner) maxLine(system string) int {
	switch {
	case system == "windows":
		return 30_000
	case !r.takesScript():
		return maxArgument
	case system == "linux":
		return 1 << 20
	}
	return 512 << 10
}

// evalScript evaluates the line that the script gets as its n arguments, of which each
// holds a part. The line is never part of the script's text, so no quote, here-document
// or comment in it can affect the rest of the script. The line sees no arguments, and its
// line numbers are its own because the script before it is one line.
func evalScript(n int) string {
	var b strings.Builder
	b.WriteString(`eval "set --; `)
	for i := range n {
		fmt.Fprintf(&b, "${%d}", i+1)
	}
	return b.String() + `"`
}

// parts returns the parts of a line that are passed as one argument each.
func parts(line string) (all []string) {
	for len(line) > maxArgument {
		all, line = append(all, line[:maxArgument]), line[maxArgument:]
	}
	return append(all, line)
}

// preludeSuffix ends the name of a file that a shell reads before its line.
const preludeSuffix = ".rc"

// prelude returns the files that a shell reads before the line of c. They may give words
// another meaning, so there are none for a line that was allowed since its commands are
// known. file is a name for the start-up of the user's shell; it may be empty.
func (r *runner) prelude(ctx context.Context, line *shellparse.Line, c *pegboard.Call, file string) (files []string) {
	if c.ReadOnly() {
		return nil
	}
	u := r.startupOf(c.Session())
	u.find(ctx, r, c.Session()) // also for its PATH
	if isAllowedAsKnown(line, c) {
		return nil
	}
	if r.options.Snapshot != "" {
		files = append(files, r.options.Snapshot)
	}
	if file != "" && u.write(file) {
		files = append(files, file)
	}
	if settings := r.envFile(c); settings != "" {
		files = append(files, settings)
	}
	return files
}

// envFile returns the file that holds settings of the environment for c, or "" if it is not
// there. A pipe would keep the command from starting.
func (r *runner) envFile(c *pegboard.Call) string {
	if r.options.EnvFile == nil {
		return ""
	}
	name := r.options.EnvFile(c.Session())
	if name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir(), name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}

// args returns the arguments that run a line. If dirFile is not empty, the shell
// writes to that file the directory in which it ends. It reads the files in prelude first.
//
// A line that needs nothing of that runs as it is, unless it is too long for
// one argument. Any other line runs
// inside a script in which exit, set -e and syntax errors end the shell as usual,
// with the same exit code. The script can be noticed in three ways: trap -p shows its
// trap, set -x prints one more + before each line, and the shell reports itself that
// its last command died by a signal. A line that replaces the shell by another
// program, with exec, records no directory.
func (r *runner) args(line, dirFile string, prelude []string) ([]string, error) {
	args, err := r.shell()
	if err != nil {
		return nil, err
	}
	switch {
	case r.inspector.shell == shellparse.PowerShell:
		return append(args, withStatus(asOperand(line))), nil
	case dirFile == "" && prelude == nil && len(line) <= maxArgument || !r.takesScript():
		return append(args, asOperand(line)), nil
	}
	var script strings.Builder
	lines := parts(line)
	eval := evalScript(len(lines))
	for _, file := range prelude {
		script.WriteString(". " + shellQuote(file) + " >/dev/null 2>&1; ")
	}
	note := `{ \builtin pwd -P; \builtin printf '\0%s' "${OLDPWD-}"; } >|` + shellQuote(dirFile)
	switch {
	case dirFile == "":
		script.WriteString(eval)
	case strings.Contains(line, "trap"): // the line's own trap must not be replaced
		script.WriteString(r.noteMoves(note))
		script.WriteString(eval + "\n{ \\builtin set -- \"$?\"; " + note + "; set +x; } 2>/dev/null\nexit \"$1\"")
	default:
		script.WriteString("trap " + shellQuote("{ "+note+"; } 2>/dev/null || :") + " EXIT; " + eval)
	}
	return append(append(args, script.String(), filepath.Base(args[len(args)-2])), lines...), nil
}

// shell returns the program that runs lines and the arguments before a line.
func (r *runner) shell() ([]string, error) {
	args := slices.Clone(r.options.Shell)
	if !r.options.findShell {
		return args, nil
	}
	var err error
	args[0], err = newFinder().shell(args[0])
	return args, err
}

// noteMoves defines cd and its like as functions that write a note after each change of the
// directory, unless they run in a subshell: a line whose own trap ends the shell does not
// come to the end of the script. Shells without subshell counters are left as they are.
func (r *runner) noteMoves(note string) string {
	var counter string
	switch strings.TrimSuffix(filepath.Base(r.options.Shell[0]), ".exe") {
	case "bash":
		counter = "BASH_SUBSHELL"
	case "zsh":
		counter = "ZSH_SUBSHELL"
	default:
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"cd", "pushd", "popd"} {
		fmt.Fprintf(&b, `%s() { \builtin %s "$@"; \builtin set -- "$?"; case $%s in 0) { %s; } 2>/dev/null; esac; \builtin return "$1"; }; `, name, name, counter, note)
	}
	return b.String()
}

// takesScript reports whether the shell accepts a script with arguments.
func (r *runner) takesScript() bool {
	argv := r.options.Shell
	return r.inspector.shell != shellparse.PowerShell && len(argv) > 1 && strings.HasPrefix(argv[len(argv)-1], "-") && strings.HasSuffix(argv[len(argv)-1], "c")
}

// shellQuote returns a name as one word of a shell.
func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// asOperand returns a line that the shell cannot mistake for an option.
func asOperand(line string) string {
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		return " " + line
	}
	return line
}
