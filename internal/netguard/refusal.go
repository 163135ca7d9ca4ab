package netguard

import (
	"errors"
	"fmt"
)

// What a [RefusalError] is about.
var (
	ErrURL       = errors.New("not a usable URL")
	ErrScheme    = errors.New("not a scheme of the web")
	ErrNotPublic = errors.New("not public")
	ErrRedirect  = errors.New("not followed")
)

// maxQuoted is how many bytes an error repeats of what it was given.
const maxQuoted = 200

// A RefusalError says that no request is made, whatever the rules and the mode
// say. Its text is worded for the model.
type RefusalError struct {
	Target string // the URL, scheme, host or address that is refused
	Kind   error  // ErrURL, ErrScheme, ErrNotPublic or ErrRedirect
	Reason string // what is wrong with Target, and what to do instead
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("%q is %v: %s", shortened(e.Target), e.Kind, e.Reason)
}

// Unwrap returns e.Kind.
func (e *RefusalError) Unwrap() error { return e.Kind }

func shortened(text string) string {
	if len(text) > maxQuoted {
		return text[:maxQuoted] + "..."
	}
	return text
}
