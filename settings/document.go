package settings

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// parse parses a settings file. A missing or empty file is an empty object. The error is a
// *CorruptError, or wraps ErrComments.
func parse(path string, data []byte) (*jsonedit.Document, error) {
	doc, err := jsonedit.Parse(data)
	if errors.Is(err, jsonedit.ErrEmpty) {
		doc, err = jsonedit.Parse([]byte("{}\n"))
	}
	if err != nil {
		if jsonedit.Commented(data) {
			at := newCorrupt(path, data, err)
			return nil, fmt.Errorf("%v: %w", Position{Path: path, Line: at.Line, Column: at.Column}, ErrComments)
		}
		return nil, newCorrupt(path, data, err)
	}
	doc.Indent = "  "
	if !doc.Opens(doc.Root(), '{') {
		at := (&text{path: path, data: data}).at(doc.Root().Start)
		return nil, &CorruptError{Path: path, Line: at.Line, Column: at.Column, Err: &jsonedit.ShapeError{Want: "an object"}}
	}
	members := doc.Top()
	key, twice := jsonedit.Repeated(members, permissionsKey)
	if !twice {
		members = doc.Members(jsonedit.Find(members, permissionsKey))
		key, twice = jsonedit.Repeated(members, permissionKeys()...)
	}
	if twice {
		at := (&text{path: path, data: data}).at(members[jsonedit.IndexOf(members, key)].Start)
		return nil, &CorruptError{Path: path, Line: at.Line, Column: at.Column, Err: fmt.Errorf("the key %q is there twice; write it once", key)}
	}
	return doc, nil
}
