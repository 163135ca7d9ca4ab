package netguard

import (
	"context"
	"fmt"
	"net"
	"net/url"
)

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
