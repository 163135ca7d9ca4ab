package pattern_test

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

var (
	base  = pattern.Base{Dir: "/srv/app", Root: "/srv", Home: "/home/ada"}
	twin  = pattern.Base{Dir: "/real/app", Root: "/real", Home: "/home/ada"} // the same place, links followed
	empty = pattern.Base{}
)

func writes(names ...string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Path, Write: true, Names: names}
}

func reads(names ...string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Path, Names: names}
}

func tree(name string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Path, Tree: true, Names: []string{name}}
}

func runs(line string, inner ...string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Command, Names: []string{line}, Nested: inner}
}

func reaches(host string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Host, Names: []string{host}}
}

func called(names ...string) pattern.Subject {
	return pattern.Subject{Kind: pattern.Text, Names: names}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, text string
		wildcard         bool // the error is ErrWildcard
		says             string
	}{
		{name: "nothing", tool: "Bash", text: "", says: "leave them out"},
		{name: "blanks", tool: "Edit", text: " \t", says: "leave them out"},
		{name: "path that negates", tool: "Edit", text: "!a", says: `\!`},
		{name: "path with a class that does not end", tool: "Edit", text: "a[bc", says: `\[`},
		{name: "path with a class over two names", tool: "Edit", text: "a[b/c]", says: `\[`},
		{name: "path with an unknown class", tool: "Edit", text: "a[[:vowel:]]", says: "[:vowel:]"},
		{name: "path that ends in a backslash", tool: "Read", text: `a\`, says: "backslash"},
		{name: "parent as Windows reads it", tool: "Read", text: `a\..\b`, says: "Windows"},
		{name: "parent", tool: "Edit", text: "../a", says: `".."`},
		{name: "parent inside", tool: "Edit", text: "//a/../etc", says: `".."`},
		{name: "parent at the end", tool: "Edit", text: "/a/..", says: `".."`},
		{name: "dot inside", tool: "Edit", text: "a/./b", says: `"."`},
		{name: "dot alone", tool: "Edit", text: ".", says: `"."`},
		{name: "dot and slash", tool: "Edit", text: "./", says: `"."`},
		{name: "slash twice inside", tool: "Edit", text: "a//b", says: `""`},
		{name: "slash twice at the end", tool: "Edit", text: "a//", says: `""`},
		{name: "slash three times", tool: "Edit", text: "///a", says: `""`},
		{name: "the whole source", tool: "Edit", text: "/", says: "whole tree"},
		{name: "the whole file system", tool: "Read", text: "//", says: "whole tree"},
		{name: "the whole home", tool: "Read", text: "~/", says: "~/"}, // or else it would be a file of the name "~"
		{name: "host without its word", tool: "WebFetch", text: "example.com", says: "domain:"},
		{name: "no host", tool: "WebFetch", text: "domain:", says: "domain:"},
		{name: "a dot for a host", tool: "WebFetch", text: "domain:.", says: "domain:"},
		{name: "blanks for a host", tool: "WebFetch", text: "domain: ", says: "domain:"},
		{name: "host with a scheme", tool: "WebFetch", text: "domain:https://example.com", says: "host alone"},
		{name: "host with a port", tool: "WebFetch", text: "domain:example.com:443", says: "host alone"},
		{name: "host with an empty label", tool: "WebFetch", text: "domain:a..b", says: "empty"},
		{name: "host with a long label", tool: "WebFetch", text: "domain:" + strings.Repeat("ü", 40) + ".example", says: "longer"},
		{name: "host with two stars", tool: "WebFetch", text: "domain:**.example.com", says: "*."},
		{name: "host with a letter of several", tool: "WebFetch", text: "domain:ĳs.example", says: "xn--"},
		{name: "host with a capital i that has a dot", tool: "WebFetch", text: "domain:İs.example", says: "xn--"},
		{name: "host with sharp s", tool: "WebFetch", text: "domain:straße.example", says: "xn--"},
		{name: "host with a star and letters", tool: "WebFetch", text: "domain:bü*.example", says: "xn--"},
		{name: "host whose letters come apart", tool: "WebFetch", text: "domain:bu\u0308cher.example", says: "xn--"},
		{name: "parameter of WebFetch", tool: "WebFetch", text: "prompt:a", says: "domain:"},
		{name: "agent with a star", tool: "Agent", text: "review*", wildcard: true},
		{name: "agent with a star that stands apart", tool: "Agent", text: "review *", wildcard: true},
		{name: "skill with two stars", tool: "Skill", text: "de*loy *", wildcard: true},
		{name: "skill with a star that does not stand apart", tool: "Skill", text: "deploy*", wildcard: true},
		{name: "skill without a name", tool: "Skill", text: " *", wildcard: true},
		{name: "other tool with a star", tool: "mcp__a__b", text: "deploy *", wildcard: true},
		{name: "other tool with a question mark", tool: "Skill", text: "a?", wildcard: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := pattern.Parse(tc.tool, tc.text)
			require.Error(t, err)
			require.Contains(t, err.Error(), tc.says)
			require.Equal(t, tc.wildcard, errors.Is(err, pattern.ErrWildcard), "%v", err)
			require.Equal(t, pattern.Spec{}, s)
		})
	}
}

// TestSpec holds one specifier against one subject. What covers also touches.
func TestSpec(t *testing.T) {
	t.Parallel()
	const (
		no      = iota
		touches // and does not cover
		covers
	)
	tests := []struct {
		name, tool, text string
		x                pattern.Subject
		bases            []pattern.Base // nil: base
		want             int
	}{
		{name: "root of the file system", tool: "Edit", text: "//etc/hosts", x: writes("/etc/hosts"), want: covers},
		{name: "not below the directory", tool: "Edit", text: "//etc/hosts", x: writes("/srv/app/etc/hosts")},
		{name: "home", tool: "Edit", text: "~/notes", x: writes("/home/ada/notes"), want: covers},
		{name: "another home", tool: "Edit", text: "~/notes", x: writes("/home/bob/notes")},
		{name: "nobody's home", tool: "Edit", text: "~/notes", x: writes("/notes"), bases: []pattern.Base{empty}},
		{name: "the source's root", tool: "Edit", text: "/app/a.go", x: writes("/srv/app/a.go"), want: covers},
		{name: "not the file system", tool: "Edit", text: "/app/a.go", x: writes("/app/a.go")},
		{name: "not the working directory", tool: "Edit", text: "/a.go", x: writes("/srv/app/a.go")},
		{name: "dot slash", tool: "Edit", text: "./a.go", x: writes("/srv/app/a.go"), want: covers},
		{name: "dot slash stays on top", tool: "Edit", text: "./a.go", x: writes("/srv/app/b/a.go")},
		{name: "relative", tool: "Edit", text: "b/a.go", x: writes("/srv/app/b/a.go"), want: covers},
		{name: "relative stays on top", tool: "Edit", text: "b/a.go", x: writes("/srv/app/c/b/a.go")},
		{name: "bare name", tool: "Edit", text: ".env", x: writes("/srv/app/.env"), want: covers},
		{name: "bare name, deep", tool: "Edit", text: ".env", x: writes("/srv/app/a/b/.env"), want: covers},
		{name: "bare name, above", tool: "Edit", text: ".env", x: writes("/srv/.env")},
		{name: "bare name of a directory", tool: "Edit", text: "gen", x: writes("/srv/app/a/gen/b/c.go"), want: covers},
		{name: "bare name with a slash at the end", tool: "Edit", text: "gen/", x: writes("/srv/app/a/gen/c.go"), want: covers},
		{name: "bare name is whole", tool: "Edit", text: ".env", x: writes("/srv/app/.env.local")},
		{name: "bare name of the working directory itself", tool: "Edit", text: "app", x: writes("/srv/app/a")},
		{name: "a directory covers what is below", tool: "Edit", text: "/app/src", x: writes("/srv/app/src/a/b.go"), want: covers},
		{name: "a directory with a slash", tool: "Edit", text: "/app/src/", x: writes("/srv/app/src/a.go"), want: covers},
		{name: "a directory covers itself", tool: "Edit", text: "/app/src/", x: writes("/srv/app/src"), want: covers},
		{name: "a name that only begins alike", tool: "Edit", text: "/app/src", x: writes("/srv/app/src2/a.go")},
		{name: "what is above", tool: "Edit", text: "/app/src/a.go", x: writes("/srv/app/src")},
		{name: "letter case counts", tool: "Edit", text: "/app/A.go", x: writes("/srv/app/a.go")},
		{name: "under another spelling", tool: "Edit", text: "./a.go", x: writes("/real/app/a.go"), bases: []pattern.Base{base, twin}, want: covers},
		{name: "each name under its own spelling", tool: "Edit", text: "./a.go", x: writes("/srv/app/a.go", "/real/app/a.go"), bases: []pattern.Base{base, twin}, want: covers},
		{name: "without a place to stand on", tool: "Edit", text: "./a.go", x: writes("/a.go"), bases: []pattern.Base{empty}},

		{name: "all names", tool: "Edit", text: "gen", x: writes("/srv/app/gen/a", "/srv/app/gen/b"), want: covers},
		{name: "one of two names", tool: "Edit", text: "gen", x: writes("/srv/app/gen/a", "/etc/passwd"), want: touches},
		{name: "the last of two names", tool: "Edit", text: "gen", x: writes("/etc/passwd", "/srv/app/gen/a"), want: touches},
		{name: "no name", tool: "Edit", text: "gen", x: writes()},

		{name: "tree above", tool: "Read", text: "/app/src/a.go", x: tree("/srv/app"), want: touches},
		{name: "tree of the file system", tool: "Read", text: "~/.ssh", x: tree("/"), want: touches},
		{name: "tree beside", tool: "Read", text: "/app/src/a.go", x: tree("/srv/app/docs")},
		{name: "tree inside", tool: "Read", text: "/app/src", x: tree("/srv/app/src/a"), want: covers},
		{name: "tree itself", tool: "Read", text: "/app/src", x: tree("/srv/app/src"), want: covers},
		{name: "bare name somewhere in the tree", tool: "Read", text: ".env", x: tree("/srv/app/docs"), want: touches},
		{name: "bare name in a tree that holds the directory", tool: "Read", text: ".env", x: tree("/srv"), want: touches},
		{name: "bare name in a tree elsewhere", tool: "Read", text: ".env", x: tree("/var")},
		{name: "no tree, only its root", tool: "Read", text: "/app/src/a.go", x: reads("/srv/app")},

		{name: "Read is about reading", tool: "Read", text: "a", x: reads("/srv/app/a"), want: covers},
		{name: "Read covers no writing", tool: "Read", text: "a", x: writes("/srv/app/a"), want: touches},
		{name: "Edit is about writing", tool: "Edit", text: "a", x: writes("/srv/app/a"), want: covers},
		{name: "a path rule is about no command", tool: "Read", text: "a", x: runs("/srv/app/a")},

		{name: "host", tool: "WebFetch", text: "domain:example.com", x: reaches("example.com"), want: covers},
		{name: "host in another case", tool: "WebFetch", text: "domain:Example.COM", x: reaches("eXample.com"), want: covers},
		{name: "host with a final dot", tool: "WebFetch", text: "domain:example.com", x: reaches("example.com."), want: covers},
		{name: "rule with a final dot", tool: "WebFetch", text: "domain:example.com.", x: reaches("example.com"), want: covers},
		{name: "a sub-domain is another host", tool: "WebFetch", text: "domain:example.com", x: reaches("www.example.com")},
		{name: "a host that ends alike", tool: "WebFetch", text: "domain:example.com", x: reaches("notexample.com")},
		{name: "a host rule is about no path", tool: "WebFetch", text: "domain:a", x: reads("a")},

		{name: "command", tool: "Bash", text: "git status", x: runs("git status"), want: covers},
		{name: "command with arguments", tool: "Bash", text: "git status", x: runs("git status -s")},
		{name: "blanks between words", tool: "Bash", text: "git status", x: runs("  git \t  status "), want: covers},
		{name: "blanks in the rule", tool: "Bash", text: "git   status", x: runs("git status"), want: covers},
		{name: "a blank less", tool: "Bash", text: "git status", x: runs("gitstatus")},
		{name: "a line break is no blank", tool: "Bash", text: "echo a", x: runs("echo\na")},
		{name: "blanks in double quotes", tool: "Bash", text: `git commit -m "a b"`, x: runs(`git commit -m "a  b"`)},
		{name: "blanks in single quotes", tool: "Bash", text: `echo 'a b'`, x: runs(`echo 'a  b'`)},
		{name: "an escaped blank", tool: "Bash", text: `cat a\ b`, x: runs(`cat a\  b`)},
		{name: "the same quotes", tool: "Bash", text: `git commit -m "a  b"`, x: runs(`git commit -m "a  b"`), want: covers},
		{name: "blanks before the quotes", tool: "Bash", text: `git commit -m "a  b"`, x: runs(`git  commit	-m "a  b"`), want: covers},
		{name: "a star only stands for itself", tool: "Bash", text: "ls a", x: runs("ls *")},
		{name: "a question mark is a letter", tool: "Bash", text: "ls a?", x: runs("ls a?"), want: covers},
		{name: "a colon inside", tool: "Bash", text: "git push a:b", x: runs("git push a:b"), want: covers},
		{name: "letter case of commands", tool: "Bash", text: "ls", x: runs("LS")},
		{name: "what it runs in turn", tool: "Bash", text: "rm a", x: runs("sudo rm a", "rm a"), want: touches},
		{name: "what it runs in turn, alone", tool: "Bash", text: "sudo rm a", x: runs("sudo rm a", "rm a"), want: covers},
		{name: "PowerShell", tool: "PowerShell", text: "Get-Date", x: runs("Get-Date"), want: covers},
		{name: "a command rule is about no path", tool: "Bash", text: "a", x: reads("a")},

		{name: "any other tool", tool: "Agent", text: "reviewer", x: called("reviewer"), want: covers},
		{name: "any other tool is exact", tool: "Agent", text: "reviewer", x: called("reviewer2")},
		{name: "any other tool, blanks count", tool: "Skill", text: "a b", x: called("a  b")},
		{name: "any other tool, one name of two", tool: "Skill", text: "a", x: called("a", "b"), want: touches},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.bases == nil {
				tc.bases = []pattern.Base{base}
			}
			s, err := pattern.Parse(tc.tool, tc.text)
			require.NoError(t, err)
			require.Equal(t, tc.want == covers, s.Covers(tc.x, tc.bases...), "covers")
			require.Equal(t, tc.want >= touches, s.Touches(tc.x, tc.bases...), "touches")
		})
	}
}

// TestEditCoversReading: an allow rule on writing a file covers reading it, but a rule against
// writing says nothing of reading (Claude Code's documentation of permission rules).
func TestEditCoversReading(t *testing.T) {
	t.Parallel()
	s, err := pattern.Parse("Edit", "a")
	require.NoError(t, err)
	require.True(t, s.Covers(reads("/srv/app/a"), base))
	require.False(t, s.Touches(reads("/srv/app/a"), base))
}

func TestZeroSpecMatchesNothing(t *testing.T) {
	t.Parallel()
	var s pattern.Spec
	for _, x := range []pattern.Subject{called(""), called("a"), reads("/"), tree("/"), runs(""), reaches("")} {
		require.False(t, s.Covers(x, base))
		require.False(t, s.Touches(x, base))
	}
}

func TestIsTargetFamily(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]bool{
		"Edit": true, "Read": true, "WebFetch": true,
		"Bash": false, "Write": false, "Agent": false, "edit": false, "": false,
	} {
		require.Equal(t, want, pattern.IsTargetFamily(tool), tool)
	}
}

// FuzzSpec holds whatever parses against whatever there is, on every platform.
// What covers a thing also touches it, a further name never makes an allow rule
// cover more, nor a deny rule touch less, a tree is touched if anything in it is,
// and is covered only if all of it is.
func FuzzSpec(f *testing.F) {
	f.Add("Edit", "/src/a.go", "/srv/src/a.go", "/etc/passwd", byte(0))
	f.Add("Read", ".env", "/srv/app/.env", "/srv/app/x", byte(1))
	f.Add("Read", "~/", "/home/ada/x", "~", byte(2))
	f.Add("Read", "src/**/[a-c]*/", "/srv/app/x/src/b/é", "a", byte(1))
	f.Add("Edit", "s*/**", "/srv/app/src/a", "b/c", byte(0))
	f.Add("Edit", `C:\srv\**`, `c:\srv\a. `, `\\?\C:\x`, byte(2))
	f.Add("Bash", `git  commit -m "a  b"`, `git commit -m "a  b"`, "", byte(0))
	f.Add("Bash", "git * $X:*", "git push\t$X y", "", byte(0))
	f.Add("PowerShell", "Get-* *", "get-item x", "", byte(0))
	f.Add("WebFetch", "domain:a.", "A", "b", byte(0))
	f.Add("WebFetch", "domain:*.b*.c", "x.y.bb.c", "[::1]", byte(0))
	f.Add("Agent", "x", "x", "y", byte(0))
	f.Add("Skill", "x *", "x y", "y", byte(0))
	f.Fuzz(func(t *testing.T, tool, text, name, other string, platform byte) {
		s, err := pattern.Parse(tool, text)
		if err != nil {
			require.Equal(t, pattern.Spec{}, s)
			return
		}
		b := base
		b.Platform = pattern.Platform(platform % 3)
		for _, x := range []pattern.Subject{writes(name), reads(name), tree(name), runs(name), reaches(name), called(name)} {
			covers, touches := s.Covers(x, b), s.Touches(x, b)
			more := x
			more.Names = []string{name, other}
			if s.Covers(more, b) {
				require.True(t, covers, "a further name made %+v covered", x)
			}
			if touches {
				require.True(t, s.Touches(more, b), "a further name hid %+v", x)
			}
			if covers && pattern.IsTargetFamily(tool) && x.Kind == pattern.Path && b.Platform == pattern.Linux {
				require.True(t, below(name, "/srv/app") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/"), name)
			}
			if covers && (tool != "Edit" || x.Write) { // who may write may read; who may not write may still read
				require.True(t, touches, "%+v is covered and not touched", x)
			}
			if !x.Tree || !pattern.IsTargetFamily(tool) || !filepath.IsAbs(name) || filepath.Clean(name) != name || strings.Contains(other, "..") {
				continue
			}
			in := x
			in.Names = []string{filepath.Join(name, other)}
			require.False(t, s.Touches(in, b) && !touches, "a tree is less than %+v", in)
			in.Tree = false
			require.False(t, s.Touches(in, b) && !touches, "a tree is less than %+v", in)
			if covers && filepath.Join(name, other) != name && b.Platform == pattern.Linux {
				require.True(t, s.Covers(in, b), "a tree is more than %+v", in)
			}
		}
	})
}

func below(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// TestClasses of characters, at the ends of each.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ class, in, out string }{
		{class: "[acz]", in: "acz", out: "bdy"},
		{class: "[a-cx-z]", in: "abcxyz", out: "dw`{"},
		{class: "[]a]", in: "]a", out: "[b"},
		{class: "[a-]", in: "a-", out: "b"},
		{class: "[!a-c]", in: "d`]", out: "abc"},
		{class: "[[:alpha:]]", in: "azAZ", out: "`{@[5é"},
		{class: "[[:digit:]]", in: "09", out: "a:-²"},
		{class: "[[:alnum:]]", in: "azAZ09", out: "`{@[:-"},
		{class: "[[:lower:]]", in: "az", out: "AZ`{"},
		{class: "[[:upper:]]", in: "AZ", out: "az@["},
		{class: "[[:xdigit:]]", in: "09afAF", out: "`g@G:-"},
		{class: "[[:blank:]]", in: " \t", out: "\va"},
		{class: "[[:space:]]", in: " \t\v", out: "a\u00a0"},
		{class: "[[:cntrl:]]", in: "\x01\x7f", out: " a\u0085"},
		{class: "[[:print:]]", in: " ~a", out: "\x7fé"},
		{class: "[[:graph:]]", in: "!~a", out: " é"},
		{class: "[[:punct:]]", in: "!~@[`{:", out: " azAZ09§"},
		{class: "[x[:digit:]]", in: "x5", out: "a"},
	} {
		spec, err := pattern.Parse("Edit", "./"+tt.class)
		require.NoError(t, err)
		for _, r := range tt.in {
			require.True(t, spec.Covers(writes("/srv/app/"+string(r)), base), "%s %q", tt.class, r)
		}
		for _, r := range tt.out {
			require.False(t, spec.Covers(writes("/srv/app/"+string(r)), base), "%s %q", tt.class, r)
			require.False(t, spec.Touches(writes("/srv/app/"+string(r)), base) && r != 'é' && !strings.Contains("AZaz", string(r)), "%s %q", tt.class, r)
		}
	}
}

// TestEscapePath writes what means itself, and no more than that needs.
func TestEscapePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a/b": "/a/b", "!a!": `\!a!`, "#a#": `\#a#`, "a*?[b": `a\*\?\[b`, `a\b`: `a\\b`, " a ": ` a\ `, "": "",
	} {
		require.Equal(t, want, pattern.EscapePath(path))
	}
}

