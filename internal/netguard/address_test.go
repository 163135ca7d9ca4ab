package netguard_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// TestCheckAddressRefuses takes the first and last address of every row of the two
// registries that is not globally reachable, and of the ranges beside them.
func TestCheckAddressRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prefix, says string }{
		{prefix: "0.0.0.0/8", says: "this network"},
		{prefix: "10.0.0.0/8", says: "private use"},
		{prefix: "100.64.0.0/10", says: "shared"},
		{prefix: "127.0.0.0/8", says: "loopback"},
		{prefix: "169.254.0.0/16", says: "link-local"},
		{prefix: "172.16.0.0/12", says: "private use"},
		{prefix: "192.0.0.0/29", says: "protocol"},
		{prefix: "192.0.0.0/24", says: "protocol"},
		{prefix: "192.0.0.8/32", says: "protocol"},
		{prefix: "192.0.0.170/32", says: "protocol"},
		{prefix: "192.0.0.171/32", says: "protocol"},
		{prefix: "192.0.2.0/24", says: "documentation"},
		{prefix: "192.88.99.0/24", says: "6to4"},
		{prefix: "192.168.0.0/16", says: "private use"},
		{prefix: "198.18.0.0/15", says: "benchmarking"},
		{prefix: "198.51.100.0/24", says: "documentation"},
		{prefix: "203.0.113.0/24", says: "documentation"},
		{prefix: "224.0.0.0/4", says: "multicast"},
		{prefix: "240.0.0.0/5", says: "reserved"},
		{prefix: "255.255.255.255/32", says: "broadcast"},
		{prefix: "168.63.129.16/32", says: "Azure"},

		{prefix: "::/128", says: "unspecified"},
		{prefix: "::1/128", says: "loopback"},
		{prefix: "::7f00:0/104", says: "IPv4-compatible"},
		{prefix: "::ffff:127.0.0.0/104", says: "loopback"},
		{prefix: "::ffff:0:0:0/96", says: "global unicast"},
		{prefix: "64:ff9b::7f00:0/104", says: "loopback"},
		{prefix: "64:ff9b::a9fe:0/112", says: "link-local"},
		{prefix: "64:ff9b:1::/48", says: "translation"},
		{prefix: "100::/64", says: "discard"},
		{prefix: "100:0:0:1::/64", says: "dummy"},
		{prefix: "2001::/32", says: "Teredo"},
		{prefix: "2001:2::/48", says: "benchmarking"},
		{prefix: "2001:10::/28", says: "ORCHID"},
		{prefix: "2001:1f0::/28", says: "protocol"},
		{prefix: "2001:db8::/32", says: "documentation"},
		{prefix: "2002::/16", says: "6to4"},
		{prefix: "2002:808:808::/48", says: "6to4"},
		{prefix: "3fff::/20", says: "documentation"},
		{prefix: "4000::/3", says: "global unicast"},
		{prefix: "5f00::/16", says: "segment"},
		{prefix: "fc00::/7", says: "unique local"},
		{prefix: "fd00:ec2::254/128", says: "unique local"},
		{prefix: "fe80::/10", says: "link-local"},
		{prefix: "fec0::/10", says: "site-local"},
		{prefix: "ff00::/8", says: "multicast"},
	} {
		t.Run(tt.prefix, func(t *testing.T) {
			t.Parallel()
			prefix := netip.MustParsePrefix(tt.prefix)
			for _, addr := range []netip.Addr{prefix.Addr(), lastOf(prefix)} {
				err := netguard.CheckAddress(addr)
				require.ErrorIs(t, err, netguard.ErrNotPublic)
				require.ErrorContains(t, err, addr.String())
				require.ErrorContains(t, err, tt.says)
			}
		})
	}
	require.ErrorIs(t, netguard.CheckAddress(netip.Addr{}), netguard.ErrNotPublic)
}

// TestCheckAddressAccepts takes the neighbours of the ranges that are refused.
func TestCheckAddressAccepts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
		"126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
		"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
		"203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "168.63.129.17",
		"192.31.196.1", "192.52.193.1", "192.175.48.1", // reachable rows of the registry
		"::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
		"2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2001:ffff::", "2003::",
		"2606:4700:4700::1111", "2620:4f:8000::1", "3ffe::", "3fff:1000::",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, netguard.CheckAddress(netip.MustParseAddr(text)))
		})
	}
}

func lastOf(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < 8*len(bytes); bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}

// FuzzCheckAddress holds Judge against the predicates of net/netip, which know less.
func FuzzCheckAddress(f *testing.F) {
	for _, text := range []string{"127.0.0.1", "8.8.8.8", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "fe80::1", "2606:4700::1"} {
		f.Add(netip.MustParseAddr(text).AsSlice())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		addr, ok := netip.AddrFromSlice(data)
		if !ok {
			t.Skip("neither 4 nor 16 bytes")
		}
		err := netguard.CheckAddress(addr)
		plain := addr.Unmap()
		if !plain.IsGlobalUnicast() || plain.IsPrivate() {
			require.ErrorIs(t, err, netguard.ErrNotPublic)
		}
		require.Equal(t, err == nil, netguard.CheckAddress(plain) == nil)
		if plain.Is4() {
			carried := append(netip.MustParsePrefix("64:ff9b::/96").Addr().AsSlice()[:12], plain.AsSlice()...)
			translated, _ := netip.AddrFromSlice(carried)
			require.Equal(t, err == nil, netguard.CheckAddress(translated) == nil)
		}
		require.Error(t, netguard.CheckAddress(netip.AddrFrom16(addr.As16()).WithZone("eth0")))
	})
}
