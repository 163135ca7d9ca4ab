// Package grep searches files for a regular expression as ripgrep does: the syntax of
// patterns, the definition of a line and of a binary file, and the choice of files in a
// directory follow ripgrep. The package knows nothing of permissions.
//
// A pattern is compiled once into a [Program]. A search skips most of a text by looking
// for bytes that every match must contain (the needle). Only lines that contain the
// needle are run through an automaton, which reports whether there is a match. A slower
// machine finds the exact bounds of a match, and runs only where these are needed.
package grep
