package pattern

import (
	"errors"
	"fmt"
	"strings"
)

// Base is what the anchors of a path specifier stand on. All are absolute and
// clean; an empty one matches nothing.
type Base struct {
	Dir      string   // working directory: "a/b", "./a"
	Root     string   // the directory of the rule's source: "/a"
	Home     string   // "~/a"
	Platform Platform // whose spelling the paths have, and how they are compared
}

// An anchor says where a path specifier stands.
type anchor int

const (
	fromDir anchor = iota
	fromRoot
	fromHome
	fromFS
)

func (a anchor) of(b Base) string {
	switch a {
	case fromRoot:
		return b.Root
	case fromHome:
		return b.Home
	case fromFS:
		return "/"
	}
	return b.Dir
}

// A reading is a path specifier as one family of platforms understands it.
type reading struct {
	at      anchor
	floats  bool     // a bare name: at any depth, so it has no place
	covers  glob     // what an allow rule says
	deep    bool     // and everything below it
	touches glob     // what a deny or ask rule says, always with everything below
	lead    []string // the names at the start that hold no wildcard
	rest    glob     // what follows them
	fold    folding  // of the globs
}

// A pathRule holds the readings of a specifier.
type pathRule struct {
	posix, darwin, windows readings
	twofold                bool // Windows reads other names than the others do
}

// readings are what an allow rule says and what a deny or ask rule says: any of
// several, since a wider folding can also hide something.
type readings struct {
	covers  reading
	touches []reading
}

// parsePath compiles a path specifier for all platforms: who parses a rule need
// not know yet where it will be used. It must make sense on each.
func parsePath(text string) (*pathRule, error) {
	posix, err := parseReading(text)
	if err != nil {
		return nil, err
	}
	windows, slashed := posix, slashes(text)
	if slashed != text {
		if windows, err = parseReading(slashed); err != nil {
			return nil, fmt.Errorf("on Windows: %w", err)
		}
	}
	return &pathRule{
		posix:   readings{covers: posix, touches: []reading{posix}},
		darwin:  posix.folded(foldMarks),
		windows: windows.folded(foldCase),
		twofold: slashed != text,
	}, nil
}

// folded returns the readings of r where letter case does not count. Whether a
// letter beyond ASCII is the same as another depends on the disk, so that an
// allow rule takes it as it is.
func (r reading) folded(widest folding) readings {
	narrow, wide := r.as(foldASCII), r.as(widest)
	return readings{covers: narrow, touches: []reading{wide, narrow}}
}

func (r reading) as(f folding) reading {
	r.fold, r.covers, r.touches, r.rest = f, r.covers.fold(f), r.touches.fold(f), r.rest.fold(f)
	return r
}

func (p *pathRule) on(platform Platform) *readings {
	switch platform {
	case Darwin:
		return &p.darwin
	case Windows:
		return &p.windows
	}
	return &p.posix
}

