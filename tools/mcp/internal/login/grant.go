package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// storeTime is how long a store may take. A host's own could hang.
const storeTime = 10 * time.Second

// A Store keeps bytes for the address of a server. See mcp.TokenStore.
type Store interface {
	Load(ctx context.Context, address string) ([]byte, error)
	Save(ctx context.Context, address string, data []byte) error
}

// A grant is a token of an authorization server, with the client that it was granted to.
// A token is sent nowhere but to the MCP server it is for, and a refresh token nowhere but to
// the token endpoint of the issuer that granted it.
type grant struct {
	Issuer       string           `json:"issuer"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle,omitempty"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"` // of a client that registered itself
	Scopes       []string         `json:"scopes,omitempty"`
	AccessToken  string           `json:"accessToken"`
	RefreshToken string           `json:"refreshToken,omitempty"`
	Expiry       time.Time        `json:"expiry,omitzero"` // zero if it is not known
}

// String keeps tokens out of texts.
func (g grant) String() string { return "grant of " + g.Issuer }

func (g grant) token() *oauth2.Token {
	return &oauth2.Token{AccessToken: g.AccessToken, TokenType: "Bearer", RefreshToken: g.RefreshToken, Expiry: g.Expiry}
}

// with returns the grant with another token.
func (g grant) with(t *oauth2.Token) grant {
	g.AccessToken, g.Expiry = t.AccessToken, t.Expiry
	if t.RefreshToken != "" {
		g.RefreshToken = t.RefreshToken
	}
	return g
}

// grants are those of one server, of each issuer one, the newest first.
type grants struct {
	Address string  `json:"address"`
	Grants  []grant `json:"grants"`
}

// decodeGrants reads the stored grants of an address. A text that is not understood, or is of
// another address, holds no grants.
func decodeGrants(data []byte, address string) grants {
	var all grants
	if json.Unmarshal(data, &all) != nil || all.Address != address {
		all = grants{}
	}
	all.Address = address
	all.Grants = slices.DeleteFunc(all.Grants, func(g grant) bool { return g.AccessToken == "" && g.RefreshToken == "" || g.TokenURL == "" })
	return all
}

// put makes g the newest grant, in place of the one of its issuer.
func (all *grants) put(g grant) {
	others := slices.DeleteFunc(all.Grants, func(o grant) bool { return o.Issuer == g.Issuer })
	all.Grants = append([]grant{g}, others...)
}

// remove removes g, unless there is a newer one of its issuer.
func (all *grants) remove(g grant) {
	all.Grants = slices.DeleteFunc(all.Grants, func(o grant) bool { return o.Issuer == g.Issuer && o.RefreshToken == g.RefreshToken })
}

// of returns the grant of an issuer.
func (all *grants) of(issuer string) (grant, bool) {
	i := slices.IndexFunc(all.Grants, func(g grant) bool { return g.Issuer == issuer })
	if i < 0 {
		return grant{}, false
	}
	return all.Grants[i], true
}

// load returns the stored grants that the configured client can use.
func (l *Login) load(ctx context.Context) grants {
	var data []byte
	err := l.withStore(ctx, func(ctx context.Context) error {
		loaded, err := l.config.Store.Load(ctx, l.address)
		data = loaded
		return err
	})
	if err != nil {
		l.config.Logger.Warn("the tokens of an MCP server cannot be loaded; the user will be asked to log in", "server", l.config.Name, "error", err)
		return grants{Address: l.address}
	}
	all := decodeGrants(data, l.address)
	if own := l.config.OAuth; own.ClientID != "" {
		all.Grants = slices.DeleteFunc(all.Grants, func(g grant) bool { return g.ClientID != own.ClientID && g.ClientID != own.ClientMetadataURL })
		for i, g := range all.Grants {
			if g.ClientID == own.ClientID {
				all.Grants[i].ClientSecret = own.ClientSecret
			}
		}
	}
	return all
}

// save keeps a grant. Without a place to keep it, it lasts as long as the process.
func (l *Login) save(ctx context.Context, g grant) {
	l.change(ctx, func(all *grants) { all.put(g) })
}

// change changes the stored grants.
func (l *Login) change(ctx context.Context, change func(*grants)) {
	ctx = context.WithoutCancel(ctx)
	all := l.load(ctx)
	change(&all)
	var data []byte
	if len(all.Grants) > 0 {
		for i, g := range all.Grants {
			if g.ClientID == l.config.OAuth.ClientID {
				all.Grants[i].ClientSecret = "" // it is in the configuration
			}
		}
		data, _ = json.MarshalIndent(all, "", "\t") // strings and times: it cannot fail
	}
	err := l.withStore(ctx, func(ctx context.Context) error { return l.config.Store.Save(ctx, l.address, data) })
	if err != nil {
		l.config.Logger.Warn("the tokens of an MCP server cannot be saved; the user must log in again after a restart", "server", l.config.Name, "error", err)
	}
}

// withStore calls the store, which may be the host's own: it may panic or hang.
func (l *Login) withStore(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, storeTime, fmt.Errorf("the token store took longer than %v", storeTime))
	defer cancel()
	var err error
	done := goroutine.Go(func() { err = f(ctx) })
	select {
	case panicked := <-done:
		if panicked != nil {
			return panicked
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

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
