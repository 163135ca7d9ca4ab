package pattern

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/ipv4"
)

const maxHost = 253 // bytes of a host name in DNS

// urlSchemes are the schemes of URLs from which [CanonicalHost] takes the host.
var urlSchemes = []string{"http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "git", "git+ssh", "git+https"}

// CanonicalHost returns host in the form that rules are matched against: in lower case,
// in the ASCII form of DNS, without a dot at its end, an address in its usual spelling. Of
// a URL, of "host:port" and of "user@host" it returns the host.
//
// If programs may disagree about which host is meant, doubtful is the reason, as the end of
// a sentence about the host, and form is host. No allow rule covers such a host.
func CanonicalHost(host string) (form, doubtful string) {
	if isPlainHost(host) {
		return host, ""
	}
	name, doubtful := cutHost(strings.Trim(host, " \t\r\n"))
	if doubtful == "" {
		name, doubtful = canonicalHost(name)
	}
	if doubtful != "" {
		return host, doubtful
	}
	return name, ""
}

// isPlainHost reports whether a host is certainly canonical; false means that it may be.
func isPlainHost(host string) bool {
	if host == "" || len(host) > maxLabel || ipv4.IsMeant(host) {
		return false
	}
	last := byte('.')
	for i := range len(host) {
		c := host[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && (c != '.' || last == '.') {
			return false
		}
		last = c
	}
	return last != '.'
}

// cutHost returns the host in a URL, in "host:port", or in "user@host/path".
func cutHost(text string) (host, doubtful string) {
	if _, ip := address(strings.ToLower(text)); ip {
		return text, ""
	}
	switch scheme, _, found := strings.Cut(text, "://"); {
	case strings.HasPrefix(text, "//"):
	case !found || strings.ContainsAny(scheme, "/?#@"):
		text = "//" + text
	case !slices.Contains(urlSchemes, strings.ToLower(scheme)):
		return "", "it is a URL of an unknown scheme; name the host alone"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", "it is neither a host nor a URL"
	case u.Hostname() == "":
		return "", "it names no host"
	}
	password, _ := u.User.Password()
	if strings.ContainsAny(u.User.Username()+password, "@/\\?#") {
		return "", "programs disagree about where the name of its user ends"
	}
	return u.Hostname(), ""
}

// canonicalHost maps a host without scheme, user and port.
func canonicalHost(host string) (form, doubtful string) {
	if strings.ContainsRune(host, 'İ') { // Go lower-cases it to i, DNS does not
		return "", "it has letters that may be mapped onto others"
	}
	host = foldHost(host)
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return host, ""
	}
	if ipv4.IsMeant(host) {
		return "", "it ends in a number and is no address"
	}
	host, err := mapHost(host)
	switch {
	case err != nil:
		return "", "it has a label that is empty, too long, or of letters that may be mapped onto others"
	case len(host) > maxHost:
		return "", "it is too long"
	case strings.ContainsFunc(host, notInHost):
		return "", "it has a character that no host has"
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > maxLabel {
			return "", "it has a label that is too long"
		}
	}
	return host, ""
}

func notInHost(r rune) bool {
	return r > unicode.MaxASCII || r != '.' && notInName(r)
}
