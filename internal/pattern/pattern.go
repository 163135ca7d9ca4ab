// Package pattern matches the specifier of a permission rule, the text in the parentheses
// of "Edit(/src/main.go)", against the targets of a call. All such matching happens here;
// nothing in the package does I/O.
//
// An allow rule is read as narrowly as its text permits, a deny or ask rule as widely.
// [Spec.Covers] is the test of the former, [Spec.Touches] that of the latter.
package pattern

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Kind is the kind of target that a specifier is about.
type Kind int

// The kinds.
const (
	Text Kind = iota // a name that is compared as it is
	Path
	Host
	Command
)

// Spec is a compiled specifier. The zero Spec matches nothing. A Spec is immutable and may
// be used from any goroutine.
type Spec struct {
	kind        Kind
	write       bool // of Edit: written paths; of Read: read ones
	read        bool // with write: read ones, too
	names       *nameRule
	line        *lineRule
	host        *hostRule
	path        *pathRule
	own         *ownRule // of a tool of the host's own: the fields above are those of each kind
	linkTargets []string // resolved literal prefixes, see WithLinkTargets
}

// Subject is one target of a call, with all its names.
type Subject struct {
	Kind        Kind
	Write       bool     // a path that is written; otherwise read
	Tree        bool     // a path and everything below it
	NoWildcards bool     // not covered by a specifier with wildcards
	Doubtful    bool     // Names may lack the right one: no rule covers the target, each rule of its kind touches it
	Names       []string // names; absolute and clean paths, or hosts mapped to ASCII
	Unparsed    bool     // a command line that was not parsed
	Nested      []string // names that only Touches matches, such as commands inside a command
}

// ErrWildcard refuses a star in a specifier that has no wildcards. A deny rule that
// silently matches less than it says would be worse than none.
var ErrWildcard = errors.New("no wildcard is understood here; write the name exactly")

// Parse compiles the specifier text of a rule on tool. The tool's name determines the kind
// of targets: Edit and Read are about paths, whichever tool uses them, WebFetch is about
// hosts, Bash, PowerShell and Monitor about command lines, Agent, Task, Skill and the tools
// of servers about the names of their targets. For any other tool the kind of each target
// says how the text is read.
//
// Text that [Parameter] reads as a parameter of the tool is not for Parse.
func Parse(tool, text string) (Spec, error) {
	if strings.TrimSpace(text) == "" {
		return Spec{}, errors.New("the parentheses are empty; leave them out to mean the whole tool")
	}
	switch tool {
	case "Edit", "Read":
		path, err := parsePath(text)
		if err != nil {
			return Spec{}, err
		}
		return Spec{kind: Path, write: tool == "Edit", path: path}, nil
	case "WebFetch":
		host, err := parseHost(text)
		if err != nil {
			return Spec{}, err
		}
		return Spec{kind: Host, host: host}, nil
	case "Write", "NotebookEdit", "MultiEdit", "apply_patch":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Edit(%s), which covers every tool that writes", tool, text)
	case "Glob", "Grep":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Read(%s), which covers every tool that reads", tool, text)
	case "Bash", "PowerShell", "Monitor":
		if strings.Trim(text, " \t:*") == "" {
			return Spec{}, fmt.Errorf("there is no command before the wildcard; write %s to mean the whole tool", tool)
		}
		return Spec{kind: Command, line: parseLine(text, tool == "PowerShell")}, nil
	}
	if IsOwn(tool) {
		return parseOwn(tool, text), nil
	}
	return parseNames(tool, text)
}

// parseNames parses the name of an agent, of a skill, or of a target of a server's tool.
// The name of a skill may end in " *" for its arguments.
func parseNames(tool, text string) (Spec, error) {
	names := wordGlob{text: text}
	if first, ok := strings.CutSuffix(text, " *"); ok && tool == "Skill" {
		first = strings.TrimRight(first, " ")
		names = wordGlob{text: first, withArgs: first + " *"}
	}
	if names.text == "" || strings.ContainsAny(names.text, "*?") {
		return Spec{}, ErrWildcard
	}
	return Spec{names: &nameRule{covers: names, touches: names.fold(foldMarks)}}, nil
}

func isShell(tool string) bool { return tool == "Bash" || tool == "PowerShell" || tool == "Monitor" }

// IsTargetFamily reports whether a rule on tool is about a kind of target, whichever tool
// has it, so that it may apply to any call.
func IsTargetFamily(tool string) bool { return tool == "Edit" || tool == "Read" || tool == "WebFetch" }

