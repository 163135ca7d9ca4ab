package login

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/oauth2"
)

// maxText is how many bytes of a text of an authorization server are repeated.
const maxText = 300

// explain returns an error for the model. The body of an answer is no part of it.
func explain(err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		return &quoted{err}
	case refused.ErrorCode != "":
		return fmt.Errorf("the authorization server refuses to grant a token: %s", describe(refused.ErrorCode, refused.ErrorDescription))
	case refused.Response != nil:
		return fmt.Errorf("the authorization server refuses to grant a token: HTTP status %d", refused.Response.StatusCode)
	}
	return errors.New("the authorization server refuses to grant a token")
}

// describe returns a code of an authorization server with its description, on one line.
func describe(code, description string) string {
	text := code
	if description != "" {
		text += " (" + description + ")"
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// quoted is an error whose text may repeat a text of a server.
type quoted struct{ err error }

func (e *quoted) Error() string { return describe(e.err.Error(), "") }
func (e *quoted) Unwrap() error { return e.err }
