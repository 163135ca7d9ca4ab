package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Base has the directories that the anchors of a path specifier stand for. All are absolute
// and clean; an empty one matches nothing.
type Base struct {
	Dir      string   // working directory, for "a/b" and "./a"
	Root     string   // directory of the rule's source, for "/a"
	Home     string   // home directory, for "~/a"
	Platform Platform // how paths are spelled and compared
}

// An anchor says which directory a path specifier is relative to.
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

// An anchoredGlob is a path specifier as one family of platforms reads it.
type anchoredGlob struct {
	anchor   anchor
	anyDepth bool     // a bare name matches at any depth, so it has no prefix path
	covers   glob     // for allow rules
	deep     bool     // covers also matches everything below
	touches  glob     // for deny and ask rules, always with everything below
	prefix   []string // names at the start without wildcards
	rest     glob     // segments after the prefix
	fold     folding  // folding of the globs
}

// A pathRule holds a path specifier for each platform.
type pathRule struct {
	posix, darwin, windows platformGlobs
	windowsDiffers         bool // Windows reads other names than the other platforms
}

// platformGlobs are the globs for one platform. A deny or ask rule applies if any of its
// globs matches, since a wider folding can also hide a match.
type platformGlobs struct {
	covers  anchoredGlob
	touches []anchoredGlob
}

// parsePath compiles a path specifier for all platforms, since the parser of a rule need not
// know where it will be used. It must be valid on each.
func parsePath(text string) (*pathRule, error) {
	posix, err := parseAnchoredGlob(text)
	if err != nil {
		return nil, err
	}
	windows, slashed := posix, windowsSlashes(text)
	if slashed != text {
		if windows, err = parseAnchoredGlob(slashed); err != nil {
			return nil, fmt.Errorf("on Windows: %w", err)
		}
	}
	return &pathRule{
		posix:          platformGlobs{covers: posix, touches: []anchoredGlob{posix}},
		darwin:         posix.foldedGlobs(foldMarks),
		windows:        windows.foldedGlobs(foldCase),
		windowsDiffers: slashed != text,
	}, nil
}

// foldedGlobs returns the globs of r for a platform that ignores letter case. Whether two
// letters beyond ASCII are equal depends on the disk, so allow rules compare these exactly.
func (r anchoredGlob) foldedGlobs(widest folding) platformGlobs {
	narrow, wide := r.folded(foldASCII), r.folded(widest)
	return platformGlobs{covers: narrow, touches: []anchoredGlob{wide, narrow}}
}

func (r anchoredGlob) folded(f folding) anchoredGlob {
	r.fold, r.covers, r.touches, r.rest = f, r.covers.fold(f), r.touches.fold(f), r.rest.fold(f)
	return r
}

func (p *pathRule) on(platform Platform) *platformGlobs {
	switch platform {
	case Darwin:
		return &p.darwin
	case Windows:
		return &p.windows
	}
	return &p.posix
}