// IsShared reports whether a rule on tool is about a kind of target of several tools: a
// target family, or the command lines of a shell.
func IsShared(tool string) bool { return IsTargetFamily(tool) || isShell(tool) }

// IsZero reports whether s is the zero Spec.
func (s Spec) IsZero() bool {
	return s.names == nil && s.line == nil && s.host == nil && s.path == nil && s.own == nil
}

// hasWildcard reports whether s contains a wildcard.
func (s Spec) hasWildcard() bool {
	switch {
	case s.names != nil:
		return s.names.covers.hasWildcard()
	case s.line != nil:
		return s.line.covers.hasWildcard()
	case s.host != nil:
		return s.host.hasWildcard()
	}
	return len(s.path.posix.covers.rest) > 0
}

// Covers is the test of an allow rule. It reports whether s matches all names of x with
// everything that x includes. An Edit specifier also covers reading.
//
// If there are several bases, they are spellings of one place on one platform, and a name
// may match under any of them.
func (s Spec) Covers(x Subject, bs ...Base) bool {
	s = s.about(x.Kind)
	if !s.appliesTo(x) || x.Doubtful || len(x.Names) == 0 || (s.kind == Path && x.Write && !s.write) || (x.NoWildcards && s.hasWildcard()) {
		return false
	}
	for _, n := range x.Names {
		if !s.coversName(&x, n, bs) {
			return false
		}
	}
	return true
}

func (s Spec) coversName(x *Subject, name string, bs []Base) bool {
	switch {
	case s.names != nil:
		return s.names.covers.matches(name)
	case s.line != nil:
		return s.line.coversLine(name)
	case s.host != nil:
		return s.host.matches(name)
	}
	for _, b := range bs {
		if s.path.covers(name, x, b) {
			return true
		}
	}
	return false
}

// IsOnReading reports whether s is about reading files: it touches writing only so that no
// call evades it.
func (s Spec) IsOnReading() bool {
	s = s.about(Path)
	return s.kind == Path && s.path != nil && !s.write
}

// Touches is the test of a deny or ask rule. It reports whether s matches any name of x or
// anything that x includes. A Read specifier also touches writing, including that of a
// notebook. Claude Code's rules except NotebookEdit from that, which would let a call
// evade the rule.
func (s Spec) Touches(x Subject, bs ...Base) bool {
	s = s.about(x.Kind)
	if !s.appliesTo(x) || (s.kind == Path && s.write && !s.read && !x.Write) {
		return false
	}
	if x.Doubtful {
		return true
	}
	for _, n := range x.Names {
		if s.touchesName(&x, n, bs) {
			return true
		}
	}
	for _, n := range x.Nested {
		if s.touchesName(&x, n, bs) {
			return true
		}
	}
	return false
}

func (s Spec) touchesName(x *Subject, name string, bs []Base) bool {
	switch {
	case s.names != nil:
		return s.names.touchesName(name)
	case s.line != nil:
		return s.line.touchesLine(name) || x.Unparsed && s.line.touchesInside(name)
	case s.host != nil:
		return s.host.matches(name)
	}
	platform := Linux
	for _, b := range bs {
		platform = b.Platform
		if s.path.touches(name, x.Tree, b) {
			return true
		}
	}
	for _, place := range s.linkTargets {
		if s.path.touchesTarget(name, x.Tree, place, platform) {
			return true
		}
	}
	return false
}

// about returns the part of s that is about targets of a kind.
func (s Spec) about(kind Kind) Spec {
	if s.own == nil {
		return s
	}
	part := s.own.byKind[kind]
	part.linkTargets = s.linkTargets
	return part
}

// IsAbout reports whether s has a pattern for targets of a kind.
func (s Spec) IsAbout(kind Kind) bool {
	if s.own != nil {
		return true
	}
	return s.kind == kind && (s.names != nil || s.line != nil || s.host != nil || s.path != nil)
}

func (s Spec) appliesTo(x Subject) bool {
	switch {
	case s.names != nil:
		return true // the caller has matched the tool of the rule
	case s.line == nil && s.host == nil && s.path == nil:
		return false
	}
	return s.kind == x.Kind
}

// LiteralPrefix returns the absolute path of the part of an anchored path specifier before
// the first wildcard. It may contain links. On Windows it is spelled so that the system
// accepts it.
func (s Spec) LiteralPrefix(b Base) (string, bool) {
	s = s.about(Path)
	if s.path == nil {
		return "", false
	}
	return s.path.on(b.Platform).covers.prefixPath(b)
}

