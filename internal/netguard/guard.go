// Package netguard keeps requests to the web on the public internet. It gives
// every host one spelling before it is decided, judges every address before it
// is dialled, and dials what was judged and nothing else.
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

// dialTimeout is how long one address may take before the next is tried.
const dialTimeout = 10 * time.Second

// A Resolver looks up the addresses of a host, as [net.Resolver] does. The host
// ends in a dot, so that no search domain is tried.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Guard reaches public hosts that may be reached. Its fields must not change
// once it is in use; its methods may be used concurrently.
type Guard struct {
	// Check decides whether a mapped host may be reached. Client asks it
	// before every request and every redirect, before anything is looked up.
	// With nil, no host may.
	Check func(ctx context.Context, host string) error
	// MaxHops is how many redirects Client follows for one request; 0 means
	// HopLimit, and a negative number means none.
	MaxHops int

	Resolver Resolver // nil means net.DefaultResolver
	// Dial connects to an address and port; nil means a zero net.Dialer. It
	// never sees a host name.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // of Client; nil means the defaults
}

// Resolve returns the addresses of u's host, at least one. If any of them is not
// public the error wraps a [*RefusalError]: a name with one private address is
// not trusted with its public ones. Resolve does not call Check.
func (g *Guard) Resolve(ctx context.Context, u *URL) ([]netip.Addr, error) {
	return g.resolve(ctx, u.Host)
}

func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	name, addr, err := mapHost(host)
	if err != nil {
		return nil, malformed(host, err.Error()+"; correct the host")
	}
	if addr.IsValid() {
		if err := Judge(addr); err != nil {
			return nil, err
		}
		return []netip.Addr{addr}, nil
	}
	if err := judgeName(name); err != nil {
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
		if err := Judge(addr); err != nil {
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

// DialContext connects to a host and port over "tcp", "tcp4" or "tcp6". It looks
// the host up, judges all answers as Resolve does, and tries them in turn; there
// is no second lookup in which they could change. It serves as the DialContext
// of an [net/http.Transport], and does not call Check.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	addrs, err = ofFamily(addrs, network)
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

// ofFamily returns the addresses that can be dialled over network.
func ofFamily(addrs []netip.Addr, network string) ([]netip.Addr, error) {
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
