package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

const (
	maxRedirects     = 10
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 30 * time.Second
)

// variables are those in the headers of a hook: $NAME and ${NAME}.
var variables = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)

// respond sends a request and reads the answer.
func (r *Runner) respond(request *http.Request) (output, error) {
	response, err := r.client().Do(request)
	if err != nil {
		return output{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxStdout+1))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return output{failure: fmt.Errorf("%w: status %s", errCode, response.Status)}, nil
	}
	out := output{stdout: body, json: true, broken: err}
	if len(body) > maxStdout {
		out.stdout, out.cut = body[:maxStdout], true
	}
	return out, nil
}

// client returns the client of http hooks. It sends a payload on to no other host, and not
// without its body.
func (r *Runner) client() *http.Client {
	client := r.http
	if given := r.options.HTTP; given != nil {
		client = *given
	}
	theirs := client.CheckRedirect
	client.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		case request.URL.Scheme != first.Scheme || !strings.EqualFold(request.URL.Host, first.Host):
			return errors.New("it redirects to another host")
		case request.Method != http.MethodPost:
			return errors.New("it redirects in a way that drops the payload; answer with status 307 or 308")
		}
		if err := r.allowedURL(request.URL.String()); err != nil {
			return err
		}
		if theirs != nil {
			return theirs(request, via)
		}
		return nil
	}
	return &client
}

// newClient returns the client that is used if the host gives none.
func newClient() http.Client {
	return http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		TLSHandshakeTimeout: handshakeTimeout, IdleConnTimeout: idleTimeout, MaxIdleConns: maxParallel,
	}}
}

// allowedURL returns why hooks may not post to an address.
func (r *Runner) allowedURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("the address is no URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("the address is no http or https URL")
	case r.options.AllowedURLs == nil:
		return nil
	}
	for _, allowed := range r.options.AllowedURLs {
		if u.User == nil && pattern.URL(allowed, u) {
			return nil
		}
	}
	return errors.New("allowedHttpHookUrls does not hold the address")
}

// header returns a header of a hook with the variables that it may hold. All others are empty.
func (r *Runner) header(h *Handler, value string) string {
	return variables.ReplaceAllStringFunc(value, func(match string) string {
		name := strings.Trim(match, "${}")
		allowed := slices.Contains(h.AllowedEnvVars, name) && (r.options.AllowedVars == nil || slices.Contains(r.options.AllowedVars, name))
		if !allowed {
			return ""
		}
		if value, ok := r.options.Env[name]; ok {
			return value
		}
		return os.Getenv(name)
	})
}

// post sends the payload to the address of a hook.
func (o *occasion) post(ctx context.Context, h *Handler) output {
	if err := o.runner.allowedURL(h.URL); err != nil {
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(o.payload))
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errNoStart, err)}
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		request.Header.Set(name, o.runner.header(h, value))
	}
	patient, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { // so that respond can return the part of a late answer that has come
		time.AfterFunc(hostPatience, func() { stop(context.Cause(ctx)) })
	})()
	out, err := hostCall(patient, func() (output, error) { return o.runner.respond(request) })
	if err == nil {
		err = out.broken
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		out.failure = fmt.Errorf("%w: %w", errRefused, err)
	}
	return out
}
