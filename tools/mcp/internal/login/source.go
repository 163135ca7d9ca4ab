package login

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// invalidGrant is the code of an authorization server for a grant that is worth nothing any
// more. After an error of that code the SDK sends a request without a token, and the server
// answers how to log in.
const invalidGrant = "invalid_grant"

// source gives out the token of a grant and renews it.
type source struct {
	login *Login

	mu    sync.Mutex // held while the token is renewed, so that all wait for one request
	grant grant
	since time.Time // when the token was granted to this process; zero if it was stored before
}

// Token returns a token that is not known to have expired.
func (s *source) Token() (*oauth2.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.grant.token(); t.Valid() {
		return t, nil
	}
	// Its users wait for one another, and have no context here.
	if err := s.renew(context.Background()); err != nil {
		return nil, err
	}
	return s.grant.token(), nil
}

// replace is called when the server refuses a token. It reports whether there is another.
func (s *source) replace(ctx context.Context, refused string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.grant.AccessToken != refused {
		return true
	}
	if !s.since.IsZero() && time.Since(s.since) < freshTime {
		return false
	}
	return s.renew(ctx) == nil
}

// renew replaces the token. Another process may have done so already: the store knows.
func (s *source) renew(ctx context.Context) error {
	if stored, ok := s.stored(ctx); ok && stored.AccessToken != s.grant.AccessToken {
		if s.grant = stored; stored.token().Valid() {
			return nil
		}
	}
	token, err := s.fetch(ctx)
	if isInvalidGrant(err) {
		if stored, ok := s.stored(ctx); ok && stored.RefreshToken != s.grant.RefreshToken {
			s.grant = stored
			token, err = s.fetch(ctx)
		}
	}
	if isInvalidGrant(err) {
		s.login.forget(ctx, s, s.grant)
		return err
	}
	if err != nil {
		return explain(err)
	}
	s.grant, s.since = s.grant.with(token), time.Now()
	s.login.save(ctx, s.grant)
	return nil
}

// stored returns the stored grant of the same issuer.
func (s *source) stored(ctx context.Context) (grant, bool) {
	all := s.login.load(ctx)
	return all.of(s.grant.Issuer)
}

// fetch asks the issuer for another token.
func (s *source) fetch(ctx context.Context) (*oauth2.Token, error) {
	if s.grant.RefreshToken == "" {
		return nil, &oauth2.RetrieveError{ErrorCode: invalidGrant, Response: &http.Response{Status: "no refresh token"}}
	}
	config := oauth2.Config{
		ClientID: s.grant.ClientID, ClientSecret: s.grant.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: s.grant.TokenURL, AuthStyle: s.grant.AuthStyle},
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	client := s.login.client(ctx, &metadata{})
	defer client.CloseIdleConnections()
	return config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client), &oauth2.Token{RefreshToken: s.grant.RefreshToken}).Token()
}

func isInvalidGrant(err error) bool {
	var refused *oauth2.RetrieveError
	return errors.As(err, &refused) && refused.ErrorCode == invalidGrant
}
