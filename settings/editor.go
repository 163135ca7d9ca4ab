package settings

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An editor applies the updates for one source to the text of its file.
type editor struct {
	path    string
	source  policy.Source
	anchors anchors
	updates []policy.Update
	// approvals are the MCP servers that the user has approved or declined.
	approvals []approval
	saves     *saves // may be nil
}

// edit returns data with the updates applied. It returns data itself if they change nothing.
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
	for _, a := range e.approvals {
		if after, err = a.apply(doc); err != nil {
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

func (e *editor) apply(doc *jsonedit.Document, u policy.Update) ([]byte, error) {
	switch u.Type {
	case policy.SetMode:
		return e.setMode(doc, u.Mode)
	case policy.AddDirectories, policy.RemoveDirectories:
		return editList(doc, u.Type, []string{permissionsKey, directoriesKey}, u.Directories, func(there, given string) bool { return there == given })
	}
	if u.Behavior == policy.Undecided { // it has no rules
		return doc.Splice(nil), nil
	}
	var given []string
	for _, text := range u.Rules {
		r, err := policy.ParseRule(u.Behavior, text.String())
		if err != nil {
			return nil, err
		}
		given = append(given, e.anchors.inFile(r))
	}
	return editList(doc, u.Type, []string{permissionsKey, u.Behavior.String()}, given, func(there, given string) bool {
		return e.sameRule(u.Behavior, there, given)
	})
}

// sameRule reports whether two rules of the file mean the same. They may be spelled in
// different ways, or have different anchors.
func (e *editor) sameRule(b policy.Behavior, there, given string) bool {
	r, err := policy.ParseRule(b, there)
	if err != nil {
		return there == given
	}
	return r.String() == given || slices.Contains(e.anchors.inSession(r), given)
}

// setMode writes the mode that sessions start in. It ignores a mode that no session would
// accept from this file.
func (e *editor) setMode(doc *jsonedit.Document, m policy.Mode) ([]byte, error) {
	if m == "manual" {
		m = policy.ModeDefault
	}
	path := []string{permissionsKey, modeKey}
	at, err := doc.At(path...)
	if err != nil {
		return nil, err
	}
	there := policy.Mode(doc.Text(at))
	if there == m || there == "manual" && m == policy.ModeDefault || !allowsMode(e.source, m) {
		return doc.Splice(nil), nil
	}
	return doc.Set(path, doc.Quote(string(m)))
}

// allowsMode reports whether the file of a source may set the mode that sessions start in.
// No file can remove all restrictions, and no file of a project can let a classifier decide in
// place of the user.
func allowsMode(source policy.Source, m policy.Mode) bool {
	ofProject := source == policy.SourceLocal || source == policy.SourceProject
	return m != policy.ModeBypass && (m != policy.ModeAuto || !ofProject)
}

// editList adds texts to the list at a path, removes them, or replaces all others by
// them. Elements that are no strings stay.
func editList(doc *jsonedit.Document, how policy.UpdateType, path, given []string, same func(there, given string) bool) ([]byte, error) {
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
		case policy.ReplaceRules:
			stays[i] = meant || !doc.Opens(element, '"')
		case policy.RemoveRules, policy.RemoveDirectories:
			stays[i] = !meant
		default:
			stays[i] = true
		}
	}
	var add []string
	for k, text := range given {
		removes := how == policy.RemoveRules || how == policy.RemoveDirectories
		if !removes && !found[k] && !slices.Contains(given[:k], text) {
			add = append(add, doc.Quote(text))
		}
	}
	return doc.EditList(path, func(i int) bool { return stays[i] }, add)
}
