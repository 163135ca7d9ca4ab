package netguard

import (
	"fmt"
	"net/netip"
)

// A block is a range of addresses that no public web server has.
type block struct {
	prefix netip.Prefix
	name   string
}

// blocks holds every row of the IANA special-purpose address registries for IPv4 and IPv6
// that is not marked globally reachable, unless another row covers it with a suitable
// name. A row within another stands before it, so that the first match is the most
// specific.
//
// The registries mark a few addresses of listed blocks as reachable. They are refused as
// well, since the nearest router answers them. IPv4-mapped addresses have no row, because
// CheckAddress checks the IPv4 address in them.
//
// source: iana-ipv4-special-registry and iana-ipv6-special-registry, as of 2026-07-18.
var blocks = []block{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private use"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local, with the metadata services of clouds"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private use"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay anycast"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private use"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},

	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local IPv4 translation"},
	{netip.MustParsePrefix("100::/64"), "discard-only"},
	{netip.MustParsePrefix("100:0:0:1::/64"), "dummy prefix"},
	{netip.MustParsePrefix("2001::/32"), "Teredo"},
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking"},
	{netip.MustParsePrefix("2001:10::/28"), "ORCHID"},
	{netip.MustParsePrefix("2001::/23"), "IETF protocol assignments"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing"},
	{netip.MustParsePrefix("fc00::/7"), "unique local"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},

	// source: the multicast registries, and RFC 4291 with the ranges it deprecates.
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
	{netip.MustParsePrefix("::/96"), "IPv4-compatible"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},

	// A public address, but inside Azure each machine's own host answers it.
	{netip.MustParsePrefix("168.63.129.16/32"), "host service of Azure"},
}

var (
	// nat64 is the prefix under which hosts of an IPv6-only network reach IPv4 (RFC 6052).
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
	// globalUnicast contains all IPv6 unicast addresses that IANA assigns.
	globalUnicast = netip.MustParsePrefix("2000::/3")
)

// CheckAddress returns nil for a public unicast address, and otherwise a [*RefusalError]
// that names its range. For an address that contains the IPv4 address it leads to
// (IPv4-mapped, NAT64), it checks that one. 6to4 and Teredo addresses are always refused.
func CheckAddress(addr netip.Addr) error {
	if !addr.IsValid() || addr.Zone() != "" {
		return notPublicError(addr, "it names no host outside this machine's links")
	}
	to := addr.Unmap()
	if nat64.Contains(to) {
		b := to.As16()
		to = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, b := range blocks {
		if b.prefix.Contains(to) {
			return notPublicError(addr, fmt.Sprintf("it leads to %s (%v)", b.name, b.prefix))
		}
	}
	if to.Is6() && !globalUnicast.Contains(to) {
		return notPublicError(addr, fmt.Sprintf("it lies outside %v, the global unicast addresses", globalUnicast))
	}
	return nil
}

func notPublicError(addr netip.Addr, reason string) error {
	return &RefusalError{Target: addr.String(), Kind: ErrNotPublic, Reason: reason + advice}
}

// advice is the end of every refusal of a host or address that is not public.
const advice = "; only hosts on the public internet can be reached"
