package toolname

import (
	"strings"
	"unicode"
)

// A Claim says who may be meant by the name of a server.
type Claim int

// The claims.
const (
	Sole   Claim = iota // one source
	Folded              // several sources whose names fold to it
	Nested              // one whose name continues another's, as git and git__hub
)

// Claims returns how the name of each server, as [Server] returns it, can be
// meant beside the others.
func Claims(servers []string) map[string]Claim {
	claims := make(map[string]Claim, len(servers))
	for _, server := range servers {
		if _, twice := claims[server]; twice {
			claims[server] = Folded
		} else {
			claims[server] = Sole
		}
	}
	for server := range claims {
		for i := range server {
			if !strings.HasPrefix(server[i:], "__") {
				continue
			}
			if _, ok := claims[server[:i]]; ok {
				claims[server], claims[server[:i]] = Nested, Nested
			}
		}
	}
	return claims
}

// Alike returns the names that a reader could take for an earlier one of the
// list, with that one: they differ in letter case, blanks around them or
// punctuation. It is nil if there is none.
func Alike(names []string) map[string]string {
	var found map[string]string
	first := make(map[string]string, len(names))
	for _, name := range names {
		key := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return '_'
		}, strings.TrimSpace(name))
		other, ok := first[key]
		switch {
		case !ok:
			first[key] = name
		case found == nil:
			found = map[string]string{name: other}
		default:
			found[name] = other
		}
	}
	return found
}
