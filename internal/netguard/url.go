package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A URL is a web address in one canonical spelling. Its host is the target of permission
// rules and, byte for byte, the host that is dialled.
type URL struct {
	Scheme string // "http" or "https"
	Host   string // a mapped name, or an address without brackets
	Port   uint16 // never 0
	Path   string // escaped, begins with a slash
	Query  string // escaped, without the question mark
}

// ParseURL parses an absolute URL and maps its host: by IDNA, to lower case, without a
// final dot, and every spelling of an IPv4 address to the usual one. It drops the
// fragment, which is never sent.
//
// An error is a [*RefusalError]: the URL is malformed or contains a user name, its scheme
// is not http or https, or its host is certainly not public without a lookup.
func ParseURL(raw string) (*URL, error) {
	return new(Guard).ParseURL(raw)
}

// parseURL maps a URL and does not judge its host. If the host is an address, addr is that
// address.
func parseURL(raw string) (to *URL, addr netip.Addr, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, addr, malformedError(raw, parseProblem(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		if u.Scheme == "" {
			return nil, addr, malformedError(raw, "it has no scheme; begin it with https://")
		}
		reason := "use http or https"
		if u.Scheme == "file" {
			reason += "; a file of this machine is read with a tool for files, by its path"
		}
		return nil, addr, &RefusalError{Target: u.Scheme, Kind: ErrScheme, Reason: reason}
	}
	switch {
	case u.Hostname() == "":
		return nil, addr, malformedError(raw, "it names no host; write it as https://host/path")
	case u.User != nil:
		return nil, addr, malformedError(raw, "it names a user before the @; leave that out")
	}
	host, addr, err := mapHost(u.Hostname())
	if err != nil {
		return nil, addr, malformedError(raw, err.Error()+"; correct the host")
	}
	port := defaultPort(u.Scheme)
	if text := u.Port(); text != "" {
		if port, err = toPort(text); err != nil {
			return nil, addr, malformedError(raw, err.Error())
		}
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return &URL{Scheme: u.Scheme, Host: host, Port: port, Path: path, Query: escapeQuery(u.RawQuery)}, addr, nil
}

// String returns u in a form that ParseURL accepts, without the default port of its
// scheme.
func (u *URL) String() string {
	host := u.Host
	if u.Port != defaultPort(u.Scheme) {
		host = net.JoinHostPort(host, strconv.Itoa(int(u.Port)))
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	text := u.Scheme + "://" + host + u.Path
	if u.Query != "" {
		text += "?" + u.Query
	}
	return text
}

func malformedError(raw, reason string) error {
	return &RefusalError{Target: raw, Kind: ErrURL, Reason: reason}
}

// parseProblem returns the text of an error of net/url without the parts that
// malformedError adds.
func parseProblem(err error) string {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return truncate(strings.TrimPrefix(err.Error(), "net/url: ")) + "; write it as https://host/path"
}

func toPort(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("port %q is not between 1 and 65535", truncate(text))
	}
	return uint16(port), nil
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// escapeQuery escapes the characters that a query must not contain: net/url leaves a query
// unchanged.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// The kinds of a [RefusalError].
var (
	ErrURL       = errors.New("not a usable URL")
	ErrScheme    = errors.New("not a scheme of the web")
	ErrNotPublic = errors.New("not public")
	ErrRedirect  = errors.New("not followed")
)

// maxTarget is how many bytes of its input an error repeats.
const maxTarget = 200

// A RefusalError says that no request is made, whatever the permission rules and the mode
// are. Its text is for the model.
type RefusalError struct {
	Target string // refused URL, scheme, host or address
	Kind   error  // ErrURL, ErrScheme, ErrNotPublic or ErrRedirect
	Reason string // the problem of Target, and an alternative
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("%q is %v: %s", truncate(e.Target), e.Kind, e.Reason)
}

// Unwrap returns e.Kind.
func (e *RefusalError) Unwrap() error { return e.Kind }

func truncate(text string) string {
	if len(text) > maxTarget {
		return strings.ToValidUTF8(text[:maxTarget], "") + "..."
	}
	return text
}
