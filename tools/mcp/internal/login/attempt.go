package login

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A User is who logs in. One of the funcs is set.
type User struct {
	// Show shows an address to open. It returns nil when the user has opened it, and else
	// why not. Its context ends when the browser has come back.
	Show func(ctx context.Context, address string) error
	// Lead shows an address and returns the one that the browser was led back to.
	Lead func(ctx context.Context, address string) (callback string, err error)
}

// attempt is one login.
type attempt struct {
	login    *Login
	user     User
	refused  refusal
	callback *callback // nil if the host waits for the browser
	redirect string    // where the browser is led back to
	client   *http.Client
	metadata metadata
	granted  grant // at the end
}

func newAttempt(ctx context.Context, l *Login, u User) (*attempt, error) {
	if strings.HasPrefix(l.address, "http:") && isPublic(ctx, l.address) {
		return nil, errors.New("the server is reached over http, and its tokens could be read on the way; it must have an https address")
	}
	a := &attempt{login: l, user: u, refused: l.lastRefusal()}
	port := l.config.OAuth.CallbackPort
	back, err := listen(ctx, port)
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	// A client that was registered by hand knows the machine by its name; others are told
	// the address, which cannot lead elsewhere.
	host := "127.0.0.1"
	if port != 0 {
		host = "localhost"
	}
	a.redirect = "http://" + net.JoinHostPort(host, strconv.Itoa(back.port)) + callbackPath
	if u.Lead != nil {
		back.close()
	} else {
		a.callback = back
	}
	a.client = l.client(ctx, &a.metadata)
	return a, nil
}

func (a *attempt) end() {
	if a.callback != nil {
		a.callback.close()
	}
	a.client.CloseIdleConnections()
}

// config returns the configuration of the SDK's flow.
func (a *attempt) config(ctx context.Context) *auth.AuthorizationCodeHandlerConfig {
	own := a.login.config.OAuth
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: a.redirect, AuthorizationCodeFetcher: a.fetchCode, Client: a.client,
		RequestRefreshToken: true, NewTokenSource: a.takeToken,
		ScopeFilter: func(found []string) []string { return a.scopes(ctx, found) },
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "pegboard", RedirectURIs: []string{a.redirect}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
	}
	if own.ClientMetadataURL != "" {
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: own.ClientMetadataURL}
	}
	if own.ClientID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: own.ClientID}
		if own.ClientSecret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: own.ClientSecret}
		}
	}
	return c
}

// scopes returns the scopes to request. If the server wants more than was granted, the granted
// ones are requested as well.
func (a *attempt) scopes(ctx context.Context, found []string) []string {
	scopes := slices.Clone(found)
	if own := a.login.config.OAuth.Scopes; len(own) > 0 {
		scopes = slices.Clone(own)
	}
	if a.refused.status != http.StatusForbidden {
		return scopes
	}
	scopes = append(scopes, found...)
	if stored := a.login.load(ctx); len(stored.Grants) > 0 {
		scopes = append(scopes, stored.Grants[0].Scopes...)
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// takeToken is called by the SDK with the first token.
func (a *attempt) takeToken(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	scopes := c.Scopes
	if granted, ok := t.Extra("scope").(string); ok && granted != "" {
		scopes = strings.Fields(granted)
	}
	style := c.Endpoint.AuthStyle
	if c.ClientSecret == "" && style == oauth2.AuthStyleAutoDetect {
		style = oauth2.AuthStyleInParams // without a secret there is no other way
	}
	a.granted = grant{
		Issuer: a.metadata.issuer(c.Endpoint.TokenURL), TokenURL: c.Endpoint.TokenURL, AuthStyle: style,
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: scopes,
		AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, Expiry: t.Expiry,
	}
	return oauth2.StaticTokenSource(t), nil
}

// fetchCode leads the user to an address and returns the code that the browser brings back.
func (a *attempt) fetchCode(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	address, err := url.Parse(args.URL)
	if err != nil {
		return nil, err
	}
	ownMachine := net.ParseIP(address.Hostname()).IsLoopback() || address.Hostname() == "localhost"
	if address.Scheme != "https" && (address.Scheme != "http" || !ownMachine) {
		return nil, errors.New("the address to log in at must begin with https://, or with http:// for this machine")
	}
	var came url.Values
	if a.user.Lead != nil {
		came, err = a.lead(ctx, args.URL)
	} else {
		came, err = a.show(ctx, args.URL, address.Query().Get("state"))
	}
	if err != nil {
		return nil, err
	}
	if code := came.Get("error"); code != "" {
		return nil, fmt.Errorf("%w: %s", ErrDeclined, describe(code, came.Get("error_description")))
	}
	return &auth.AuthorizationResult{Code: came.Get("code"), State: came.Get("state"), Iss: came.Get("iss")}, nil
}

// lead has the host lead the user.
func (a *attempt) lead(ctx context.Context, address string) (url.Values, error) {
	var callback string
	var err error
	done := goroutine.Go(func() { callback, err = a.user.Lead(ctx, address) })
	select {
	case panicked := <-done:
		if panicked != nil {
			return nil, panicked
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(callback)
	if err != nil {
		return nil, errors.New("the address that the browser was led back to cannot be read")
	}
	return u.Query(), nil
}

// show shows the address and waits for the browser.
func (a *attempt) show(ctx context.Context, address, state string) (url.Values, error) {
	came := a.callback.expect(state)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	shown := goroutine.Go(func() { err = a.user.Show(ctx, address) })
	for {
		select {
		case values := <-came:
			cancel()
			if shown != nil {
				<-shown // the form is taken away before another can be shown
			}
			return values, nil
		case panicked := <-shown:
			if panicked != nil {
				return nil, panicked
			}
			if err != nil {
				return nil, err
			}
			shown = nil // the user has opened it
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
