package login

import (
	"errors"
	"net/http"

	"golang.org/x/oauth2"
)

// roundTripper sends tokens with requests.
type roundTripper struct {
	login *Login
	next  http.RoundTripper
}

func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := t.authorized(r)
	if err != nil {
		return nil, err
	}
	resp, err := t.next.RoundTrip(sent)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if resp.StatusCode == http.StatusForbidden && !wantsMoreScope(resp.Header) {
		return resp, nil
	}
	if err := t.login.Authorize(r.Context(), sent, resp); err != nil {
		return nil, err
	}
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		return nil, errors.New("the request cannot be sent again with another token")
	}
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	if sent, err = t.authorized(r); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(sent)
}

// authorized returns a copy of a request with the token, if there is one.
func (t *roundTripper) authorized(r *http.Request) (*http.Request, error) {
	s := t.login.current(r.Context())
	if s == nil {
		return r, nil
	}
	token, err := s.Token()
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode == invalidGrant {
		return r, nil // the server says how to log in
	}
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token.AccessToken)
	return r, nil
}
