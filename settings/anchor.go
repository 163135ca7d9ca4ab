package settings

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Anchors say what "/p" in a path rule stands on: in a project's file the project,
// in the user's file the directory it is in, in a session and a local file the
// working directory. A rule is written in other words where these differ.
type anchors struct {
	file    string // of the rules in a file
	session string // of the rules in a session
	home    string // may be empty
}

// anchors returns those of the file of a source.
func (f Files) anchors(source pegboard.RuleSource) (anchors, error) {
	dir, home, err := f.places()
	a := anchors{file: dir, session: dir, home: home}
	switch source {
	case pegboard.SourceProject:
		a.file = filepath.Dir(filepath.Dir(f.Project))
	case pegboard.SourceUser:
		a.file = filepath.Dir(f.User)
	}
	if realpath.Resolve(a.file) == realpath.Resolve(a.session) {
		a.file = a.session
	}
	return a, err
}

// inSession returns how a rule of the file is written in a session: in two ways if
// links lead to the place, of which each covers one spelling.
func (a anchors) inSession(r pegboard.Rule) []string {
	rest, ok := fromRoot(r)
	if !ok || a.file == a.session {
		return []string{r.String()}
	}
	texts := []string{with(r, a.place(a.file)+rest)}
	if real := with(r, a.place(realpath.Resolve(a.file))+rest); !slices.Contains(texts, real) {
		texts = append(texts, real)
	}
	return texts
}

// inFile returns how a rule of a session is written in the file.
func (a anchors) inFile(r pegboard.Rule) string {
	rest, ok := fromRoot(r)
	if !ok || a.file == a.session {
		return r.String()
	}
	if below, err := filepath.Rel(a.file, a.session); err == nil && filepath.IsLocal(below) {
		return with(r, escape("/"+filepath.ToSlash(below))+rest)
	}
	return with(r, a.place(a.session)+rest)
}

// place returns the pattern of a directory that means the same everywhere, without
// a slash at its end. One in the home directory goes by that name: it holds for
// every spelling of the home directory.
func (a anchors) place(dir string) string {
	if a.home != "" && realpath.Contains(a.home, dir) {
		below, err := filepath.Rel(a.home, dir)
		switch {
		case err == nil && below == ".":
			return "~"
		case err == nil:
			return "~" + escape("/"+filepath.ToSlash(below))
		}
	}
	canonical, _ := pattern.Canonical(platform(), dir)
	return "/" + escape(canonical)
}

// escape returns the pattern of a path that begins with a slash, and that a slash
// will follow.
func escape(path string) string {
	return strings.TrimSuffix(pattern.EscapePath(strings.TrimSuffix(path, "/")+"/"), "/")
}

// fromRoot returns what follows the anchor of a path rule that begins with one
// slash, with that slash.
func fromRoot(r pegboard.Rule) (rest string, ok bool) {
	if r.Tool != "Edit" && r.Tool != "Read" || !strings.HasPrefix(r.Pattern, "/") || strings.HasPrefix(r.Pattern, "//") {
		return "", false
	}
	return r.Pattern, true
}

func with(r pegboard.Rule, text string) string {
	return pegboard.Rule{Tool: r.Tool, Pattern: text}.String()
}

func platform() pattern.Platform {
	switch runtime.GOOS {
	case "darwin":
		return pattern.Darwin
	case "windows":
		return pattern.Windows
	}
	return pattern.Linux
}
