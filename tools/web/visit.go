package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// visit is what one call asks of the network. The context of its request carries it.
type visit struct {
	fetch    *fetch
	call     *pegboard.Call
	redirect string // address that is reported instead of followed; set by the client
	asked    bool   // the user has allowed the host while the call ran
}

type visitKey struct{}

// checkHost decides a host that is about to be asked, on behalf of the call in ctx.
func checkHost(ctx context.Context, host string) error {
	v, ok := ctx.Value(visitKey{}).(*visit)
	if !ok {
		return errors.New("no call asks for it")
	}
	target := policy.Target{Kind: policy.Host, Access: policy.Read, Value: host}
	if v.call.Filter(target) {
		return nil
	}
	if slices.ContainsFunc(v.call.Targets(), func(t policy.Target) bool { return t.Kind == policy.Host && t.Value == host }) {
		return v.checkOwn(ctx, target)
	}
	return v.call.Check(ctx, target)
}

// checkOwn decides the host of the call itself, which was decided before the call ran, once more:
// the permissions may have changed since. A user who allowed it is not asked again.
func (v *visit) checkOwn(ctx context.Context, target policy.Target) error {
	now := v.call.Pool().Decide(ctx, *v.call)
	if now.Behavior == policy.Deny && now.By == policy.ByRule {
		return fmt.Errorf("%w: %s", pegboard.ErrDenied, now.Reason)
	}
	before := v.call.Decision()
	byRules := before.Behavior == policy.Allow && (before.By == policy.ByRule || before.By == policy.ByMode || before.By == policy.ByDefault)
	if v.asked || !byRules {
		return nil
	}
	err := v.call.Check(ctx, target)
	v.asked = err == nil
	return err
}

// allows decides an address that the call leads to, whether or not it is asked for. It returns
// false for one that only another call may ask for: the call was allowed for the sake of its
// path, and this is another.
func (v *visit) allows(u *netguard.URL) (bool, error) {
	if v.call.Decision().By == policy.ByTool && !v.fetch.preapproved.match(u) {
		return false, nil
	}
	if allow := v.fetch.options.Allow; allow != nil {
		if err := allow(u.String()); err != nil {
			return false, &notAllowedError{url: u.String(), err: err}
		}
	}
	return true, nil
}

// checkRedirect returns the CheckRedirect of a client, where guarded is that of its guard.
func (f *fetch) checkRedirect(guarded func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		v, _ := req.Context().Value(visitKey{}).(*visit)
		refused := guarded(req, via)
		if refused != nil && !errors.Is(refused, netguard.ErrRedirect) {
			return &redirectError{from: via[len(via)-1].URL.String(), err: refused}
		}
		to, err := f.mapper.ParseURL(req.URL.String())
		if err != nil || v == nil {
			return errors.Join(refused, err)
		}
		from, err := f.mapper.ParseURL(via[len(via)-1].URL.String())
		if err != nil {
			return err
		}
		if errors.Is(refused, netguard.ErrRedirect) && from.Host != to.Host {
			v.redirect = to.String()
			return http.ErrUseLastResponse
		}
		if refused != nil {
			return refused
		}
		if to.Scheme == "http" && !f.mapper.Reaches(to) { // from a pair of Reach
			v.redirect = to.String()
			return http.ErrUseLastResponse
		}
		followed, err := v.allows(to)
		if err == nil && !followed {
			v.redirect, err = to.String(), http.ErrUseLastResponse
		}
		req.Header.Del("If-None-Match") // they are about the first address
		req.Header.Del("If-Modified-Since")
		return err
	}
}

// redirectError says that a page redirects to an address that is refused.
type redirectError struct {
	from string
	err  error
}

func (e *redirectError) Error() string {
	return shortened(e.from) + " redirects to an address that cannot be fetched: " + e.err.Error()
}

func (e *redirectError) Unwrap() error { return e.err }

// notAllowedError says that FetchOptions.Allow refuses an address.
type notAllowedError struct {
	url string
	err error
}

func (e *notAllowedError) Error() string {
	return shortened(e.url) + " is not to be fetched: " + e.err.Error()
}

func (e *notAllowedError) Unwrap() error { return e.err }
