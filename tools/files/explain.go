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

// adviceError is an error worded for the model: what is wrong, what to do next.
type adviceError struct {
	text string
	err  error // for the host; nil if there is nothing beneath
}

func (e *adviceError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *adviceError) Unwrap() error { return e.err }

// explain words why t could not be read.
func explain(c *pegboard.Call, t pegboard.Target, err error) error {
	path := t.Value
	var text string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = missing(c, t)
	case errors.Is(err, realpath.ErrMoved):
		text = path + " leads elsewhere now than when permission was decided, or round in circles. Look at its links before you try again."
	case errors.Is(err, realpath.ErrNotDir):
		text = path + " is not a directory. Give the directory it is in, or use Read."
	case errors.Is(err, realpath.ErrDirectory):
		text = fmt.Sprintf("%s is a directory. List it with Glob (path %q, pattern \"*\") or with ls.", path, path)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Read opens regular files only.", path, reason(err))
	case errors.Is(err, fs.ErrPermission):
		text = "the operating system does not let this program read " + path + ". Tell the user if it is needed."
	default:
		text = fmt.Sprintf("%s could not be read: %v.", path, reason(err))
	}
	return &adviceError{text: text, err: err}
}

// reason returns err without the operation and the path that it is about.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Limits of a suggestion.
const (
	maxSiblings    = 10_000 // names of a directory that are looked at
	maxSuggestions = 3
)

// missing words that t does not exist, with the names that may have been meant
// in the deepest directory that does.
func missing(c *pegboard.Call, t pegboard.Target) string {
	text := fmt.Sprintf("%s does not exist. The working directory is %s.", t.Value, c.Session().Dir())
	for p := t.Real(); p != filepath.Dir(p); p = filepath.Dir(p) {
		near, ok := similar(c, p)
		if len(near.paths) > 0 {
			text += " Did you mean " + strings.Join(near.paths, ", ") + "?"
			if near.alike {
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

// suggestions are paths that may have been meant, the likeliest first.
type suggestions struct {
	paths []string
	alike bool // the first differs only in characters that look alike
}

// similar returns paths beside p that resemble it and that the session may
// read. It reports false if the directory of p does not exist.
func similar(c *pegboard.Call, p string) (near suggestions, ok bool) {
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
		near.alike = add(name)
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
