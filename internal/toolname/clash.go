package toolname

import (
	"strings"
	"unicode"
)

// A Clash says which names in a rule on a server could mean another one. Where one server's
// name continues another's, as git__hub continues git, mcp__git__hub is the name of a server
// and may be that of a tool; it means the server that was there first.
type Clash struct {
	Folded bool     // several sources have names that fold to it
	Nested bool     // it continues the name of an older server
	Older  []string // older servers that continue its name
}

// Clashes returns the clashes of the servers that have any. The names are those that [Server]
// returns, the oldest first.
func Clashes(servers []string) map[string]Clash {
	clashes, age := map[string]Clash{}, make(map[string]int, len(servers))
	for i, server := range servers {
		if _, twice := age[server]; !twice {
			age[server] = i
			continue
		}
		clashes[server] = Clash{Folded: true}
	}
	for long, i := range age {
		for at := range long {
			short := long[:at]
			j, ok := age[short]
			if !ok || !strings.HasPrefix(long[at:], "__") {
				continue
			}
			outer, inner := clashes[short], clashes[long]
			if j < i {
				inner.Nested = true
			} else {
				outer.Older = append(outer.Older, long)
			}
			clashes[short], clashes[long] = outer, inner
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