// slashes returns text as Windows reads it. A backslash separates names there,
// also if it is doubled, unless it stands before what EscapePath escapes: a
// bracket anywhere, and the other characters where a name or the text starts or
// the text ends.
func slashes(text string) string {
	var b strings.Builder
	drive := len(text) > 2 && text[1] == ':' && isLetter(text[0]) && (text[2] == '/' || text[2] == '\\')
	if drive {
		b.WriteString("//" + strings.ToLower(text[:1]))
		text = text[2:]
	}
	last := byte(0)
	for i := 0; i < len(text); i++ {
		c, rest := text[i], text[i+1:]
		if c == '\\' && !escapes(rest, last, i == 0) {
			c = '/'
			if (drive || i > 0) && strings.HasPrefix(rest, `\`) {
				i++
			}
		}
		last = c
		b.WriteByte(c)
	}
	return b.String()
}

// escapes reports whether a backslash on Windows escapes what follows it.
func escapes(rest string, last byte, first bool) bool {
	switch {
	case rest == " ", strings.HasPrefix(rest, "["), strings.HasPrefix(rest, "]"):
		return true
	case strings.HasPrefix(rest, "*"), strings.HasPrefix(rest, "?"):
		return last == '/'
	}
	return first && (strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "#"))
}

func parseReading(text string) (reading, error) {
	if strings.HasPrefix(text, "!") {
		return reading{}, errors.New(`a rule cannot take something back with "!"; write a rule for what is meant, or \! for a name that starts so`)
	}
	text = trimBlanks(text)
	r, rest := reading{}, text
	switch {
	case text == "/" || text == "//" || text == "~" || text == "~/":
		return reading{}, fmt.Errorf("%q names a whole tree; name the directory, or write %q for everything in it", text, strings.TrimSuffix(text, "/")+"/**")
	case text == "./":
		return reading{}, errors.New(`"." is the whole working directory; write "./**" for everything in it`)
	case strings.HasPrefix(text, "//"):
		r.at, rest = fromFS, text[2:]
	case strings.HasPrefix(text, "~/"):
		r.at, rest = fromHome, text[2:]
	case strings.HasPrefix(text, "/"):
		r.at, rest = fromRoot, text[1:]
	case strings.HasPrefix(text, "./"):
		rest = text[2:]
	}
	relative := rest == text
	rest, dirOnly := strings.CutSuffix(rest, "/")
	g, err := parseGlob(rest)
	if err != nil {
		return reading{}, fmt.Errorf("path %q: %w", text, err)
	}
	r.lead = g.literals()
	r.rest = g[len(r.lead):]
	r.floats = relative && len(g) == 1
	wide := relative && len(g) == 2 && g[1].anyDepth()
	if r.floats {
		g = g.atAnyDepth()
	}
	r.covers, r.deep = g.only(dirOnly)
	if r.touches = g; wide {
		r.touches = g.atAnyDepth()
	}
	return r, nil
}

// trimBlanks drops blanks at the end, unless they are escaped.
func trimBlanks(text string) string {
	trimmed := strings.TrimRight(text, " ")
	if len(trimmed) < len(text) && strings.HasSuffix(trimmed, `\`) && !strings.HasSuffix(trimmed, `\\`) {
		trimmed += " "
	}
	return trimmed
}

// place returns the directory that the names at the start of r lead to.
func (r *reading) place(b Base) (string, bool) {
	base := r.at.of(b)
	if base == "" || r.floats {
		return "", false
	}
	names := strings.Join(r.lead, "/")
	if b.Platform == Windows && r.at == fromFS && len(r.lead) > 0 && len(r.lead[0]) == 1 {
		drive, below, _ := strings.Cut(names, "/")
		return drive + ":/" + below, true
	}
	if names == "" {
		return base, true
	}
	return strings.TrimSuffix(base, "/") + "/" + names, true
}

// covered reports whether an allow rule says all that name stands for.
func (p *pathRule) covered(name string, x *Subject, b Base) bool {
	r := &p.on(b.Platform).covers
	name, doubt := canonical(b.Platform, name)
	rel, ok := r.below(b, name)
	if !ok || doubt != "" && doubt != noDrive {
		return false
	}
	if !x.Tree || r.deep {
		return r.covers.matches(rel, r.deep)
	}
	// A directory may be read if all in it may. To remove it takes more.
	inner, all := r.covers.everythingIn()
	return all && (r.covers.matches(rel, false) || !x.Write && inner.matches(rel, false))
}

// touched reports whether a deny or ask rule could say any of what name stands for.
func (p *pathRule) touched(name string, tree bool, b Base) bool {
	name, _ = canonical(b.Platform, name)
	for i := range p.on(b.Platform).touches {
		r := &p.on(b.Platform).touches[i]
		if base := r.base(b); base != "" && r.touches.touch(base, r.fold.fold(name), tree) {
			return true
		}
	}
	return false
}

// led reports whether name lies where the start of the specifier leads, and the
// rest says it.
func (p *pathRule) led(name string, tree bool, place string, platform Platform) bool {
	name, _ = canonical(platform, name)
	place, _ = canonical(platform, place)
	for i := range p.on(platform).touches {
		r := &p.on(platform).touches[i]
		if r.rest.touch(r.fold.fold(place), r.fold.fold(name), tree) {
			return true
		}
	}
	return false
}

// touch reports whether g, standing on base, says name or something above it, or
// if name is a tree, possibly something below. What says everything in a
// directory says the directory as well, whose list of names is part of it.
func (g glob) touch(base, name string, tree bool) bool {
	rel, ok := under(base, name)
	if !ok {
		_, above := under(name, base)
		return tree && above
	}
	if g.matches(rel, true) || tree && g.leadsBelow(rel) {
		return true
	}
	inner, all := g.everythingIn()
	return all && inner.matches(rel, false)
}

// below returns name as seen from where r stands.
func (r *reading) below(b Base, name string) (string, bool) {
	base := r.base(b)
	if base == "" {
		return "", false
	}
	return under(base, r.fold.fold(name))
}

// base returns where r stands, in the form that names are compared in.
func (r *reading) base(b Base) string {
	base, _ := canonical(b.Platform, r.at.of(b))
	return r.fold.fold(base)
}

// under returns name as seen from dir: empty if it is dir.
func under(dir, name string) (string, bool) {
	if dir == name {
		return "", dir != ""
	}
	dir = strings.TrimSuffix(dir, "/")
	if len(name) <= len(dir) || name[len(dir)] != '/' || name[:len(dir)] != dir {
		return "", false
	}
	return strings.TrimLeft(name[len(dir):], "/"), true
}
