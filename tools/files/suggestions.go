package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// suggestions are paths that may have been meant, the likeliest first.
type suggestions struct {
	paths        []string
	hasLookalike bool // the first differs only in characters that look alike
}

// Limits of a suggestion.
const (
	maxSiblings    = 10_000 // names of a directory that are looked at
	maxSuggestions = 3
)

// missingFile words that t does not exist, with the names that may have been meant
// in the deepest directory that does.
func missingFile(c *pegboard.Call, t pegboard.Target) string {
	text := fmt.Sprintf("%s does not exist. The working directory is %s.", t.Value, c.Session().Dir())
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

// suggestionsFor returns paths beside p that resemble it and that the session may
// read. It reports false if the directory of p does not exist.
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
	have, _ := d.Readdirnames(maxSiblings) // what was read before an error will do
	add := func(name string) (added bool) {
		path := filepath.Join(dir, name)
		added = len(near.paths) < maxSuggestions && !slices.Contains(near.paths, path) &&
			c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path})
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

// lookalike returns the one name in have that a person would take for name.
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

// foldName returns name with composed letters, straight quotation marks and
// plain spaces.
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
