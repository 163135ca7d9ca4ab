package netguard

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of a [RefusalError].
var (
	ErrURL       = errors.New("not a usable URL")
	ErrScheme    = errors.New("not a scheme of the web")
	ErrNotPublic = errors.New("not public")
	ErrRedirect  = errors.New("not followed")
)

// maxTarget is how many bytes of its input an error repeats.
const maxTarget = 200

// A RefusalError says that no request is made, whatever the permission rules and the mode
// are. Its text is for the model.
type RefusalError struct {
	Target string // refused URL, scheme, host or address
	Kind   error  // ErrURL, ErrScheme, ErrNotPublic or ErrRedirect
	Reason string // the problem of Target, and an alternative
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("%q is %v: %s", truncate(e.Target), e.Kind, e.Reason)
}

// Unwrap returns e.Kind.
func (e *RefusalError) Unwrap() error { return e.Kind }

func truncate(text string) string {
	if len(text) > maxTarget {
		return strings.ToValidUTF8(text[:maxTarget], "") + "..."
	}
	return text
}
