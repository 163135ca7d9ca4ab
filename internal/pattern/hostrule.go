package pattern

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/ipv4"
)

// A hostRule is a specifier of hosts.
type hostRule struct {
	host       string // folded glob; a star matches within one label
	subdomains bool   // matches the subdomains at any depth, but not host itself
	suffix     string // labels at the end without a star
}

// parseHost parses "domain:host". It maps the host to ASCII, as the caller maps the hosts
// of calls.
func parseHost(text string) (*hostRule, error) {
	name, host, ok := strings.Cut(text, ":")
	host = foldHost(strings.TrimSpace(host))
	if !ok || strings.TrimSpace(name) != "domain" || host == "" {
		return nil, errors.New(`write WebFetch(domain:example.com)`)
	}
	if strings.Contains(text, "İ") { // Go lower-cases it to i, DNS does not
		return nil, fmt.Errorf(errMapped, host)
	}
	if _, ip := address(host); !ip {
		if strings.ContainsAny(host, "/:@?#[] \t") {
			return nil, fmt.Errorf("%q is no host; name the host alone, without scheme, port and path", host)
		}
		if strings.Contains(host, "**") {
			return nil, fmt.Errorf(`%q has two stars; write "*." before a host for everything below it`, host)
		}
		mapped, err := mapHost(host)
		if err != nil {
			return nil, err
		}
		host = mapped
	}
	r := &hostRule{host: host}
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		r.host, r.subdomains = rest, true
	}
	labels := r.host[strings.LastIndexByte(r.host, '*')+1:]
	r.suffix = labels
	if len(labels) < len(r.host) {
		_, r.suffix, _ = strings.Cut(labels, ".")
	}
	return r, nil
}

func (r *hostRule) hasWildcard() bool { return r.subdomains || strings.Contains(r.host, "*") }

// matches reports whether the rule matches host. An address has no subdomains, so
// "*.0.0.1" does not match 10.0.0.1.
func (r *hostRule) matches(host string) bool {
	host = foldHost(host)
	_, ip := address(host)
	if !r.subdomains {
		return r.host == "*" && host != "" || labelsMatch(r.host, host)
	}
	for !ip {
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		if host = rest; labelsMatch(r.host, host) {
			return true
		}
	}
	return false
}

// labelsMatch matches label by label.
func labelsMatch(glob, host string) bool {
	for {
		g, restGlob, moreGlob := strings.Cut(glob, ".")
		h, restHost, moreHost := strings.Cut(host, ".")
		if moreGlob != moreHost || !Name(g, h) || h == "" {
			return false
		}
		if !moreGlob {
			return true
		}
		glob, host = restGlob, restHost
	}
}

// foldHost returns the canonical spelling of a host: in lower case, without a dot at the
// end, and an address in its usual form.
func foldHost(h string) string {
	h = strings.TrimSuffix(strings.ToLower(h), ".")
	if ip, ok := address(h); ok {
		return ip
	}
	return h
}

// address returns the usual form of an IP address, which may be in brackets.
func address(host string) (string, bool) {
	if host == "" || !strings.ContainsRune("0123456789abcdef:[", rune(host[0])) {
		return "", false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String(), true
	}
	if ip, ok := ipv4.Parse(host); ok && ipv4.IsMeant(host) {
		return ip.String(), true
	}
	return "", false
}

const (
	maxLabel  = 63 // bytes of a DNS label
	errMapped = "%q has letters that may be mapped onto others; write it as DNS knows it, with xn--"
)

// mapHost maps the labels of host that are not ASCII to the form of DNS. It maps no
// character to another one, except for letter case; where that could be needed, it returns
// an error.
func mapHost(host string) (string, error) {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if label == "" || len(label) > maxLabel {
			return "", fmt.Errorf("%q has a label that is empty or longer than %d bytes", host, maxLabel)
		}
		if strings.IndexFunc(label, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
			continue
		}
		if strings.ContainsFunc(label, needsMapping) {
			return "", fmt.Errorf(errMapped, host)
		}
		labels[i] = "xn--" + punycode([]rune(label))
	}
	return strings.Join(labels, "."), nil
}

// needsMapping reports whether IDNA might map r to another character or refuse it. It
// returns false for the letters of the most common scripts, except those that were or are
// mapped.
func needsMapping(r rune) bool {
	switch {
	case r <= unicode.MaxASCII:
		return r == '*' // a star cannot be part of an encoded label
	case r == 'ß', r == 'ς', r == 'ĳ', r == 'ŀ', r == 'ŉ', r == 'ſ', 'Ǆ' <= r && r <= 'ǌ', 'Ǳ' <= r && r <= 'ǳ':
		return true
	case 'à' <= r && r <= 'ɏ', 'α' <= r && r <= 'ώ', 'а' <= r && r <= 'ԯ':
		return !unicode.IsLower(r)
	case 'א' <= r && r <= 'ת', 'ؠ' <= r && r <= 'ي', 'ぁ' <= r && r <= 'ゖ', 'ァ' <= r && r <= 'ヺ',
		'一' <= r && r <= '鿿', '가' <= r && r <= '힣':
		return !unicode.Is(unicode.Lo, r)
	}
	return true
}

// punycode encodes a label as RFC 3492 specifies.
func punycode(label []rune) string {
	const (
		base, tMin, tMax  = 36, 1, 26
		digits            = "abcdefghijklmnopqrstuvwxyz0123456789"
		firstBias, firstN = 72, 128
	)
	var out []byte
	for _, r := range label {
		if r < firstN {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(firstN), 0, firstBias
	for done := basic; done < len(label); {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, tMin), tMax)
				if q < t {
					break
				}
				out = append(out, digits[t+(q-t)%(base-t)])
				q = (q - t) / (base - t)
			}
			out = append(out, digits[q])
			bias = adaptBias(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// adaptBias is the bias adaptation of RFC 3492 after each encoded character.
func adaptBias(delta, points int, first bool) int {
	const base, tMin, tMax, skew, damp = 36, 1, 26, 38, 700
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
