// Package shell holds the tools that run commands: [Bash], [PowerShell], and those
// for what runs in the background.
//
// A command line runs in a new process each time. The command leads a process
// group of its own: when its call is cancelled and when its session closes, the
// whole group is ended, and a descendant that keeps the output open cannot hang the
// call. One that takes too long goes on in the background, see [background.Tasks],
// if it can.
//
// A line is parsed before it runs: its targets are the simple commands in it, the
// files these read and write, and the files that redirections open. Commands that
// only read run unasked inside the working directories. What cannot be understood
// has an opaque target beside the others, which only a rule for the whole tool
// allows, and not even that while a deny or ask rule could be about it.
//
// A line that shows one file and nothing else, as cat, head, tail, nl, bat, grep,
// rg and sed -n 'X,Yp' do, counts as a read of that file for the tools that edit.
package shell
