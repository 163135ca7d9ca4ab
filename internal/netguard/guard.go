// Package netguard restricts web requests to the public internet, and to the hosts and
// ports that the program names. It maps every host to
// one spelling before the permission rules see it, checks every address before it is
// dialled, and dials only the checked addresses.
package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// lookupTimeout is how long Guard waits for the addresses of a host.
	lookupTimeout = 10 * time.Second
	// dialTimeout is how long Guard waits for one address before it tries the next.
	dialTimeout = 10 * time.Second
	// connectTimeout is how long a lookup and all dials for one connection take. A client
	// goes on dialling after its request has ended.
	connectTimeout = 25 * time.Second
)

// A Resolver looks up the addresses of a host, as [net.Resolver] does. A host that a URL
// names ends in a dot, so that no search domain is tried. A name of Reach or Proxy has no
// dot at its end.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Guard connects to permitted public hosts. Its fields must not change once it is in
// use; its methods may be called from any goroutine.
type Guard struct {
	// Check returns an error if a mapped host may not be reached. Client calls it before
	// every request and every redirect, before the host is looked up. With a nil Check no
	// host may be reached.
	Check func(ctx context.Context, host string) error
	// MaxHops limits the redirects that Client follows for one request; 0 means HopLimit,
	// and a negative number means that it follows none.
	MaxHops int
	// Follow reports whether Client follows a redirect. Both URLs are mapped, and to may be
	// reached as far as its text tells. If Follow returns false, the client's error contains
	// a [*RefusalError] of kind ErrRedirect whose Target is the whole text of to. A nil
	// Follow follows every redirect.
	Follow func(from, to *URL) bool
	// Reach names hosts that need not be public, each with its port, such as
	// "127.0.0.1:8080". Only these pairs are exempt, not the addresses to which another name
	// resolves, nor other ports. Check is called for them as for any host. Validate returns
	// an error for a malformed pair, which exempts nothing.
	Reach []string
	// Proxy is the URL of a proxy with the scheme http, https or socks5, which may contain
	// the user and password for it. The proxy itself need not be public and is not checked.
	// Client sends all requests through it but those to Reach. The text of their hosts is
	// judged as without a proxy. Their addresses are not, since the proxy looks them up.
	Proxy *url.URL
	// HeaderTimeout limits the time from the end of a request of Client to the header of
	// its response; 0 means no limit.
	HeaderTimeout time.Duration

	Resolver Resolver // nil means net.DefaultResolver
	// Dial connects to an address and port, never to a host name; nil means a zero
	// net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // of Client; nil means the defaults
}

// Resolve returns the addresses of u's host, at least one. If any of them is not public,
// the error wraps a [*RefusalError], since a name with one private address is not trusted
// with its public ones. The addresses of a pair of Reach are not checked. Resolve does not
// call Check and uses no Proxy.
func (g *Guard) Resolve(ctx context.Context, u *URL) ([]netip.Addr, error) {
	return g.resolve(ctx, u.Host, u.Port)
}

func (g *Guard) resolve(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	name, addr, err := mapHost(host)
	if err != nil {
		return nil, malformedError(host, err.Error()+"; correct the host")
	}
	if g.reaches(name, port) {
		return g.lookUp(ctx, name, addr)
	}
	if err := judge(name, addr); err != nil {
		return nil, err
	}
	query := name
	if !addr.IsValid() {
		query += "."
	}
	addrs, err := g.lookUp(ctx, query, addr)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		if err := CheckAddress(addr); err != nil {
			return nil, fmt.Errorf("an address of %s: %w", name, err)
		}
	}
	return addrs, nil
}

// lookUp returns the addresses of a mapped name, or addr if the name is an address. It
// judges none of them.
func (g *Guard) lookUp(ctx context.Context, name string, addr netip.Addr) ([]netip.Addr, error) {
	if addr.IsValid() {
		return []netip.Addr{addr}, nil
	}
	var resolver Resolver = net.DefaultResolver
	if g.Resolver != nil {
		resolver = g.Resolver
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := resolver.LookupNetIP(ctx, "ip", name)
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	for _, addr := range found {
		if addr = addr.Unmap(); !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("%s has no address", strings.TrimSuffix(name, "."))
	}
	return addrs, nil
}

// DialContext connects to a host and port over "tcp", "tcp4" or "tcp6". It looks the host
// up once, checks all addresses as Resolve does, and tries them in turn, for 25 s in all.
// It is made for the DialContext of an [net/http.Transport]. It does not call Check and
// uses no Proxy.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolve(ctx, host, port)
	if err != nil {
		return nil, err
	}
	return g.dialAny(ctx, network, addrs, port)
}

