// Package shell holds the tools that run commands, [Bash] and [PowerShell], the
// interpreter tool [REPL], and the tools for background commands: [Monitor],
// [TaskOutput] and [TaskStop].
//
// A command line runs in a new process each time. The command leads a process group
// of its own. When its call is cancelled or its session is closed, the whole group is
// killed, and a descendant that keeps the output open cannot block the call. A
// command that takes too long goes on in the background if it can, see
// [background.Tasks].
//
// A line is parsed before it runs. Its targets are the simple commands in it, the
// files that these read and write, and the files that redirections open. Commands
// that only read run inside the working directories without a question. A line with a
// part that cannot be parsed also has an opaque target. Only a rule for the whole
// tool allows that target, and only if no deny or ask rule could match the line.
//
// A line that only shows one file, with cat, head, tail, nl, bat, grep, rg or sed -n
// 'X,Yp', counts as a read of that file for the tools that edit.
package shell
