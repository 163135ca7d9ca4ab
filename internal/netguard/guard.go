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
	// judged as without a proxy. What a name resolves to is not, since the proxy looks it up.
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
