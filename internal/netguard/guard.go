// Package netguard restricts web requests to the public internet. It maps every host to
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
	"slices"
	"strconv"
	"time"
)

// dialTimeout is how long Guard waits for one address before it tries the next.
const dialTimeout = 10 * time.Second

// A Resolver looks up the addresses of a host, as [net.Resolver] does. The host ends in a
// dot, so that no search domain is tried.
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

	Resolver Resolver // nil means net.DefaultResolver
	// Dial connects to an address and port, never to a host name; nil means a zero
	// net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // of Client; nil means the defaults
}

// Resolve returns the addresses of u's host, at least one. If any of them is not public,
// the error wraps a [*RefusalError], since a name with one private address is not trusted
// with its public ones. Resolve does not call Check.
func (g *Guard) Resolve(ctx context.Context, u *URL) ([]netip.Addr, error) {
	return g.resolve(ctx, u.Host)
}

func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	name, addr, err := mapHost(host)
	if err != nil {
		return nil, malformedError(host, err.Error()+"; correct the host")
	}
	if addr.IsValid() {
		if err := CheckAddress(addr); err != nil {
			return nil, err
		}
		return []netip.Addr{addr}, nil
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	var resolver Resolver = net.DefaultResolver
	if g.Resolver != nil {
		resolver = g.Resolver
	}
	found, err := resolver.LookupNetIP(ctx, "ip", name+".")
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	for _, addr := range found {
		if err := CheckAddress(addr); err != nil {
			return nil, fmt.Errorf("an address of %s: %w", name, err)
		}
		if addr = addr.Unmap(); !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("%s has no address", name)
	}
	return addrs, nil
}

// DialContext connects to a host and port over "tcp", "tcp4" or "tcp6". It looks the host
// up once, checks all addresses as Resolve does, and tries them in turn. It is made for
// the DialContext of an [net/http.Transport], and does not call Check.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	addrs, err = filterFamily(addrs, network)
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

func splitAddress(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("port %q is not between 1 and 65535", text)
	}
	return host, uint16(n), nil
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
