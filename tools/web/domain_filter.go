package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// maxDomains is how many domains a search may name.
const maxDomains = 100

var errNoDomain = errors.New("not a domain")

// A domainFilter holds mapped domains. The zero filter admits all hosts.
type domainFilter struct{ allowed, blocked []string }

// newDomainFilter maps the domains of a search. Its error is for the model.
func newDomainFilter(allowed, blocked []string) (f domainFilter, err error) {
	if len(allowed) > 0 && len(blocked) > 0 {
		return f, errors.New("allowed_domains and blocked_domains exclude each other; give one of them")
	}
	if len(allowed)+len(blocked) > maxDomains {
		return f, fmt.Errorf("there are %d domains; name at most %d", len(allowed)+len(blocked), maxDomains)
	}
	if f.allowed, err = mapDomains(allowed); err != nil {
		return domainFilter{}, err
	}
	if f.blocked, err = mapDomains(blocked); err != nil {
		return domainFilter{}, err
	}
	return f, nil
}

func mapDomains(domains []string) (mapped []string, err error) {
	for _, domain := range domains {
		name, err := mapHost(strings.TrimPrefix(strings.TrimSpace(domain), "*."))
		if err != nil {
			return nil, fmt.Errorf("%q is not a domain; write a host alone, such as go.dev, without scheme, port or path", domainText(domain))
		}
		mapped = append(mapped, name)
	}
	return mapped, nil
}

// domainText returns the beginning of the model's text, as one line.
func domainText(text string) string {
	const most = 80
	line := []rune(pegboard.OneLine(text))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// admits reports whether a hit of a mapped host may be shown. A file has no host, and is in no
// domain.
func (f domainFilter) admits(host string) bool {
	if len(f.allowed) > 0 {
		return isBelow(host, f.allowed)
	}
	return !isBelow(host, f.blocked)
}

// isBelow reports whether host is one of the domains, or below one.
func isBelow(host string, domains []string) bool {
	for _, d := range domains {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}
