package pattern

import (
	"fmt"
	"strings"
)

// A glob is a gitignore pattern of paths below a place, one segment a name.
// Within it "**" is any number of names, at its end at least one.
type glob []segment

// parseGlob reads a pattern that has no anchor and no slash at its ends.
func parseGlob(text string) (glob, error) {
	var g glob
	for name := range strings.SplitSeq(text, "/") {
		switch name {
		case "", ".", "..":
			return nil, fmt.Errorf("it has the segment %q; write the path out", name)
		}
		if len(name) > 1 && strings.Trim(name, "*") == "" {
			g = g.then(nil)
			continue
		}
		s, err := parseSegment(name)
		if err != nil {
			return nil, err
		}
		g = append(g, s)
	}
	return g.short(), nil
}

// short returns g without "*" after a final "**": one name below any number of
// names is at least one name.
func (g glob) short() glob {
	if n := len(g); n > 1 && g[n-1].anyName() && g[n-2].anyDepth() {
		return g[:n-1]
	}
	return g
}

// then returns g and one segment more. Two "**" in a row are one.
func (g glob) then(s segment) glob {
	if n := len(g); s.anyDepth() && n > 0 && g[n-1].anyDepth() {
		return g
	}
	return append(g[:len(g):len(g)], s)
}

// atAnyDepth returns g for places at any depth.
func (g glob) atAnyDepth() glob {
	if g[0].anyDepth() {
		return g
	}
	return append(glob{nil}, g...).short()
}

// only returns what g says as an allow rule, and whether it also means all that
// is below. A name without wildcards may be a directory. With one it is taken to
// be a file, since "src/*" does not read as if it meant "src/a/b", unless a slash
// says that it is a directory; then what is in it is meant.
func (g glob) only(dirs bool) (narrow glob, deep bool) {
	last := g[len(g)-1]
	if _, deep = last.literal(); deep || !dirs {
		return g, deep
	}
	if last.anyDepth() {
		g = g.then(segment{{kind: many}})
	}
	return g.then(nil), false
}

// everythingIn returns "a" if g is "a/**".
func (g glob) everythingIn() (dir glob, ok bool) {
	if n := len(g); n > 0 && g[n-1].anyDepth() {
		return g[:n-1], true
	}
	return nil, false
}

// fold returns g for names that are folded by f.
func (g glob) fold(f folding) glob {
	folded := make(glob, len(g))
	for i, s := range g {
		folded[i] = s.fold(f)
	}
	return folded
}

// literals returns the names that g begins with.
func (g glob) literals() (names []string) {
	for _, s := range g {
		name, ok := s.literal()
		if !ok {
			break
		}
		names = append(names, name)
	}
	return names
}

// matches reports whether g stands for the path rel, or for a directory above it
// if below is set. The empty path is the place itself.
func (g glob) matches(rel string, below bool) bool {
	i, star := 0, -1
	retry := trail{}
	for rest := (trail{rel, rel != ""}); ; {
		switch {
		case i < len(g) && g[i].anyDepth():
			if i == len(g)-1 {
				return rest.more
			}
			i++
			star, retry = i, rest
			continue
		case i == len(g):
			if below || !rest.more {
				return true
			}
		case !rest.more:
			return false // a longer run for a "**" leaves even less
		default:
			if name, after := rest.next(); g[i].matches(name) {
				rest = after
				i++
				continue
			}
		}
		if star < 0 || !retry.more {
			return false
		}
		_, retry = retry.next()
		i, rest = star, retry
	}
}

// leadsBelow reports whether g could stand for rel or for something below it.
func (g glob) leadsBelow(rel string) bool {
	for rest := (trail{rel, rel != ""}); rest.more; g = g[1:] {
		if len(g) == 0 {
			return false
		}
		if g[0].anyDepth() {
			return true
		}
		name, after := rest.next()
		if !g[0].matches(name) {
			return false
		}
		rest = after
	}
	return true
}

// A trail is a path that is read name by name.
type trail struct {
	text string
	more bool
}

func (t trail) next() (name string, rest trail) {
	name, after, more := strings.Cut(t.text, "/")
	return name, trail{after, more}
}
