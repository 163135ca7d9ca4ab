package pattern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// want is what a rule makes of a subject.
type want int

const (
	no      want = iota
	touches      // a deny rule is about it, an allow rule is not
	covers       // both are
)

func requireWant(t *testing.T, w want, tool, text string, x pattern.Subject, b pattern.Base) {
	t.Helper()
	s, err := pattern.Parse(tool, text)
	require.NoError(t, err, text)
	require.Equal(t, w == covers, s.Covers(x, b), "%s(%s) covers %v", tool, text, x.Names)
	require.Equal(t, w >= touches, s.Touches(x, b), "%s(%s) touches %v", tool, text, x.Names)
}

// TestPathWildcards goes through the sentences on Read and Edit in Claude Code's
// documentation of permission rules. The base is
// /srv/app with the source's root /srv.
func TestPathWildcards(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, path string
		want             want
	}{
		{name: "a star stays within a name", text: "./*.go", path: "/srv/app/a.go", want: covers},
		{name: "a star crosses no slash", text: "./*.go", path: "/srv/app/b/a.go"},
		{name: "a star in the middle", text: "a/*/c", path: "/srv/app/a/b/c", want: covers},
		{name: "a star is one name", text: "a/*/c", path: "/srv/app/a/b/b/c"},
		{name: "a star is nothing too", text: "./a*b", path: "/srv/app/ab", want: covers},
		{name: "a hidden file is a file", text: "./*", path: "/srv/app/.env", want: covers},
		{name: "two stars cross", text: "a/**/c", path: "/srv/app/a/b/b/c", want: covers},
		{name: "two stars are nothing too", text: "a/**/c", path: "/srv/app/a/c", want: covers},
		{name: "two stars before", text: "**/c", path: "/srv/app/a/b/c", want: covers},
		{name: "two stars before, on top", text: "**/c", path: "/srv/app/c", want: covers},
		{name: "two stars behind", text: "/app/src/**", path: "/srv/app/src/a/b.go", want: covers},
		{name: "two stars behind, the directory", text: "/app/src/**", path: "/srv/app/src", want: touches},
		{name: "two stars behind, a name that begins alike", text: "/app/src/**", path: "/srv/app/srcx/a.go"},
		{name: "two stars in a name are one", text: "./a**b", path: "/srv/app/a/b"},
		{name: "everything", text: "//**", path: "/etc/passwd", want: covers},
		{name: "everything at home", text: "~/**", path: "/home/ada/x/y", want: covers},
		{name: "everything in the working directory", text: "./**", path: "/srv/app/x/y", want: covers},
		{name: "everything in the working directory, above", text: "./**", path: "/srv/x"},
		{name: "a question mark", text: "./a?c", path: "/srv/app/abc", want: covers},
		{name: "a question mark is one character", text: "./a?c", path: "/srv/app/aéc", want: covers},
		{name: "a question mark is not nothing", text: "./a?c", path: "/srv/app/ac"},
		{name: "a question mark is no slash", text: "a?c", path: "/srv/app/a/c"},
		{name: "a class", text: "./[id].ts", path: "/srv/app/i.ts", want: covers},
		{name: "a class is no text", text: "./[id].ts", path: "/srv/app/[id].ts"},
		{name: "a class with a range", text: "./[a-c]", path: "/srv/app/b", want: covers},
		{name: "a class that excludes", text: "./[!a]", path: "/srv/app/b", want: covers},
		{name: "a class that excludes, excluded", text: "./[^a]", path: "/srv/app/a"},
		{name: "a named class", text: "./[[:digit:]x]", path: "/srv/app/7", want: covers},
		{name: "a class with a bracket", text: "./[]a]", path: "/srv/app/]", want: covers},
		{name: "an escape", text: `./\[id\].ts`, path: "/srv/app/[id].ts", want: covers},
		{name: "an escaped star", text: `./\*`, path: "/srv/app/a"},
		{name: "an escaped exclamation mark", text: `\!a`, path: "/srv/app/!a", want: covers},
		{name: "a number sign begins no comment", text: "#a", path: "/srv/app/#a", want: covers},
		{name: "blanks at the end do not count", text: "a  ", path: "/srv/app/a", want: covers},
		{name: "an escaped blank does", text: `a\ `, path: "/srv/app/a ", want: covers},

		{name: "a bare name is at any depth", text: "*.env", path: "/srv/app/a/b/x.env", want: covers},
		{name: "a bare name is below the directory", text: "*.env", path: "/srv/x.env"},
		{name: "a bare star is everything", text: "*", path: "/srv/app/a/b", want: covers},

		{name: "one directory, on top", text: "src/**", path: "/srv/app/src/a/b.go", want: covers},
		{name: "one directory, deeper: deny and ask only", text: "src/**", path: "/srv/app/x/src/b.go", want: touches},
		{name: "one directory with a wildcard, deeper", text: "s*/**", path: "/srv/app/x/src/b.go", want: touches},
		{name: "one directory, not below", text: "src/**", path: "/srv/src/b.go"},
		{name: "two directories, deeper", text: "src/a/**", path: "/srv/app/x/src/a/b.go"},
		{name: "one directory with an anchor, deeper", text: "/src/**", path: "/srv/app/src/b.go"},
		{name: "one directory with a dot, deeper", text: "./src/**", path: "/srv/app/x/src/b.go"},
		{name: "one directory at any depth", text: "**/src/**", path: "/srv/app/x/src/b.go", want: covers},
		{name: "a file in one directory, deeper", text: "src/*.go", path: "/srv/app/x/src/b.go"},

		{name: "a directory is all below", text: "/app/src", path: "/srv/app/src/a/b", want: covers},
		{name: "a directory with a wildcard: deny and ask only", text: "/app/src/*", path: "/srv/app/src/a/b", want: touches},
		{name: "a directory with a wildcard, itself", text: "/app/src/*", path: "/srv/app/src/a", want: covers},
		{name: "a wildcard with a slash is a directory", text: "/app/s*/", path: "/srv/app/src/a/b", want: covers},
		{name: "a wildcard with a slash may be a file", text: "/app/s*/", path: "/srv/app/src", want: touches},
		{name: "two stars with a slash", text: "/app/**/", path: "/srv/app/a/b", want: covers},
		{name: "two stars with a slash, a file on top", text: "/app/**/", path: "/srv/app/a", want: touches},
		{name: "the directory above", text: "/app/src/*.go", path: "/srv/app/src"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireWant(t, tc.want, "Edit", tc.text, writes(tc.path), base)
		})
	}
}

