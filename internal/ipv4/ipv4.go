// Package ipv4 reads IPv4 addresses in every spelling that inet_aton of the C library reads,
// since a resolver reads them all.
package ipv4

import (
	"net/netip"
	"strconv"
	"strings"
)

// IsMeant reports whether name, in lower case and without a dot at its end, is meant as an
// address: no top-level domain is a number.
func IsMeant(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// Parse reads an address in lower case: one to four numbers in decimal, octal or
// hexadecimal, of which the last fills the remaining bytes.
func Parse(name string) (addr netip.Addr, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, ok := parseNumber(part, bits)
		if !ok {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// parseNumber reads a number of at most the given bits in the notation of C.
func parseNumber(text string, bits int) (n uint64, ok bool) {
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		text, base = text[2:], 16
	case len(text) > 1 && text[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(text, base, bits)
	return n, err == nil
}
