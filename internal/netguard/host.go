package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"

	"github.com/seed49eaa51d/pegboard/internal/ipv4"
)

// Limits of DNS, in bytes.
const (
	maxLabel = 63
	maxName  = 253
)

// maxSpelling bounds a host before it is mapped, in bytes: the longest name with each of
// its characters in another form of four bytes. Mapping takes time that grows with the
// square of the length.
const maxSpelling = 4 * maxName

// localNames are domains that belong to the local network or machine, with all names below
// them.
var localNames = []string{"localhost", "localdomain", "local", "internal", "home.arpa"}

// mapHost maps a host to the one spelling under which it is checked and dialled. A name is
// in lower-case ASCII without a final dot. If a resolver would read the host as an
// address, addr is that address.
func mapHost(host string) (name string, addr netip.Addr, err error) {
	if len(host) > maxSpelling {
		return "", netip.Addr{}, fmt.Errorf("the host is longer than %d bytes", maxName)
	}
	if strings.Contains(host, ":") {
		addr, err = netip.ParseAddr(host)
		if err != nil {
			return "", netip.Addr{}, errors.New("the host is not an IPv6 address")
		}
		addr = addr.Unmap()
		return addr.String(), addr, nil
	}
	name, err = mapName(host)
	if err != nil {
		return "", netip.Addr{}, err
	}
	if ipv4.IsMeant(name) {
		addr, ok := ipv4.Parse(name)
		if !ok {
			return "", netip.Addr{}, fmt.Errorf("the host %q is neither a name nor an IPv4 address", name)
		}
		return addr.String(), addr, nil
	}
	return name, netip.Addr{}, nil
}

// mapName maps a name as net/http does, but returns an error where net/http dials the
// unmapped host.
func mapName(host string) (string, error) {
	name := strings.ToLower(host)
	if !isASCII(host) {
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errors.New("the host is not a domain name")
		}
		name = mapped
	}
	name = strings.TrimSuffix(name, ".")
	if len(name) > maxName {
		return "", fmt.Errorf("the host is longer than %d bytes", maxName)
	}
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return "", errors.New("the host is not a domain name")
		}
	}
	return name, nil
}

// isLabel reports whether a label of a mapped name can be looked up. It accepts
// underscores, and hyphens anywhere, which host names must not have but do in practice.
func isLabel(label string) bool {
	if label == "" || len(label) > maxLabel {
		return false
	}
	for i := range len(label) {
		c := label[i]
		if (c < 'a' || c > 'z') && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	if strings.HasPrefix(label, "xn--") {
		mapped, err := idna.Lookup.ToASCII(label)
		return err == nil && mapped == label
	}
	return true
}

// judge refuses a mapped host that is certainly not public without a lookup. If the host
// is an address, addr is that address.
func judge(name string, addr netip.Addr) error {
	if addr.IsValid() {
		return CheckAddress(addr)
	}
	return checkName(name)
}

// checkName refuses a mapped name that belongs to this machine or the local network.
func checkName(name string) error {
	for _, local := range localNames {
		if name == local || strings.HasSuffix(name, "."+local) {
			return &RefusalError{Target: name, Kind: ErrNotPublic,
				Reason: fmt.Sprintf("names under %q belong to this machine or network%s", local, advice)}
		}
	}
	if !strings.Contains(name, ".") {
		return &RefusalError{Target: name, Kind: ErrNotPublic,
			Reason: "a name without a dot belongs to the local network" + advice}
	}
	return nil
}

// MapPattern maps the host of a permission rule as [ParseURL] maps the host of a URL, so
// that the two can be compared byte by byte. Labels with a "*" are only lower-cased. It
// fails if no host can ever match.
func MapPattern(pattern string) (string, error) {
	if !strings.Contains(pattern, "*") {
		name, _, err := mapHost(pattern)
		return name, err
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(pattern), "."), ".")
	for i, label := range labels {
		if strings.Contains(label, "*") && isASCII(label) {
			continue
		}
		mapped, err := mapName(label) // fails on a "*"
		if err != nil {
			return "", err
		}
		labels[i] = mapped
	}
	return strings.Join(labels, "."), nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