// TestTree: a tree is covered if all below is, and touched if a name below could
// be meant.
func TestTree(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, path string
		write            bool
		want             want
	}{
		{name: "everything in it", text: "/app/src/**", path: "/srv/app/src/a", want: covers},
		{name: "everything in it, itself", text: "/app/src/**", path: "/srv/app/src", want: covers},
		{name: "everything in it, to remove", text: "/app/src/**", path: "/srv/app/src", write: true, want: touches},
		{name: "everything in it, a part to remove", text: "/app/src/**", path: "/srv/app/src/a", write: true, want: covers},
		{name: "everything, above", text: "/app/src/**", path: "/srv/app", want: touches},
		{name: "a bare star", text: "*", path: "/srv/app", want: covers},
		{name: "one level is not all", text: "/app/src/*", path: "/srv/app/src/a", want: touches},
		{name: "some below", text: "/app/src/*.go", path: "/srv/app/src", want: touches},
		{name: "some far below", text: "/app/*/gen/*.go", path: "/srv/app/src", want: touches},
		{name: "some beside", text: "/app/*/gen/*.go", path: "/srv/app/src/main"},
		{name: "some in another directory", text: "/app/src/*.go", path: "/srv/app/docs"},
		{name: "at any depth", text: "**/*.go", path: "/srv/app/docs/a", want: touches},
		{name: "at any depth, from above", text: "*.go", path: "/", want: touches},
		{name: "at any depth, elsewhere", text: "*.go", path: "/etc"},
		{name: "deeper than the rule", text: "/app/a/b", path: "/srv/app/a/b/c", want: covers},
		{name: "one directory at any depth", text: "src/**", path: "/srv/app/x", want: touches},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := tree(tc.path)
			tool := "Read"
			if x.Write = tc.write; tc.write {
				tool = "Edit"
			}
			requireWant(t, tc.want, tool, tc.text, x, base)
		})
	}
}

