package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// evalScript runs the line that the script is given. The line never becomes a part
// of the script's own text, so that no quote, here-document or comment in it can
// reach what stands around it. It sees no arguments, and its own line numbers: the
// script up to it is one line.
const evalScript = `eval "set --; $1"`

// args returns what to run for a line. If ended is not empty, the shell writes to
// that file where it is when it ends.
//
// A line that needs neither that nor a snapshot is run as it is. The others get a
// script around them, in which exit, set -e and errors of syntax end the shell as
// they always do, with the same exit code. What remains to be seen of it: the trap,
// by trap -p; one more + before what set -x shows; the shell's own report of a last
// command that died by a signal. A line that becomes another program, by exec,
// leaves no word of where it ended.
func (r *runner) args(line, ended string) []string {
	args := slices.Clone(r.options.Shell)
	switch {
	case r.inspector.shell == shellparse.PowerShell:
		return append(args, withStatus(asOperand(line)))
	case ended == "" && r.options.Snapshot == "" || !r.takesScript():
		return append(args, asOperand(line))
	}
	var script strings.Builder
	if r.options.Snapshot != "" {
		script.WriteString(". " + shellQuote(r.options.Snapshot) + " >/dev/null 2>&1; ")
	}
	note := `\builtin pwd -P >|` + shellQuote(ended)
	switch {
	case ended == "":
		script.WriteString(evalScript)
	case strings.Contains(line, "trap"): // its own trap must not be replaced
		script.WriteString(evalScript + "\n{ \\builtin set -- \"$?\"; " + note + "; set +x; } 2>/dev/null\nexit \"$1\"")
	default:
		script.WriteString("trap " + shellQuote("{ "+note+"; } 2>/dev/null || :") + " EXIT; " + evalScript)
	}
	return append(args, script.String(), filepath.Base(args[len(args)-2]), line)
}

// takesScript reports whether the shell takes a script with arguments.
func (r *runner) takesScript() bool {
	argv := r.options.Shell
	return r.inspector.shell != shellparse.PowerShell && len(argv) > 1 && strings.HasPrefix(argv[len(argv)-1], "-") && strings.HasSuffix(argv[len(argv)-1], "c")
}

// shellQuote returns a name as one word of a shell.
func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// asOperand returns a line that the shell cannot take for one of its options.
func asOperand(line string) string {
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		return " " + line
	}
	return line
}