// dialAny connects to the first of addrs that answers.
func (g *Guard) dialAny(ctx context.Context, network string, addrs []netip.Addr, port uint16) (net.Conn, error) {
	addrs, err := filterFamily(addrs, network)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, addr := range addrs {
		conn, err := g.dial(ctx, network, netip.AddrPortFrom(addr, port))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failed...)
}

func (g *Guard) dial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if g.Dial != nil {
		return g.Dial(ctx, network, to.String())
	}
	return new(net.Dialer).DialContext(ctx, network, to.String())
}

// filterFamily returns the addresses that can be dialled over network.
func filterFamily(addrs []netip.Addr, network string) ([]netip.Addr, error) {
	var fit []netip.Addr
	for _, addr := range addrs {
		switch {
		case network == "tcp", network == "tcp4" && addr.Is4(), network == "tcp6" && addr.Is6():
			fit = append(fit, addr)
		}
	}
	if len(fit) == 0 {
		return nil, fmt.Errorf("no address of %v can be dialled over %s", addrs, network)
	}
	return fit, nil
}

// checkProxy returns nil for the URL of a proxy that can be used, and for nil.
func checkProxy(proxy *url.URL) error {
	switch {
	case proxy == nil:
		return nil
	case proxy.Scheme != "http" && proxy.Scheme != "https" && proxy.Scheme != "socks5":
		return fmt.Errorf("the proxy has the scheme %q; use http, https or socks5", truncate(proxy.Scheme))
	}
	if _, _, err := mapHost(proxy.Hostname()); err != nil {
		return fmt.Errorf("the proxy cannot be used: %w", err)
	}
	return nil
}

// dialProxy connects to the proxy, whose addresses the program answers for.
func (g *Guard) dialProxy(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	name, addr, err := mapHost(host)
	if err != nil {
		return nil, err
	}
	addrs, err := g.lookUp(ctx, name, addr)
	if err != nil {
		return nil, err
	}
	return g.dialAny(ctx, network, addrs, port)
}

// Reaches reports whether u's host and port are a pair of Reach.
func (g *Guard) Reaches(u *URL) bool { return g.reaches(u.Host, u.Port) }

// reaches takes a mapped host.
func (g *Guard) reaches(host string, port uint16) bool {
	for _, pair := range g.Reach {
		name, to, err := parsePair(pair)
		if err == nil && name == host && to == port {
			return true
		}
	}
	return false
}

// Validate returns an error if a pair of Reach is not a host with a port, or if Proxy has
// no host or a scheme other than http, https and socks5. Its text contains no password.
func (g *Guard) Validate() error {
	for _, pair := range g.Reach {
		if _, _, err := parsePair(pair); err != nil {
			return fmt.Errorf("%q is no host with a port that can be reached: %w", truncate(pair), err)
		}
	}
	return checkProxy(g.Proxy)
}

// parsePair returns the mapped host and the port of a pair of Reach.
func parsePair(pair string) (host string, port uint16, err error) {
	host, port, err = splitAddress(pair)
	if err != nil {
		return "", 0, errors.New(`write it as host:port, such as "127.0.0.1:8080"`)
	}
	name, addr, err := mapHost(host)
	if err != nil {
		return "", 0, err
	}
	if addr.Zone() != "" {
		return "", 0, errors.New("an address with a zone cannot be written in a URL of the web")
	}
	return name, port, nil
}

// splitAddress splits a host, which may be empty, from a port.
func splitAddress(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = toPort(text)
	return host, port, err
}

// ParseURL parses a URL as the function [ParseURL] does, and also accepts the pairs of
// Reach.
func (g *Guard) ParseURL(raw string) (*URL, error) {
	u, addr, err := parseURL(raw)
	if err != nil {
		return nil, err
	}
	if g.Reaches(u) {
		return u, nil
	}
	if err := judge(u.Host, addr); err != nil {
		return nil, err
	}
	return u, nil
}

// Redirect parses the Location of a response to from. An error is a [*RefusalError]: a
// redirect from https to http, or an error of ParseURL. Redirect calls neither Check nor
// Follow.
func (g *Guard) Redirect(from *URL, location string) (*URL, error) {
	base, err := url.Parse(from.String())
	if err != nil {
		return nil, malformedError(from.String(), parseProblem(err))
	}
	to, err := base.Parse(location)
	if err != nil {
		return nil, malformedError(location, parseProblem(err))
	}
	next, err := g.ParseURL(to.String())
	if err != nil {
		return nil, err
	}
	if from.Scheme == "https" && next.Scheme == "http" {
		return nil, &RefusalError{Target: next.String(), Kind: ErrRedirect,
			Reason: fmt.Sprintf("%s redirects to it from https to http; ask for it directly if that is meant", from.Host)}
	}
	return next, nil
}
