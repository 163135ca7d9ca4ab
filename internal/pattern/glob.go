package pattern

import (
	"fmt"
	"slices"
	"strings"
)

// A glob is a gitignore pattern of paths below a directory, with one segment for each name.
// A "**" in it stands for any number of names, at its end for at least one.
type glob []segment

// parseGlob parses a pattern without an anchor and without slashes at its ends.
func parseGlob(text string) (glob, error) {
	var g glob
	for name := range strings.SplitSeq(text, "/") {
		switch name {
		case "", ".", "..":
			return nil, fmt.Errorf("it has the segment %q; write the path out", name)
		}
		if len(name) > 1 && strings.Trim(name, "*") == "" {
			g = g.with(nil)
			continue
		}
		s, err := parseSegment(name)
		if err != nil {
			return nil, err
		}
		g = append(g, s)
	}
	return g.simplify(), nil
}

// simplify returns g without "*" after a final "**": one name below any number of names is
// at least one name.
func (g glob) simplify() glob {
	if n := len(g); n > 1 && g[n-1].anyName() && g[n-2].anyDepth() {
		return g[:n-1]
	}
	return g
}

// with returns g with one more segment. Two adjacent "**" are one.
func (g glob) with(s segment) glob {
	if n := len(g); s.anyDepth() && n > 0 && g[n-1].anyDepth() {
		return g
	}
	return append(g[:len(g):len(g)], s)
}

// atAnyDepth returns g preceded by "**".
func (g glob) atAnyDepth() glob {
	if g[0].anyDepth() {
		return g
	}
	return append(glob{nil}, g...).simplify()
}

// narrow returns g as an allow rule reads it, and whether it also matches everything below.
// A name without wildcards may be a directory. A name with wildcards is read as a file,
// since "src/*" does not look as if it included "src/a/b", unless dirs says that a slash
// follows; then it matches the content of directories.
func (g glob) narrow(dirs bool) (narrow glob, deep bool) {
	last := g[len(g)-1]
	if _, deep = last.literal(); deep || !dirs {
		return g, deep
	}
	if last.anyDepth() {
		g = g.with(segment{{kind: anyChars}})
	}
	return g.with(nil), false
}

// contentOf returns "a" if g is "a/**".
func (g glob) contentOf() (dir glob, ok bool) {
	if n := len(g); n > 0 && g[n-1].anyDepth() {
		return g[:n-1], true
	}
	return nil, false
}

// fold returns g for names that f has folded.
func (g glob) fold(f folding) glob {
	if !slices.ContainsFunc(g, func(s segment) bool { return s.changes(f) }) { // as most
		return g
	}
	folded := make(glob, len(g))
	for i, s := range g {
		folded[i] = s.fold(f)
	}
	return folded
}

// literals returns the names at the start of g without wildcards.
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

// matches reports whether g matches the path rel or, if below is set, a directory above it.
// The empty path is the directory that g is relative to.
func (g glob) matches(rel string, below bool) bool {
	i, star := 0, -1
	retry := pathIter{}
	for rest := (pathIter{rel, rel != ""}); ; {
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
			return false // more names for a "**" leave even fewer for the rest
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

// leadsBelow reports whether g could match rel or a path below it.
func (g glob) leadsBelow(rel string) bool {
	for rest := (pathIter{rel, rel != ""}); rest.more; g = g[1:] {
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

// A pathIter iterates over the names of a path.
type pathIter struct {
	text string
	more bool
}

func (t pathIter) next() (name string, rest pathIter) {
	name, after, more := strings.Cut(t.text, "/")
	return name, pathIter{after, more}
}

// touches reports whether g, relative to base, matches name or a directory above it or, if
// name is a tree, possibly a path below it. A glob for everything in a directory matches
// the directory as well, since its list of names is part of it.
func (g glob) touches(base, name string, tree bool) bool {
	rel, ok := relativeTo(base, name)
	if !ok {
		_, above := relativeTo(name, base)
		return tree && above
	}
	if g.matches(rel, true) || tree && g.leadsBelow(rel) {
		return true
	}
	inner, all := g.contentOf()
	return all && inner.matches(rel, false)
}