// windowsSlashes returns text as Windows reads it. A backslash, or two of them, separates
// names, unless it precedes a character that EscapePath escapes there: a bracket anywhere,
// and the other characters at the start of a name or at the start or end of the text.
func windowsSlashes(text string) string {
	var b strings.Builder
	drive := len(text) > 2 && text[1] == ':' && isLetter(text[0]) && (text[2] == '/' || text[2] == '\\')
	if !drive && !strings.Contains(text, `\`) {
		return text
	}
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

// escapes reports whether a backslash on Windows escapes the character after it.
func escapes(rest string, last byte, first bool) bool {
	switch {
	case rest == " ", strings.HasPrefix(rest, "["), strings.HasPrefix(rest, "]"):
		return true
	case strings.HasPrefix(rest, "*"), strings.HasPrefix(rest, "?"):
		return last == '/'
	}
	return first && (strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "#"))
}

func parseAnchoredGlob(text string) (anchoredGlob, error) {
	if strings.HasPrefix(text, "!") {
		return anchoredGlob{}, errors.New(`a rule cannot take something back with "!"; write a rule for what is meant, or \! for a name that starts so`)
	}
	text = trimBlanks(text)
	r, rest := anchoredGlob{}, text
	switch {
	case text == "/" || text == "//" || text == "~" || text == "~/":
		return anchoredGlob{}, fmt.Errorf("%q names a whole tree; name the directory, or write %q for everything in it", text, strings.TrimSuffix(text, "/")+"/**")
	case text == "./":
		return anchoredGlob{}, errors.New(`"." is the whole working directory; write "./**" for everything in it`)
	case strings.HasPrefix(text, "//"):
		r.anchor, rest = fromFS, text[2:]
	case strings.HasPrefix(text, "~/"):
		r.anchor, rest = fromHome, text[2:]
	case strings.HasPrefix(text, "/"):
		r.anchor, rest = fromRoot, text[1:]
	case strings.HasPrefix(text, "./"):
		rest = text[2:]
	}
	relative := rest == text
	rest, dirOnly := strings.CutSuffix(rest, "/")
	g, err := parseGlob(rest)
	if err != nil {
		return anchoredGlob{}, fmt.Errorf("path %q: %w", text, err)
	}
	r.prefix = g.literals()
	r.rest = g[len(r.prefix):]
	r.anyDepth = relative && len(g) == 1
	wide := relative && len(g) == 2 && g[1].anyDepth()
	if r.anyDepth {
		g = g.atAnyDepth()
	}
	r.covers, r.deep = g.narrow(dirOnly)
	if r.touches = g; wide {
		r.touches = g.atAnyDepth()
	}
	return r, nil
}

// trimBlanks removes blanks at the end that are not escaped.
func trimBlanks(text string) string {
	trimmed := strings.TrimRight(text, " ")
	if len(trimmed) < len(text) && strings.HasSuffix(trimmed, `\`) && !strings.HasSuffix(trimmed, `\\`) {
		trimmed += " "
	}
	return trimmed
}

// prefixPath returns the absolute path of the prefix of r.
func (r *anchoredGlob) prefixPath(b Base) (string, bool) {
	base := r.anchor.of(b)
	if base == "" || r.anyDepth {
		return "", false
	}
	names := strings.Join(r.prefix, "/")
	if b.Platform == Windows && r.anchor == fromFS && len(r.prefix) > 0 && len(r.prefix[0]) == 1 {
		drive, below, _ := strings.Cut(names, "/")
		return drive + ":/" + below, true
	}
	if names == "" {
		return base, true
	}
	return strings.TrimSuffix(base, "/") + "/" + names, true
}

// covers reports whether an allow rule matches name with everything it includes.
func (p *pathRule) covers(name string, x *Subject, b Base) bool {
	r := &p.on(b.Platform).covers
	name, doubt := canonical(b.Platform, name)
	rel, ok := r.relative(b, name)
	if !ok || doubt != "" && doubt != noDrive {
		return false
	}
	if !x.Tree || r.deep {
		return r.covers.matches(rel, r.deep)
	}
	// A rule on everything in a directory also covers reading the directory, but not
	// removing it.
	inner, all := r.covers.contentOf()
	return all && (r.covers.matches(rel, false) || !x.Write && inner.matches(rel, false))
}

// touches reports whether a deny or ask rule matches name or anything it includes.
func (p *pathRule) touches(name string, tree bool, b Base) bool {
	name, _ = canonical(b.Platform, name)
	for i := range p.on(b.Platform).touches {
		r := &p.on(b.Platform).touches[i]
		if base := r.base(b); base != "" && r.touches.touches(base, r.fold.fold(name), tree) {
			return true
		}
	}
	return false
}

// touchesTarget is touches with place, the resolved prefix, in place of the prefix.
func (p *pathRule) touchesTarget(name string, tree bool, place string, platform Platform) bool {
	name, _ = canonical(platform, name)
	place, _ = canonical(platform, place)
	for i := range p.on(platform).touches {
		r := &p.on(platform).touches[i]
		if r.rest.touches(r.fold.fold(place), r.fold.fold(name), tree) {
			return true
		}
	}
	return false
}

// relative returns name relative to the anchor's directory.
func (r *anchoredGlob) relative(b Base, name string) (string, bool) {
	base := r.base(b)
	if base == "" {
		return "", false
	}
	return relativeTo(base, r.fold.fold(name))
}

// base returns the anchor's directory in the form in which names are compared.
func (r *anchoredGlob) base(b Base) string {
	base, _ := canonical(b.Platform, r.anchor.of(b))
	return r.fold.fold(base)
}

// relativeTo returns name relative to dir: empty if it is dir.
func relativeTo(dir, name string) (string, bool) {
	if dir == name {
		return "", dir != ""
	}
	dir = strings.TrimSuffix(dir, "/")
	if len(name) <= len(dir) || name[len(dir)] != '/' || name[:len(dir)] != dir {
		return "", false
	}
	return strings.TrimLeft(name[len(dir):], "/"), true
}

// protectedNames are directories and files whose content other programs run or trust.
var protectedNames = []string{
	".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude",

	".gitconfig", ".gitmodules",
	".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout",
	".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile", ".envrc",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml",
	".bazelrc", ".bazelversion", ".bazeliskrc",
	".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml",
	"gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json",
	".ripgreprc", "pyrightconfig.json", ".mcp.json", ".claude.json",
}

// Protected reports whether path, absolute and clean, is or is below a file or directory
// whose content other programs run or trust, and returns its name. No allow rule permits
// writing it without asking.
//
// Names are compared as the least strict platform does, on every system, so ".GIT" counts on
// Linux too: the disk may be shared. Every name in the path counts, including that of a file
// where a directory is expected. ".claude/worktrees" is not protected, in exactly this
// spelling.
func Protected(p Platform, path string) (what string, ok bool) {
	path, _ = canonical(p, path)
	written := strings.Split(path, "/")
	for i, name := range written {
		folded := foldMarks.fold(name)
		if folded == ".claude" && name == folded && i+1 < len(written) && written[i+1] == "worktrees" {
			continue
		}
		if slices.Contains(protectedNames, folded) {
			return folded, true
		}
		if folded == "git" && i > 0 && foldMarks.fold(written[i-1]) == ".config" {
			return ".config/git", true
		}
	}
	return "", false
}

// A wordGlob is a glob of a line, with or without further words after it.
type wordGlob struct {
	text     string
	withArgs string // glob of text with further words; empty if there must be none
	onPorts  bool   // text ends in this machine, on which a port may follow
}

// parseWords parses a glob. A star after a blank at the end, or ":*", stands for the words
// before it, with or without further words.
func parseWords(text string) wordGlob {
	first, ok := strings.CutSuffix(text, ":*")
	if !ok {
		first, ok = strings.CutSuffix(text, "*")
		ok = ok && strings.TrimRight(first, " \t") != first
	}
	first = strings.TrimRight(first, " \t")
	switch {
	case !ok:
		return wordGlob{text: text}
	case first == "":
		return wordGlob{text: "*"}
	}
	return wordGlob{text: first, withArgs: first + " *", onPorts: strings.HasSuffix(text, ":*") && thisMachine.MatchString(first)}
}

var (
	// thisMachine matches a text whose last word is this machine, perhaps as a URL.
	thisMachine = regexp.MustCompile(`(?i)(^| )(https?://)?(localhost|127\.0\.0\.1|\[::1\])$`)
	// portAtStart matches a port and the rest of its word, which could not be a user.
	portAtStart = regexp.MustCompile(`^:[0-9]+([/?#][^ @]*)?( |$)`)
)

func (w wordGlob) hasWildcard() bool { return w.withArgs != "" || strings.Contains(w.text, "*") }

func (w wordGlob) matches(s string) bool {
	if w.onPorts && !strings.Contains(w.text, "*") {
		if rest, ok := strings.CutPrefix(s, w.text); ok && portAtStart.MatchString(rest) {
			return true
		}
	}
	return Name(w.text, s) || w.withArgs != "" && Name(w.withArgs, s)
}

// fold returns w for lines that f has folded.
func (w wordGlob) fold(f folding) wordGlob {
	return wordGlob{f.fold(w.text), f.fold(w.withArgs), w.onPorts}
}