// Place is like LiteralPrefix, but returns for a bare name that name in the working directory.
// Exact reports whether s matches this place, or everything in it, and nothing else.
func (s Spec) Place(b Base) (path string, exact bool) {
	path, anchored := s.LiteralPrefix(b)
	s = s.about(Path)
	if s.path == nil {
		return "", false
	}
	g := &s.path.on(b.Platform).covers
	if anchored {
		all := len(g.rest) == 0 || len(g.rest) == 1 && g.rest[0].anyDepth()
		elsewhere := len(g.prefix) > 0 && g.touches[0].anyDepth() // "a/**" is about "b/a/c", too
		return path, all && !elsewhere
	}
	if g.anyDepth && len(g.prefix) == 1 && b.Dir != "" {
		return strings.TrimSuffix(b.Dir, "/") + "/" + g.prefix[0], false
	}
	return "", false
}

// WithLinkTargets returns s for a session in which [Spec.LiteralPrefix] resolves to other
// paths. Touches then also matches below these.
func (s Spec) WithLinkTargets(places ...string) Spec {
	s.linkTargets = places
	return s
}

// A nameRule is a specifier of names: of agents, of skills, of other things.
type nameRule struct {
	covers  wordGlob
	touches wordGlob // folded, since tools may ignore letter case and blanks around a name
}

func (r *nameRule) touchesName(name string) bool {
	return r.covers.matches(name) || r.touches.matches(foldMarks.fold(strings.TrimSpace(name)))
}

// Malformed returns why a target's value has no clear meaning, as the end of a sentence
// about the value, or "". Hosts are checked by [CanonicalHost] instead.
func Malformed(kind Kind, value string) string {
	switch {
	case strings.IndexByte(value, 0) >= 0:
		return "it holds a NUL character"
	case kind == Path:
		if scheme, ok := urlScheme(value); ok {
			return "it is a URL, of the scheme " + scheme + ", where a path alone belongs"
		}
		return ""
	case kind == Command:
		return "" // an empty line runs nothing
	case strings.TrimSpace(value) == "":
		return "it is empty"
	case strings.ContainsFunc(value, unicode.IsControl) || strings.ToValidUTF8(value, "") != value:
		return "it holds a control character or is not UTF-8"
	}
	return ""
}

// urlScheme returns the scheme of a text that programs read as a URL: "scheme://…" or
// "file:…".
func urlScheme(text string) (scheme string, ok bool) {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || len(scheme) < 2 || strings.ContainsFunc(scheme, notInScheme) { // one letter is a drive
		return "", false
	}
	return scheme, strings.HasPrefix(rest, "//") || strings.EqualFold(scheme, "file")
}

func notInScheme(r rune) bool { return r != '+' && r != '.' && (r == '_' || notInName(r)) }

// URL reports whether an address matches a pattern in which a star stands for any run of
// characters, in the scheme and the host without a slash. The pattern "*" matches every
// address. The user and the fragment are not compared, and a default port, the dot at the end
// of a host and needless escapes make no difference. The path is compared without the segments
// "." and "..", so that the address is of the place that the pattern names.
func URL(pattern string, u *url.URL) bool {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return pattern == "*"
	}
	host, place, slash := strings.Cut(rest, "/")
	if !Name(strings.ToLower(scheme), strings.ToLower(u.Scheme)) || !Name(urlHost(host, u.Scheme), urlHost(u.Host, u.Scheme)) {
		return false
	}
	return slices.ContainsFunc(urlPlaces(u), func(at string) bool {
		return Name(place, at) || !slash && (at == "" || strings.HasSuffix(host, "*"))
	})
}

// urlPlaces returns the path and the query of an address without the first slash: without
// needless escapes, and as it is spelled if it has no "." and "..".
func urlPlaces(u *url.URL) []string {
	clean := strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	if strings.HasSuffix(u.Path, "/") && clean != "" {
		clean += "/"
	}
	all := []string{(&url.URL{Path: "/" + clean}).EscapedPath()}
	if "/"+clean == u.Path {
		all = append(all, u.EscapedPath())
	}
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "/")
		if u.RawQuery != "" {
			all[i] += "?" + u.RawQuery
		}
	}
	return all
}

// urlHost returns a host in lower case, without the default port of a scheme and without the
// dot at the end of the name.
func urlHost(host, scheme string) string {
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	host = strings.TrimSuffix(strings.ToLower(host), port)
	return strings.TrimSuffix(strings.Replace(host, ".:", ":", 1), ".")
}
