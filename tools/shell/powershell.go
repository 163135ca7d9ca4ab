package shell

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// PowerShell returns the tool that runs command lines in PowerShell, with the input,
// output and limits of [Bash]. A command starts in the directory in which the last
// command of Bash ended; its own changes of directory have no effect on later
// commands. Commands that remove files which the system needs are refused in every
// mode, even if a rule allows them.
func PowerShell(o Options) pegboard.Tool {
	o = o.withDefaults("pwsh", "-NoProfile", "-NonInteractive", "-Command")
	o.Snapshot, o.Startup, o.EnvFile = "", false, nil
	return newRunner("PowerShell", o, inspector{shell: lines.PowerShell}).tool("Runs a command line in PowerShell.", func(s pegboard.Scope) string { return powerShellPrompt(o, s) })
}

func powerShellPrompt(o Options, s pegboard.Scope) string {
	var b strings.Builder
	b.WriteString("Runs a command line in PowerShell and returns what it prints, all streams together.\n" + fileToolsAdvice(s, false) +
		"\n- Each call is a new process without profile, terminal and input; variables, functions and changes of directory do not carry over. Prefer absolute paths.\n" +
		"- Where PowerShell 7 is not installed it is Windows PowerShell 5.1, which does not know && and ||: a; if ($?) { b }.\n" +
		"- Environment variables are $env:NAME; text that holds $ belongs into single quotes. Cmdlets that would ask a question fail: pass -Force or -Confirm:$false where that is meant.\n" +
		"- Output that is too long is stored in a file, whose path you get with a part of it.\n")
	b.WriteString(backgroundAdvice(o))
	b.WriteString(sandboxAdvice(o) + " Commit, push or open a pull request only when the user asks.")
	return b.String()
}

// withStatus appends statements to a line that make PowerShell exit with the exit
// code of the program that the last statement ran. Without them PowerShell exits with
// 1 after any failure. They stand on lines of their own, so that a comment in the
// line cannot hide them; if the line is incomplete, the whole is incomplete as well.
func withStatus(line string) string {
	return line + "\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }"
}
