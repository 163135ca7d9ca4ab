// Package grep searches files for a regular expression, as ripgrep does: the
// syntax of patterns, what a line is, what is binary and which files of a
// directory are searched follow it. It knows nothing of permissions.
//
// A pattern is compiled once. Most of a text is passed by looking for bytes that
// every match must hold; only lines that hold them are run through an automaton
// that says whether there is a match, and only where it matters where exactly
// the match is, a slower machine finds out.
package grep