// TestPlace: a link at the start of a specifier leads to where the rest of it holds.
func TestLiteralPrefix(t *testing.T) {
	t.Parallel()
	windows := pattern.Base{Dir: `C:\srv\app`, Root: `C:\srv`, Home: `C:\Users\ada`, Platform: pattern.Windows}
	tests := []struct {
		text  string
		base  pattern.Base
		place string // empty: none
	}{
		{text: "/app/link", base: base, place: "/srv/app/link"},
		{text: "/app/link/*.go", base: base, place: "/srv/app/link"},
		{text: "link/**", base: base, place: "/srv/app/link"},
		{text: "//**/x", base: base, place: "/"},
		{text: "//etc", base: base, place: "/etc"},
		{text: "/*.go", base: base, place: "/srv"},
		{text: `./\[id]/x`, base: base, place: "/srv/app/[id]/x"},
		{text: "~/x", base: empty},
		{text: ".env", base: base},
		{text: "//c/Users/*", base: windows, place: "c:/Users"},
		{text: `C:\Users\Ada\*`, base: windows, place: "c:/Users/Ada"},
		{text: "/app/Link", base: windows, place: `C:\srv/app/Link`},
	}
	for _, tc := range tests {
		s, err := pattern.Parse("Read", tc.text)
		require.NoError(t, err)
		place, ok := s.LiteralPrefix(tc.base)
		require.Equal(t, tc.place, place, tc.text)
		require.Equal(t, tc.place != "", ok, tc.text)
	}
}

func TestTouchesLinkTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		x          pattern.Subject
		want       bool
	}{
		{name: "the place", text: "/app/link", x: reads("/real"), want: true},
		{name: "below the place", text: "/app/link", x: reads("/real/a/b"), want: true},
		{name: "beside the place", text: "/app/link", x: reads("/real2/a")},
		{name: "what the rest says", text: "/app/link/*.go", x: reads("/real/a.go"), want: true},
		{name: "what the rest does not say", text: "/app/link/*.go", x: reads("/real/a.txt")},
		{name: "what the rest says, in a tree", text: "/app/link/*/x.go", x: tree("/real/a"), want: true},
		{name: "what the rest does not say, in a tree", text: "/app/link/*/x.go", x: tree("/real/a/b")},
		{name: "a tree around the place", text: "/app/link/*.go", x: tree("/"), want: true},
		{name: "everything", text: "/app/link/**", x: reads("/real/a/b"), want: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := pattern.Parse("Read", tc.text)
			require.NoError(t, err)
			require.Equal(t, tc.want, s.WithLinkTargets("/real").Touches(tc.x, base), "told once")
			require.False(t, s.Touches(tc.x, base) && !tc.x.Tree, "not told")
			require.False(t, s.WithLinkTargets("/real").Covers(tc.x, base), "an allow rule")
		})
	}
}

// TestExact: what wants an exact rule is not covered by one with wildcards.
func TestNoWildcards(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, text string
		x          pattern.Subject
		want       want
	}{
		{tool: "Bash", text: "find . -delete", x: runs("find . -delete"), want: covers},
		{tool: "Bash", text: "find *", x: runs("find . -delete"), want: touches},
		{tool: "Bash", text: "find:*", x: runs("find . -delete"), want: touches},
		{tool: "Edit", text: "/app/*", x: writes("/srv/app/a"), want: touches},
		{tool: "Edit", text: "/app/a", x: writes("/srv/app/a"), want: covers},
		{tool: "WebFetch", text: "domain:*.b.c", x: reaches("a.b.c"), want: touches},
		{tool: "Skill", text: "a *", x: called("a"), want: touches},
		{tool: "Skill", text: "a", x: called("a"), want: covers},
	}
	for _, tc := range tests {
		tc.x.NoWildcards = true
		requireWant(t, tc.want, tc.tool, tc.text, tc.x, base)
	}
}

// FuzzEscapePath: an escaped path stands for itself, and not for a path that is
// otherwise like it.
func FuzzEscapePath(f *testing.F) {
	for _, path := range []string{"/a/b", "/a*/[id]", `/a\b`, "/a ", "/!a", "/#a?", "/a\xff", "/é"} {
		f.Add(path, byte('x'))
	}
	f.Fuzz(func(t *testing.T, path string, other byte) {
		s, err := pattern.Parse("Edit", "/"+pattern.EscapePath(path))
		if err != nil || path[0] != '/' {
			return // not an absolute clean path
		}
		require.True(t, s.Covers(writes(path), base), path)
		changed := path[:len(path)-1] + string(rune(other))
		if changed != path && path[len(path)-1] != '/' && other != '/' {
			require.False(t, s.Covers(writes(changed), base), changed)
		}
	})
}
