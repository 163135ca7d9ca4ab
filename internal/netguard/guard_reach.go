package netguard

import (
	"errors"
	"fmt"
	"net"
)

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
