package shellparse

import "strings"

// mountPrograms are programs that the tables list, and whose arguments give other programs
// places of this machine to write in.
var mountPrograms = wordSet("docker podman")

// A nameKind says which of the names in a text are taken for paths.
type nameKind int

const (
	outsideNames nameKind = iota // those that lead out of a directory: absolute, from the home directory, or with ".."
	allNames                     // those with a slash as well
)

// addNamesIn adds as guesses the paths that stand in a text together with something else, as
// in "-v DIR:/x", "src=DIR,dst=/x" and "w FILE".
func (w *walker) addNamesIn(c *Command, text string, kind nameKind, like Path) {
	if !strings.ContainsAny(text, "/~") && !strings.Contains(text, "..") {
		return
	}
	like.Guess = true
	found := 0
	for piece := range strings.FieldsFuncSeq(text, endsName) {
		name := nameIn(piece)
		if name == "" || kind == outsideNames && !leadsOutside(name) || len(name) > maxNamed {
			continue
		}
		if found++; found > maxTexts {
			w.markUnknown("an argument names too many files")
			return
		}
		c.Paths = w.appendPaths(c.Paths, w.fromHome(name), like)
	}
}

// maxNamed is the length of the longest name that is looked for in a text, in bytes.
const maxNamed = 4096

// endsName reports whether a character separates a name from the rest of a text.
func endsName(r rune) bool { return strings.ContainsRune(" \t\r\n\x00'\"`=:,;()|<>&[]{}$", r) }

// nameIn returns the path that a piece of a text holds, or "". It may stand behind the letter
// of an option or of an editor's command.
func nameIn(piece string) string {
	if at := strings.Index(piece, ".."); at > 0 && piece[at-1] != '/' {
		piece = piece[at:]
	}
	if strings.HasPrefix(piece, "-") || strings.HasPrefix(piece, "!") || strings.HasPrefix(piece, "@") || strings.HasPrefix(piece, "+") {
		at := strings.IndexAny(piece, "/~.")
		if at < 0 {
			return ""
		}
		piece = piece[at:]
	}
	if piece != ".." && !strings.HasPrefix(piece, "~") && !strings.Contains(piece, "/") {
		return ""
	}
	return piece
}

// leadsOutside reports whether a path may lead out of the directory in which it is used.
func leadsOutside(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.Contains(name, "..")
}

// fromHome returns a name with the home directory for a tilde at its beginning.
func (w *walker) fromHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && w.env.Home != "" && (rest == "" || rest[0] == '/') {
		return w.env.Home + rest
	}
	return name
}
