package toolname

import (
	"strings"
	"unicode"
)

// A Clash is a way in which the name of a server can be taken for another's.
type Clash int

// The clashes.
const (
	NoClash     Clash = iota // one source has the name
	FoldedClash              // several sources have names that fold to it
	NestedClash              // it continues another server's name or is continued, as git and git__hub
)

// Clashes returns the clash of each server's name with the others. The names are those
// that [Server] returns.
func Clashes(servers []string) map[string]Clash {
	clashes := make(map[string]Clash, len(servers))
	for _, server := range servers {
		if _, twice := clashes[server]; twice {
			clashes[server] = FoldedClash
		} else {
			clashes[server] = NoClash
		}
	}
	for server := range clashes {
		for i := range server {
			if !strings.HasPrefix(server[i:], "__") {
				continue
			}
			if _, ok := clashes[server[:i]]; ok {
				clashes[server], clashes[server[:i]] = NestedClash, NestedClash
			}
		}
	}
	return clashes
}

// Lookalikes maps each name that differs from an earlier name of the list only in letter
// case, in blanks around it or in punctuation to that earlier name. It returns nil if
// there is no such name.
func Lookalikes(names []string) map[string]string {
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
