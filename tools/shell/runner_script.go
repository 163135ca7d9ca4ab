package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// evalScript evaluates the line that the script gets as its argument. The line is
// never part of the script's text, so no quote, here-document or comment in it can
// affect the rest of the script. The line sees no arguments, and its line numbers are
// its own because the script before it is one line.
const evalScript = `eval "set --; $1"`

// args returns the arguments that run a line. If dirFile is not empty, the shell
// writes to that file the directory in which it ends.
//
// A line that needs neither that nor a snapshot runs as it is. Any other line runs
// inside a script in which exit, set -e and syntax errors end the shell as usual,
// with the same exit code. The script can be noticed in three ways: trap -p shows its
// trap, set -x prints one more + before each line, and the shell reports itself that
// its last command died by a signal. A line that replaces the shell by another
// program, with exec, records no directory.
func (r *runner) args(line, dirFile string) []string {
	args := slices.Clone(r.options.Shell)
	switch {
	case r.inspector.shell == shellparse.PowerShell:
		return append(args, withStatus(asOperand(line)))
	case dirFile == "" && r.options.Snapshot == "" || !r.takesScript():
		return append(args, asOperand(line))
	}
	var script strings.Builder
	if r.options.Snapshot != "" {
		script.WriteString(". " + shellQuote(r.options.Snapshot) + " >/dev/null 2>&1; ")
	}
	note := `\builtin pwd -P >|` + shellQuote(dirFile)
	switch {
	case dirFile == "":
		script.WriteString(evalScript)
	case strings.Contains(line, "trap"): // the line's own trap must not be replaced
		script.WriteString(evalScript + "\n{ \\builtin set -- \"$?\"; " + note + "; set +x; } 2>/dev/null\nexit \"$1\"")
	default:
		script.WriteString("trap " + shellQuote("{ "+note+"; } 2>/dev/null || :") + " EXIT; " + evalScript)
	}
	return append(args, script.String(), filepath.Base(args[len(args)-2]), line)
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