// TestMalformed values say what is wrong with them.
func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind  pattern.Kind
		value string
		want  string // a part; empty: it is well formed
	}{
		{kind: pattern.Path, value: "/a"},
		{kind: pattern.Path, value: "a:b"},
		{kind: pattern.Path, value: "c://x"}, // a drive
		{kind: pattern.Path, value: "http://h/x", want: "scheme http"},
		{kind: pattern.Path, value: "http:x"},
		{kind: pattern.Path, value: "file:x", want: "scheme file"},
		{kind: pattern.Path, value: "FILE:/x", want: "scheme FILE"},
		{kind: pattern.Path, value: "a+b.c-d://x", want: "scheme a+b.c-d"},
		{kind: pattern.Path, value: "a_b://x"},
		{kind: pattern.Path, value: "a\x00b", want: "NUL"},
		{kind: pattern.Command, value: ""},
		{kind: pattern.Command, value: "a\nb"},
		{kind: pattern.Command, value: "\x00", want: "NUL"},
		{kind: pattern.Text, value: " ", want: "empty"},
		{kind: pattern.Text, value: "a"},
		{kind: pattern.Text, value: "a\nb", want: "control character"},
		{kind: pattern.Text, value: "\xff", want: "not UTF-8"},
	} {
		got := pattern.Malformed(tt.kind, tt.value)
		require.Equal(t, tt.want == "", got == "", "%q: %s", tt.value, got)
		require.Contains(t, got, tt.want)
	}
}

