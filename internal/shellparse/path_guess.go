package shellparse

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// addGuesses adds the arguments of an unknown command that look like paths. args starts
// with the name of the command.
func (w *walker) addGuesses(c *Command, args []arg) {
	if !args[0].known {
		return
	}
	at := w.place
	w.place = w.placeAfterOptions(programName(args[0].value), args[1:])
	inPlace := writesInPlace(args[1:])
	name := programName(args[0].value)
	unlisted, written := isUnlisted(name), writtenArgs(name, args)
	var room [2]string
	for i, a := range args[1:] {
		if !a.known {
			w.addFoundGuesses(c, a, unlisted)
			continue
		}
		if unlisted || mountPrograms[name] {
			kind := allNames
			if strings.ContainsAny(a.value, " \t\n") {
				kind = outsideNames // it may be a text for people
			}
			w.addNamesIn(c, a.value, kind, Path{Write: true})
		}
		if mountPrograms[name] && strings.ContainsAny(a.value, ":,") {
			continue // a place is only a part of it
		}
		write := inPlace || a.namesOutput() || i > 0 && args[i].is("-o", "--output", "--out")
		file := written(i) && !strings.ContainsAny(a.value, " \t\n") // texts are for people, and those for programs are looked into
		for _, name := range guessNames(a.value, room[:0]) {
			c.Paths = slices.Grow(c.Paths, len(args)-i)
			like := Path{Guess: true, Glob: a.glob, Tree: a.isFoundTree(), Write: unlisted || write || file, MayWrite: write || file}
			if like.Tree && a.found != nil {
				like.InPlace, like.FollowsLinks, like.Filter = true, !a.found.regular, a.found.filter
			}
			c.Paths = w.appendPaths(c.Paths, name, like)
		}
	}
	w.place = at
}

// addFoundGuesses adds the files that an argument of an unknown command stands for, if it
// stands for files.
func (w *walker) addFoundGuesses(c *Command, a arg, write bool) {
	if a.found == nil {
		return
	}
	for _, v := range a.found.trees {
		c.Paths = w.appendPaths(c.Paths, v.value, Path{Guess: true, Glob: v.glob, Tree: true, Write: write, InPlace: true, FollowsLinks: !a.found.regular, Filter: a.found.filter})
	}
	for _, v := range a.found.values {
		if v.known && v.value != "" {
			c.Paths = w.appendPaths(c.Paths, v.value, Path{Guess: true, Glob: v.glob, Write: write})
		}
	}
}

// isUnlisted reports whether no table lists a program, so that it may write any file it
// is given. A path that is written counts as read, too.
func isUnlisted(name string) bool {
	if _, known := specOf(name); known || shelltable.WildcardSpecs[name] != nil || isBuiltin(name) {
		return false
	}
	_, launcher := launcherWords(name)
	_, shell := scriptRunners[name]
	return !launcher && !shell
}

// guessNames appends the file names that an argument may hold, at most two.
func guessNames(value string, names []string) []string {
	name := value
	if strings.HasPrefix(value, "-") || strings.Contains(value, "=") {
		_, name, _ = strings.Cut(value, "=")
	}
	names = guessName(name, names)
	if len(value) > 2 && value[0] == '-' && value[1] != '-' && strings.ContainsAny(value[2:], "./@~_") {
		names = guessName(value[2:], names)
	}
	return names
}

// guessName appends the file name that a part of an argument may hold.
func guessName(name string, names []string) []string {
	name = strings.TrimPrefix(name, "@")
	if len(name) > len("file:") && strings.EqualFold(name[:len("file:")], "file:") {
		name = name[len("file:"):]
		if rest, ok := strings.CutPrefix(name, "//"); ok {
			name = strings.TrimPrefix(rest, "localhost")
		}
	}
	if name == "" || strings.ContainsAny(name, "\n\x00") || strings.Contains(name, "://") {
		return names
	}
	return append(names, name)
}

// writesInPlace reports whether an option may make a program write the files it is
// given.
func writesInPlace(args []arg) bool {
	for i, a := range args {
		v := a.value
		if !a.known || v == "" || v[0] != '-' && v[0] != '+' {
			continue
		}
		name, _, _ := strings.Cut(v, "=")
		switch {
		case has("-it -ti", v):
		case has("-w --write --fix --fix-all --in-place --inplace --overwrite", name):
			return true
		case strings.HasPrefix(v, "-i"), strings.HasPrefix(v, "-pi"), strings.HasPrefix(v, "-ni"), strings.HasPrefix(v, "-lpi"):
			return true
		case v == "-c" && i+1 < len(args) && strings.HasPrefix(strings.TrimLeft(args[i+1].value, ":"), "w"),
			strings.HasPrefix(v, "+w"), strings.HasPrefix(v, "-cw"):
			return true
		}
	}
	return false
}
