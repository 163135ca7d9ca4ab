package settings

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// The keys that are read and changed.
const (
	permissionsKey = "permissions"
	modeKey        = "defaultMode"
	directoriesKey = "additionalDirectories"
)

func permissionKeys() []string { return []string{"allow", "ask", "deny", directoriesKey, modeKey} }

// parse reads a settings file. One that is missing or has nothing in it is an
// empty object. The error is a *CorruptError, or wraps ErrComments.
func parse(path string, data []byte) (*jsonedit.Document, error) {
	doc, err := jsonedit.Parse(data)
	if errors.Is(err, jsonedit.ErrEmpty) {
		doc, err = jsonedit.Parse([]byte("{}\n"))
	}
	if err != nil {
		if jsonedit.Commented(data) {
			return nil, fmt.Errorf("%s: %w", path, ErrComments)
		}
		return nil, &CorruptError{Path: path, Err: err}
	}
	doc.Indent = "  "
	if !doc.Opens(doc.Root(), '{') {
		return nil, &CorruptError{Path: path, Err: &jsonedit.ShapeError{Want: "an object"}}
	}
	key, twice := jsonedit.Repeated(doc.Top(), permissionsKey)
	if !twice {
		key, twice = jsonedit.Repeated(doc.Members(jsonedit.Find(doc.Top(), permissionsKey)), permissionKeys()...)
	}
	if twice {
		return nil, &CorruptError{Path: path, Err: fmt.Errorf("the key %q is there twice", key)}
	}
	return doc, nil
}

// An editor makes the updates of one source in the text of its file.
type editor struct {
	path    string
	source  pegboard.RuleSource
	anchors anchors
	updates []pegboard.PermissionUpdate
}

// edit returns data after the updates: data itself if they change nothing.
func (e *editor) edit(data []byte) ([]byte, error) {
	doc, err := parse(e.path, data)
	if err != nil {
		return nil, err
	}
	before := doc.Splice(nil)
	after := before
	for _, u := range e.updates {
		if after, err = e.apply(doc, u); err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		if doc, err = parse(e.path, after); err != nil {
			return nil, err
		}
	}
	switch {
	case bytes.Equal(after, before):
		return data, nil
	case len(after) > maxBytes:
		return nil, fmt.Errorf("%s would have %d bytes, more than the limit of %d", e.path, len(after), maxBytes)
	}
	return after, nil
}

func (e *editor) apply(doc *jsonedit.Document, u pegboard.PermissionUpdate) ([]byte, error) {
	switch u.Type {
	case pegboard.UpdateSetMode:
		return e.setMode(doc, u.Mode)
	case pegboard.UpdateAddDirectories, pegboard.UpdateRemoveDirectories:
		return editTexts(doc, u.Type, directoriesKey, u.Directories, func(there, given string) bool { return there == given })
	}
	if u.Behavior == pegboard.Undecided { // and so without a rule
		return doc.Splice(nil), nil
	}
	var given []string
	for _, text := range u.Rules {
		r, err := pegboard.ParseRule(u.Behavior, text.String())
		if err != nil {
			return nil, err
		}
		given = append(given, e.anchors.inFile(r))
	}
	return editTexts(doc, u.Type, u.Behavior.String(), given, func(there, given string) bool {
		return e.same(u.Behavior, there, given)
	})
}

// same reports whether two rules of the file say the same: they may be spelled in
// two ways, or stand on two anchors.
func (e *editor) same(b pegboard.Behavior, there, given string) bool {
	r, err := pegboard.ParseRule(b, there)
	if err != nil {
		return there == given
	}
	return r.String() == given || slices.Contains(e.anchors.inSession(r), given)
}

// setMode writes the mode that a session starts in. What no session would take
// from there is not written.
func (e *editor) setMode(doc *jsonedit.Document, m pegboard.Mode) ([]byte, error) {
	if m == "manual" {
		m = pegboard.ModeDefault
	}
	path := []string{permissionsKey, modeKey}
	at, err := doc.At(path...)
	if err != nil {
		return nil, err
	}
	there := pegboard.Mode(doc.Text(at))
	if there == m || there == "manual" && m == pegboard.ModeDefault || !keeps(e.source, m) {
		return doc.Splice(nil), nil
	}
	return doc.Set(path, doc.Quote(string(m)))
}

// keeps reports whether the file of a source may say that sessions start in a
// mode. No file can lift all restrictions, and what a project brings along cannot
// take the person's place.
func keeps(source pegboard.RuleSource, m pegboard.Mode) bool {
	return m != pegboard.ModeBypass && (m != pegboard.ModeAuto || source == pegboard.SourceUser)
}

// editTexts adds texts to a list of permissions, removes them, or puts them in the
// place of all others. Elements that are no texts stay.
func editTexts(doc *jsonedit.Document, how pegboard.PermissionUpdateType, key string, given []string, same func(there, given string) bool) ([]byte, error) {
	path := []string{permissionsKey, key}
	list, err := doc.At(path...)
	if err != nil {
		return nil, err
	}
	elements := doc.Elements(list)
	stays := make([]bool, len(elements))
	found := make([]bool, len(given))
	for i, element := range elements {
		meant := false
		for k, text := range given {
			if doc.Opens(element, '"') && same(doc.Text(element), text) {
				meant, found[k] = true, true
			}
		}
		switch how {
		case pegboard.UpdateReplaceRules:
			stays[i] = meant || !doc.Opens(element, '"')
		case pegboard.UpdateRemoveRules, pegboard.UpdateRemoveDirectories:
			stays[i] = !meant
		default:
			stays[i] = true
		}
	}
	var add []string
	for k, text := range given {
		removes := how == pegboard.UpdateRemoveRules || how == pegboard.UpdateRemoveDirectories
		if !removes && !found[k] && !slices.Contains(given[:k], text) {
			add = append(add, doc.Quote(text))
		}
	}
	return doc.EditList(path, func(i int) bool { return stays[i] }, add)
}
