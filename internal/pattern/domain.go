package pattern

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
)

// A hostRule says hosts.
type hostRule struct {
	host   string // folded; each star stays within a label
	below  bool   // a host below, at any depth, is meant instead
	suffix string // the labels at the end that hold no star
}

// parseHost reads "domain:host". The caller maps the hosts of calls to ASCII, so
// this does the same for the rule.
func parseHost(text string) (*hostRule, error) {
	name, host, ok := strings.Cut(text, ":")
	host = foldHost(strings.TrimSpace(host))
	if !ok || strings.TrimSpace(name) != "domain" || host == "" {
		return nil, errors.New(`write WebFetch(domain:example.com)`)
	}
	if strings.Contains(text, "İ") { // which Go takes for the capital of i, and DNS does not
		return nil, fmt.Errorf(needsXN, host)
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
		r.host, r.below = rest, true
	}
	labels := r.host[strings.LastIndexByte(r.host, '*')+1:]
	r.suffix = labels
	if len(labels) < len(r.host) {
		_, r.suffix, _ = strings.Cut(labels, ".")
	}
	return r, nil
}

func (r *hostRule) wild() bool { return r.below || strings.Contains(r.host, "*") }

// matches reports whether host is meant. An address has no hosts below it, so
// that "*.0.0.1" is not 10.0.0.1.
func (r *hostRule) matches(host string) bool {
	host = foldHost(host)
	_, ip := address(host)
	if !r.below {
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

// labelsMatch compares label by label.
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

// foldHost returns the one spelling of a host: in lower case, without a dot at
// the end, and an address in its usual form.
func foldHost(h string) string {
	h = strings.TrimSuffix(strings.ToLower(h), ".")
	if ip, ok := address(h); ok {
		return ip
	}
	return h
}

// address returns the usual form of an IP address, which may stand in brackets.
func address(host string) (string, bool) {
	if host == "" || !strings.ContainsRune("0123456789abcdef:[", rune(host[0])) {
		return "", false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "", false
	}
	return ip.Unmap().String(), true
}

const (
	maxLabel = 63 // of DNS
	needsXN  = "%q has letters that may be mapped onto others; write it as DNS knows it, with xn--"
)

// mapHost writes the labels of host that go beyond ASCII as DNS knows them. It
// does not map characters onto others, apart from letter case: what it cannot be
// sure of is an error.
func mapHost(host string) (string, error) {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if label == "" || len(label) > maxLabel {
			return "", fmt.Errorf("%q has a label that is empty or longer than %d bytes", host, maxLabel)
		}
		if strings.IndexFunc(label, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
			continue
		}
		if strings.ContainsFunc(label, unmapped) {
			return "", fmt.Errorf(needsXN, host)
		}
		labels[i] = "xn--" + punycode([]rune(label))
	}
	return strings.Join(labels, "."), nil
}

// unmapped reports whether a host's name may not hold r as it is. The letters of
// the scripts that most names are written in stay, but for those that were once
// mapped onto others, or still are.
func unmapped(r rune) bool {
	switch {
	case r <= unicode.MaxASCII:
		return r == '*' // which has no place in a label that is encoded
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

// punycode encodes a label by RFC 3492.
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

// adaptBias is the step of RFC 3492 that follows each encoded character.
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
