package shell

import (
	"path"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// programOf returns the base name of the program that a simple command runs.
func programOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(path.Base(strings.Trim(word, `'"`)), ".exe")
}

// gitValueOptions are the options of git before its subcommand that take the next
// word as their value.
var gitValueOptions = map[string]bool{"-C": true, "-c": true, "--git-dir": true, "--work-tree": true, "--namespace": true}

// subcommandOf is like programOf. For git it appends the subcommand.
func subcommandOf(text string) string {
	name := programOf(text)
	if name != "git" {
		return name
	}
	words := strings.Fields(text)[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		skip := 1
		if gitValueOptions[words[0]] {
			skip = 2
		}
		words = words[min(skip, len(words)):]
	}
	if len(words) == 0 {
		return name
	}
	return name + " " + words[0]
}

// silentPrograms print nothing when they succeed.
var silentPrograms = map[string]bool{
	"cd": true, "chgrp": true, "chmod": true, "chown": true, "cp": true, "export": true, "ln": true, "mkdir": true, "mv": true,
	"rm": true, "rmdir": true, "set": true, "sleep": true, "touch": true, "true": true, "unset": true, "wait": true,
	":": true,
}

// printsNothing reports whether every command of the line is expected to print
// nothing.
func printsNothing(line *shellparse.Line) bool {
	for i := range line.Commands {
		if !silentPrograms[programOf(line.Commands[i].Text)] {
			return false
		}
	}
	return line.Unknown == "" && len(line.Commands) > 0
}

// namesGit reports whether any word of a command is git: many commands run another
// command that is given as an argument.
func namesGit(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"();|&`", r) }) {
		if name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe"); name == "git" {
			return true
		}
	}
	return false
}
