package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// A URL is an address of the web with one spelling for each thing it names. Its
// host is the target that is decided and, byte for byte, what is dialled.
type URL struct {
	Scheme string // "http" or "https"
	Host   string // a mapped name, or an address without brackets
	Port   uint16 // never 0
	Path   string // escaped, begins with a slash
	Query  string // escaped, without the question mark
}

// ParseURL reads an absolute URL. Its host is mapped: by IDNA, to lower case,
// without a final dot, and every spelling of an IPv4 address to the usual one.
// The fragment is dropped, as it is never sent.
//
// An error is a [*RefusalError]: the URL is malformed or carries a user name, its
// scheme is not http or https, or its host is not public as far as can be told
// without a lookup.
func ParseURL(raw string) (*URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, malformed(raw, parseReason(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		if u.Scheme == "" {
			return nil, malformed(raw, "it has no scheme; begin it with https://")
		}
		return nil, &RefusalError{Target: u.Scheme, Kind: ErrScheme, Reason: "use http or https"}
	}
	switch {
	case u.Hostname() == "":
		return nil, malformed(raw, "it names no host; write it as https://host/path")
	case u.User != nil:
		return nil, malformed(raw, "it names a user before the @; leave that out")
	}
	host, addr, err := mapHost(u.Hostname())
	if err != nil {
		return nil, malformed(raw, err.Error()+"; correct the host")
	}
	if addr.IsValid() {
		err = Judge(addr)
	} else {
		err = judgeName(host)
	}
	if err != nil {
		return nil, err
	}
	port, err := parsePort(u)
	if err != nil {
		return nil, malformed(raw, err.Error())
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return &URL{Scheme: u.Scheme, Host: host, Port: port, Path: path, Query: escapeQuery(u.RawQuery)}, nil
}

// Redirect reads the Location of an answer to u. An error is a [*RefusalError]:
// from https it may not lead to http, and else as ParseURL says.
func (u *URL) Redirect(location string) (*URL, error) {
	base, err := url.Parse(u.String())
	if err != nil {
		return nil, malformed(u.String(), parseReason(err))
	}
	to, err := base.Parse(location)
	if err != nil {
		return nil, malformed(location, parseReason(err))
	}
	next, err := ParseURL(to.String())
	if err != nil {
		return nil, err
	}
	if u.Scheme == "https" && next.Scheme == "http" {
		return nil, &RefusalError{Target: next.String(), Kind: ErrRedirect,
			Reason: fmt.Sprintf("%s redirects to it from https to http; ask for it directly if that is meant", u.Host)}
	}
	return next, nil
}

// String returns u as ParseURL reads it, without the port its scheme implies.
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

func malformed(raw, reason string) error {
	return &RefusalError{Target: raw, Kind: ErrURL, Reason: reason}
}

// parseReason drops from an error of net/url what malformed says anyway.
func parseReason(err error) string {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return shortened(strings.TrimPrefix(err.Error(), "net/url: ")) + "; write it as https://host/path"
}

func parsePort(u *url.URL) (uint16, error) {
	text := u.Port()
	if text == "" {
		return defaultPort(u.Scheme), nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("port %q is not between 1 and 65535", shortened(text))
	}
	return uint16(port), nil
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// escapeQuery escapes what may not stand in a request line. net/url leaves a
// query as it was written.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
