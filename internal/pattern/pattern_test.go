package pattern_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

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
	return pattern.Subject{Kind: pattern.Command, Names: []string{line}, Inner: inner}
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
		{name: "path with a star", tool: "Edit", text: "src/*.go", wildcard: true},
		{name: "path with two stars", tool: "Read", text: "/src/**", wildcard: true},
		{name: "path with a question mark", tool: "Read", text: "a?", wildcard: true},
		{name: "path with a class", tool: "Read", text: "a[bc]", wildcard: true},
		{name: "path that negates", tool: "Edit", text: "!a", wildcard: true},
		{name: "path with an escape", tool: "Edit", text: `a\*`, wildcard: true},
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
		{name: "host with a star", tool: "WebFetch", text: "domain:*.example.com", wildcard: true},
		{name: "command with a star", tool: "Bash", text: "npm run *", wildcard: true},
		{name: "command prefix", tool: "Bash", text: "npm:*", wildcard: true},
		{name: "PowerShell prefix", tool: "PowerShell", text: "Get-Item *", wildcard: true},
		{name: "parameter of Bash", tool: "Bash", text: "run_in_background:true", wildcard: true},
		{name: "parameter with blanks", tool: "Bash", text: "run_in_background : true", wildcard: true},
		{name: "parameter of another tool", tool: "Agent", text: "model:opus", wildcard: true},
		{name: "other tool with a star", tool: "Skill", text: "deploy *", wildcard: true},
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
		{name: "Read covers no writing", tool: "Read", text: "a", x: writes("/srv/app/a"), want: touches}, // contract 1.6
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
		{name: "blanks before the quotes", tool: "Bash", text: `git commit -m "a  b"`, x: runs(`git  commit	-m "a  b"`), want: covers}, // contract 1.4
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
			require.Equal(t, tc.want >= touches, s.Touches(tc.x, nil, tc.bases...), "touches")
		})
	}
}

// TestEditCoversReading: who may write a file may read it, but a rule against
// writing says nothing of reading (contract 1.6).
func TestEditCoversReading(t *testing.T) {
	t.Parallel()
	s, err := pattern.Parse("Edit", "a")
	require.NoError(t, err)
	require.True(t, s.Covers(reads("/srv/app/a"), base))
	require.False(t, s.Touches(reads("/srv/app/a"), nil, base))
}

func TestZeroSpecMatchesNothing(t *testing.T) {
	t.Parallel()
	var s pattern.Spec
	for _, x := range []pattern.Subject{called(""), called("a"), reads("/"), tree("/"), runs(""), reaches("")} {
		require.False(t, s.Covers(x, base))
		require.False(t, s.Touches(x, nil, base))
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]bool{
		"Edit": true, "Read": true, "WebFetch": true,
		"Bash": false, "Write": false, "Agent": false, "edit": false, "": false,
	} {
		require.Equal(t, want, pattern.Family(tool), tool)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob, name string
		want       bool
	}{
		{"Read", "Read", true},
		{"Read", "Reads", false},
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"**", "a", true},
		{"mcp__*", "mcp__a__b", true},
		{"mcp__*", "mcp_", false},
		{"*_activity", "mcp__a__b_activity", true},
		{"a*a", "a", false}, // one letter is not both ends
		{"a*a", "aa", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"*ab*ab", "abab", true},
		{"*ab*ab", "xab", false},
		{"a?c", "abc", false}, // only a star is special
		{"a.c", "abc", false},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, pattern.Name(tc.glob, tc.name), "%q, %q", tc.glob, tc.name)
	}
}

// FuzzName compares the matcher with a regular expression.
func FuzzName(f *testing.F) {
	f.Add("a*b*", "axbx")
	f.Add("*ab*ab", "abxab")
	f.Add("mcp__*__get_*", "mcp__a__get_b")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if !utf8.ValidString(glob) || !utf8.ValidString(name) {
			return // the model reads characters, not bytes
		}
		model := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, `.*`) + `\z`)
		require.Equal(t, model.MatchString(name), pattern.Name(glob, name))
	})
}

// FuzzSpec holds whatever parses against whatever there is. What covers a thing
// also touches it, a further name never makes an allow rule cover more, nor a
// deny rule touch less, and a path that a specifier names lies under its anchor.
func FuzzSpec(f *testing.F) {
	f.Add("Edit", "/src/a.go", "/srv/src/a.go", "/etc/passwd")
	f.Add("Read", ".env", "/srv/app/.env", "/srv/app/x")
	f.Add("Read", "~/", "/home/ada/x", "~")
	f.Add("Bash", `git  commit -m "a  b"`, `git commit -m "a  b"`, "")
	f.Add("WebFetch", "domain:a.", "A", "b")
	f.Add("Agent", "x", "x", "y")
	f.Fuzz(func(t *testing.T, tool, text, name, other string) {
		s, err := pattern.Parse(tool, text)
		if err != nil {
			require.Equal(t, pattern.Spec{}, s)
			return
		}
		for _, x := range []pattern.Subject{writes(name), reads(name), tree(name), runs(name), reaches(name), called(name)} {
			covers, touches := s.Covers(x, base), s.Touches(x, nil, base)
			more := x
			more.Names = []string{name, other}
			if s.Covers(more, base) {
				require.True(t, covers, "a further name made %+v covered", x)
			}
			if touches {
				require.True(t, s.Touches(more, nil, base), "a further name hid %+v", x)
			}
			if x.Tree {
				x.Tree = false
				require.False(t, s.Touches(x, nil, base) && !touches, "a tree is less than its root")
			}
			if covers && pattern.Family(tool) && x.Kind == pattern.Path {
				require.True(t, below(name, "/srv/app") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/"), name)
			}
			if covers && (tool != "Edit" || x.Write) { // who may write may read; who may not write may still read
				require.True(t, touches, "%+v is covered and not touched", x)
			}
		}
	})
}

func below(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
