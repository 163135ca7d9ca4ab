package login

import (
	"context"
	"net/http"
	"sync/atomic"

	"golang.org/x/oauth2"
)

// handler is the authorization of one connection. After the server has refused a request for
// want of a login, no more are sent: the SDK would take the refusal of its first request for
// a sign of an older server, and the error of the next for the reason.
type handler struct {
	*Login
	refused atomic.Pointer[error]
}

// TokenSource is that of the Login, until the server has refused a request.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if refused := h.refused.Load(); refused != nil {
		return nil, *refused
	}
	return h.Login.TokenSource(ctx)
}

// Authorize is that of the Login.
func (h *handler) Authorize(ctx context.Context, r *http.Request, resp *http.Response) error {
	err := h.Login.Authorize(ctx, r, resp)
	if err != nil && resp.StatusCode == http.StatusUnauthorized {
		h.refused.Store(&err)
	}
	return err
}
