package shell

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Bash returns the tool that runs command lines in bash. Lines that only read and
// stay in their directory run concurrently, all others alone.
func Bash(o Options) pegboard.Tool {
	o = o.withDefaults("bash", "-c")
	return newRunner("Bash", o, newInspector(o)).tool("Runs a command line in bash.", func(s pegboard.Scope) string { return bashPrompt(o, s) })
}

func bashPrompt(o Options, s pegboard.Scope) string {
	var b strings.Builder
	b.WriteString("Runs a command line in bash and returns what it prints, stdout and stderr together.\n" + fileToolsAdvice(s, true) +
		"\n- Each call is a new process without terminal, editor, input and the host's API keys and tokens: variables, functions and exports do not carry over. ")
	if o.FixedDir {
		b.WriteString("Each starts in the working directory.\n")
	} else {
		b.WriteString("The directory does, in the main conversation, while it is inside the working directories, and relative paths of all tools start there. Prefer absolute paths to cd.\n")
	}
	b.WriteString("- Quote paths that hold blanks. Join commands that need each other with &&; send those that do not as calls of one message.\n" +
		"- Output that is too long is stored in a file, whose path you get with a part of it. Print less where you can.\n")
	b.WriteString(backgroundAdvice(o))
	b.WriteString(sandboxAdvice(o) + " Do not work around a denied command with another one.\n\n" +
		"git: commit, push or open a pull request only when the user asks. Before a commit look at git status, git diff and git log, add files by name, and leave out secrets. " +
		"Give the message with -m and a here-document. Never change the git configuration, skip hooks, force a push, or amend a commit that is not yours; no -i, there is nobody to answer. " +
		"For a pull request read all commits since the base branch, push with -u, then gh pr create with a summary and how it was tested; return its URL.")
	return b.String()
}

// sandboxAdvice tells the model how a sandbox limits a command.
func sandboxAdvice(o Options) string {
	if o.Sandbox == nil {
		return "- There is no sandbox around a command: what it does is done."
	}
	text := "- A command runs in a sandbox: it writes only in the working directories and to files elsewhere that the line itself names, /tmp is shared by commands alone, and there is no network unless the line names a host. What the sandbox refuses is told."
	if o.SandboxOnly {
		return text
	}
	return text + " Set dangerouslyDisableSandbox only for what it has refused, or when the user asks for it."
}

func backgroundAdvice(o Options) string {
	if o.NoBackground {
		return "- A command that takes longer than its timeout is ended, and whatever it leaves running with it.\n"
	}
	return "- For servers, watchers and long builds set run_in_background, not &: what a command leaves running is ended with it. You get a task id and an output file, and are told of the end; do not poll or sleep for it. " +
		"A command that takes longer than its timeout moves to the background where it can.\n"
}
