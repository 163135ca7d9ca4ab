package settings

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// anchors are the directories that "/p" in a path rule is relative to: the project in a
// project's file, the directory of the file in the user's file, a managed file and the file of
// --settings, and the working directory in a session and in a local file. Where these differ, a rule is spelled differently in the
// file and in the session.
type anchors struct {
	file    string // for rules in the file
	session string // for rules in the session
	home    string // home directory; may be empty
}

// anchors returns the anchors of the file of a source that has one at most, and of flags.
func (f Files) anchors(source policy.Source) (anchors, error) {
	dir, home, err := f.sessionDirs()
	a := anchors{file: dir, session: dir, home: home}
	switch source {
	case policy.SourceProject:
		a.file = filepath.Dir(filepath.Dir(f.Project))
	case policy.SourceUser:
		a.file = filepath.Dir(f.User)
	}
	return a.simplified(), err
}

// anchorsOf returns the anchors of a file of a source.
func (f Files) anchorsOf(source policy.Source, path string) (anchors, error) {
	a, err := f.anchors(source)
	if source == policy.SourceManaged || source == SourceFlags { // there may be several
		a.file = filepath.Dir(path)
		a = a.simplified()
	}
	return a, err
}

// simplified returns a with the same spelling for both directories if they are the same.
func (a anchors) simplified() anchors {
	if realpath.Resolve(a.file) == realpath.Resolve(a.session) {
		a.file = a.session
	}
	return a
}

// inSession returns a rule of the file as it is spelled in a session: in two ways if the
// anchor's directory has links in its path, since each covers one spelling.
func (a anchors) inSession(r policy.Rule) []string {
	if a.file == a.session {
		return []string{r.String()}
	}
	if r.Behavior != policy.Allow && pattern.IsOwn(r.Tool) && isRooted(r.Pattern) {
		asPath := withPattern(r, a.dirPattern(a.file)+r.Pattern)
		return []string{r.String(), asPath} // the tool's targets may be paths or have names that look alike
	}
	rest, ok := rootedPattern(r)
	if !ok {
		return []string{r.String()}
	}
	texts := []string{withPattern(r, a.dirPattern(a.file)+rest)}
	if real := withPattern(r, a.dirPattern(realpath.Resolve(a.file))+rest); !slices.Contains(texts, real) {
		texts = append(texts, real)
	}
	return texts
}

// inFile returns a rule of a session as it is spelled in the file.
func (a anchors) inFile(r policy.Rule) string {
	rest, ok := rootedPattern(r)
	if !ok || a.file == a.session {
		return r.String()
	}
	if below, err := filepath.Rel(a.file, a.session); err == nil && filepath.IsLocal(below) {
		return withPattern(r, escape("/"+filepath.ToSlash(below))+rest)
	}
	return withPattern(r, a.dirPattern(a.session)+rest)
}

// dirPattern returns a pattern for a directory that means the same everywhere, without a slash
// at its end. A directory below the home directory is spelled with "~", which holds for every
// spelling of the home directory.
func (a anchors) dirPattern(dir string) string {
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

// escape returns the pattern of a path that begins with a slash and that a slash will follow.
func escape(path string) string {
	return strings.TrimSuffix(pattern.EscapePath(strings.TrimSuffix(path, "/")+"/"), "/")
}

// rootedPattern returns the pattern of a path rule that begins with one slash.
func rootedPattern(r policy.Rule) (rest string, ok bool) {
	if r.Tool != "Edit" && r.Tool != "Read" || !isRooted(r.Pattern) {
		return "", false
	}
	return r.Pattern, true
}

func isRooted(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}

func withPattern(r policy.Rule, text string) string {
	return policy.Rule{Tool: r.Tool, Pattern: text}.String()
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
