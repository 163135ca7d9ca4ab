package web

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Client returns an HTTP client for one call of a tool of the host's own. It sends requests as base
// does, over its connections; nil means [http.DefaultClient]. Before each request, the first and that
// of every redirect, the call is checked for the host, see [pegboard.Call.Check]: a rule that denies
// it ends the request. [errors.Is] finds [pegboard.ErrDenied] in the client's error.
//
// Unlike [Fetch] it reaches private addresses, too, since the program chooses where its tool goes.
func Client(c *pegboard.Call, base *http.Client) *http.Client {
	client := *cmp.Or(base, http.DefaultClient)
	through := client.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	client.Transport = &callTransport{c, through}
	return &client
}

// A callTransport sends requests for whose host a call was checked.
type callTransport struct {
	call    *pegboard.Call
	through http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *callTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.check(req); err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close())
		}
		return nil, err
	}
	return t.through.RoundTrip(req)
}

func (t *callTransport) check(req *http.Request) error {
	host, problem := pattern.CanonicalHost(req.URL.Hostname())
	if problem != "" {
		return errors.New("the host of the address is none: " + problem)
	}
	target := policy.Target{Kind: policy.Host, Value: host}
	if req.Method == "" || req.Method == http.MethodGet || req.Method == http.MethodHead {
		target.Access = policy.Read
	}
	return t.call.Check(req.Context(), target)
}
