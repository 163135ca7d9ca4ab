package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A suggestions value has the paths that the model may have meant, the most likely
// first.
type suggestions struct {
	paths        []string
	hasLookalike bool // the first path only differs by characters that look alike
}

// The limits of suggestions.
const (
	maxSiblings    = 10_000 // names of a directory that are compared
	maxSuggestions = 3
)

// missingFile returns the text for a path that does not exist, with similar names in
// its deepest existing directory.
func missingFile(c *pegboard.Call, t policy.Target) string {
	text := fmt.Sprintf("%s does not exist. The working directory is %s.", t.Value, c.Cwd())
	if above := fromDir(c, t.Value); above != "" {
		return text + " Did you mean " + above + "?"
	}
	for p := t.Real(); p != filepath.Dir(p); p = filepath.Dir(p) {
		near, ok := suggestionsFor(c, p)
		if len(near.paths) > 0 {
			text += " Did you mean " + strings.Join(near.paths, ", ") + "?"
			if near.hasLookalike {
				text += fmt.Sprintf(" The first differs only in characters that look alike: with escapes it is %+q.", filepath.Base(near.paths[0]))
			}
			return text
		}
		if ok {
			break
		}
	}
	return text
}

// fromDir returns the file that a path means from the session's directory, which a cd of the shell
// has left, or "" if there is none that the session may read.
func fromDir(c *pegboard.Call, path string) string {
	rel, err := filepath.Rel(c.Cwd(), path)
	if err != nil || c.Cwd() == c.Dir() || !filepath.IsLocal(rel) {
		return ""
	}
	above := filepath.Join(c.Dir(), rel)
	if _, err := os.Lstat(above); err != nil || !mayRead(c, above) {
		return ""
	}
	return above
}

// suggestionsFor returns paths in the directory of p that resemble p and that the
// session may read. It reports false if that directory does not exist.
func suggestionsFor(c *pegboard.Call, p string) (near suggestions, ok bool) {
	dir := filepath.Dir(p)
	root, err := realpath.OpenDir(dir)
	if err != nil {
		return near, !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = root.Close() }()
	d, err := root.Open(".")
	if err != nil {
		return near, true
	}
	defer func() { _ = d.Close() }()
	have, _ := d.Readdirnames(maxSiblings) // the names before an error are good enough
	add := func(name string) (added bool) {
		path := filepath.Join(dir, name)
		added = len(near.paths) < maxSuggestions && !slices.Contains(near.paths, path) &&
			mayRead(c, path)
		if added {
			near.paths = append(near.paths, path)
		}
		return added
	}
	if name, ok := lookalike(filepath.Base(p), have); ok {
		near.hasLookalike = add(name)
	}
	for _, name := range nearest.Names(filepath.Base(p), have, 3*maxSuggestions) {
		add(name)
	}
	return near, true
}

// lookalike returns the only name in have that looks like name.
func lookalike(name string, have []string) (alike string, ok bool) {
	folded := foldName(name)
	for _, h := range have {
		if foldName(h) != folded {
			continue
		}
		if ok {
			return "", false
		}
		alike, ok = h, true
	}
	return alike, ok
}

// foldName returns name with composed letters, straight quotation marks and plain
// spaces.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r >= '\u2018' && r <= '\u201B':
			return '\''
		case r >= '\u201C' && r <= '\u201F':
			return '"'
		}
		return r
	}, norm.NFC.String(name))
}