// TestSpecOfAHostsOwnTool is read for each kind of target.
func TestSpecOfAHostsOwnTool(t *testing.T) {
	t.Parallel()
	own, err := pattern.Parse("T", "./a/*.x")
	require.NoError(t, err)
	prefix, ok := own.LiteralPrefix(base)
	require.True(t, ok)
	require.Equal(t, "/srv/app/a", prefix)
	require.True(t, own.Touches(writes("/srv/app/a/b.x"), base))
	for tool, text := range map[string]string{"Bash": "ls", "WebFetch": "domain:h.test", "Read": "a", "Agent": "b"} {
		s, err := pattern.Parse(tool, text)
		require.NoError(t, err)
		for _, kind := range []pattern.Kind{pattern.Text, pattern.Path, pattern.Host, pattern.Command} {
			require.True(t, own.IsAbout(kind))
			require.Equal(t, map[string]pattern.Kind{"Bash": pattern.Command, "WebFetch": pattern.Host, "Read": pattern.Path, "Agent": pattern.Text}[tool] == kind, s.IsAbout(kind), "%s, %d", tool, kind)
		}
	}
	require.False(t, pattern.Spec{}.IsAbout(pattern.Text))
}

// TestNoWildcardsInPaths: a target that no wildcard may cover is covered by its own name.
func TestNoWildcardsInPaths(t *testing.T) {
	t.Parallel()
	x := writes("/srv/app/a")
	for text, want := range map[string]bool{"./a": true, "./*": false, "./**": false} {
		s, err := pattern.Parse("Edit", text)
		require.NoError(t, err)
		x.NoWildcards = false
		require.True(t, s.Covers(x, base), text)
		x.NoWildcards = true
		require.Equal(t, want, s.Covers(x, base), text)
	}
}

