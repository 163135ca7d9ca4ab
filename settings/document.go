package settings

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// The keys that this package reads and changes.
const (
	permissionsKey = "permissions"
	modeKey        = "defaultMode"
	directoriesKey = "additionalDirectories"

	disableBypassKey = "disableBypassPermissionsMode"
	disableAutoKey   = "disableAutoMode"
)

func permissionKeys() []string {
	return []string{"allow", "ask", "deny", directoriesKey, modeKey, disableBypassKey, disableAutoKey}
}

// parse parses a settings file. A missing or empty file is an empty object. The error is a
// *CorruptError, or wraps ErrComments.
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