func TestURL(t *testing.T) {
	tests := []struct {
		name, pattern, address string
		want                   bool
	}{
		{name: "every address", pattern: "*", address: "ftp://h/x", want: true},
		{name: "no scheme in the pattern", pattern: "h/x", address: "https://h/x"},
		{name: "the same", pattern: "https://h/x", address: "https://h/x", want: true},
		{name: "another scheme", pattern: "https://h/x", address: "http://h/x"},
		{name: "a star for the scheme", pattern: "*://h/x", address: "http://h/x", want: true},
		{name: "capitals", pattern: "HTTPS://H/x", address: "https://h/x", want: true},
		{name: "capitals in the path", pattern: "https://h/X", address: "https://h/x"},
		{name: "a subdomain", pattern: "https://*.h.example/*", address: "https://a.h.example/x", want: true},
		{name: "a name that only ends so", pattern: "https://*.h.example/*", address: "https://ah.example/x"},
		{name: "a star in the host holds no slash", pattern: "https://*.example/x", address: "https://evil/a.example/x"},
		{name: "the default port", pattern: "https://h/x", address: "https://h:443/x", want: true},
		{name: "the default port in the pattern", pattern: "http://h:80/x", address: "http://h/x", want: true},
		{name: "another port", pattern: "https://h/x", address: "https://h:8443/x"},
		{name: "the port of another scheme", pattern: "https://h/x", address: "https://h:80/x"},
		{name: "a dot at the end of the host", pattern: "https://h.example/x", address: "https://h.example.:443/x", want: true},
		{name: "no path", pattern: "https://h", address: "https://h/", want: true},
		{name: "no path in the pattern", pattern: "https://h", address: "https://h/x"},
		{name: "no path after a star", pattern: "https://*", address: "https://h/x?y", want: true},
		{name: "no path after a star, elsewhere", pattern: "https://h", address: "https://h/x/"},
		{name: "an escape that is needed", pattern: "https://h/a%2Fb", address: "https://h/a%2Fb", want: true},
		{name: "an escape that is not needed, in both", pattern: "https://h/%68", address: "https://h/%68", want: true},
		{name: "an escape that is not needed, and dots", pattern: "https://h/%68/../x", address: "https://h/%68/../x"},
		{name: "a directory", pattern: "https://h/x/", address: "https://h/y/../x/", want: true},
		{name: "dots lead elsewhere", pattern: "https://h/hooks/*", address: "https://h/hooks/../admin"},
		{name: "dots lead back", pattern: "https://h/hooks/*", address: "https://h/x/../hooks/a", want: true},
		{name: "escaped dots", pattern: "https://h/hooks/*", address: "https://h/hooks/%2e%2e/admin"},
		{name: "a needless escape", pattern: "https://h/hooks", address: "https://h/%68ooks", want: true},
		{name: "a query", pattern: "https://h/x", address: "https://h/x?y=1"},
		{name: "a star for the query", pattern: "https://h/x*", address: "https://h/x?y=1", want: true},
		{name: "a fragment", pattern: "https://h/x", address: "https://h/x#y", want: true},
		{name: "an empty pattern", pattern: "", address: "https://h/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.address)
			require.NoError(t, err)
			require.Equal(t, tt.want, pattern.URL(tt.pattern, u))
		})
	}
}
