package lane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

func read(name string) lane.Key      { return lane.Key{Name: name} }
func write(name string) lane.Key     { return lane.Key{Name: name, Write: true} }
func readTree(name string) lane.Key  { return lane.Key{Name: name, Tree: true} }
func writeTree(name string) lane.Key { return lane.Key{Name: name, Write: true, Tree: true} }

func claim(keys ...lane.Key) lane.Claim { return lane.Claim{Keys: keys} }

func exclusive() lane.Claim { return lane.Claim{Exclusive: true} }

func TestConflicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b lane.Claim
		want bool
	}{
		{name: "nothing and nothing", a: claim(), b: claim(), want: false},
		{name: "exclusive and nothing", a: exclusive(), b: claim(), want: true},
		{name: "exclusive and a key", a: exclusive(), b: claim(read("a")), want: true},
		{name: "exclusive twice", a: exclusive(), b: exclusive(), want: true},
		{name: "nothing and a writer", a: claim(), b: claim(writeTree("")), want: false},
		{name: "two readers", a: claim(read("a")), b: claim(read("a")), want: false},
		{name: "reader and writer", a: claim(read("a")), b: claim(write("a")), want: true},
		{name: "two writers", a: claim(write("a")), b: claim(write("a")), want: true},
		{name: "different names", a: claim(write("a")), b: claim(write("b")), want: false},
		{name: "letter case", a: claim(write("a")), b: claim(write("A")), want: false},
		{name: "trailing slash", a: claim(write("a/")), b: claim(write("a")), want: true},
		{name: "one of several", a: claim(read("a"), write("b")), b: claim(read("c"), read("b")), want: true},
		{name: "none of several", a: claim(read("a"), write("b")), b: claim(read("a"), write("c")), want: false},
		{name: "no tree above", a: claim(write("a")), b: claim(write("a/b")), want: false},
		{name: "tree above", a: claim(readTree("a/b")), b: claim(write("a/b/c")), want: true},
		{name: "tree far above", a: claim(writeTree("a")), b: claim(read("a/b/c/d")), want: true},
		{name: "tree with a trailing slash", a: claim(writeTree("a/")), b: claim(read("a/b")), want: true},
		{name: "tree of readers", a: claim(readTree("a")), b: claim(read("a/b")), want: false},
		{name: "tree of another segment", a: claim(writeTree("a/b")), b: claim(write("a/bc")), want: false},
		{name: "tree below", a: claim(writeTree("a/b")), b: claim(write("a")), want: false},
		{name: "tree in a tree", a: claim(readTree("a/b")), b: claim(writeTree("a")), want: true},
		{name: "tree beside a tree", a: claim(writeTree("a/b")), b: claim(writeTree("a/c")), want: false},
		{name: "root tree, rooted name", a: claim(writeTree("/")), b: claim(read("/a")), want: true},
		{name: "root tree, unrooted name", a: claim(writeTree("/")), b: claim(read("a")), want: true},
		{name: "empty tree, rooted name", a: claim(writeTree("")), b: claim(read("/a/b")), want: true},
		{name: "two spellings of the root", a: claim(write("")), b: claim(write("/")), want: true},
		{name: "root without its tree", a: claim(write("/")), b: claim(write("/a")), want: false},
		{name: "root of a scheme", a: claim(writeTree("file:/")), b: claim(read("file:/a")), want: true},
		{name: "root of another scheme", a: claim(writeTree("file:/")), b: claim(read("mcp:/a")), want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, tt.a.Conflicts(tt.b))
			require.Equal(t, tt.want, tt.b.Conflicts(tt.a), "the other way round")
		})
	}
}

// slowConflicts says the same as Conflicts, over lists of segments.
func slowConflicts(c, d lane.Claim) bool {
	covers := func(k lane.Key, name []string) bool {
		own := segments(k.Name)
		return slices.Equal(own, name) ||
			k.Tree && len(name) > len(own) && slices.Equal(own, name[:len(own)])
	}
	for _, k := range c.Keys {
		for _, m := range d.Keys {
			meet := covers(k, segments(m.Name)) || covers(m, segments(k.Name))
			if meet && (k.Write || m.Write) {
				return true
			}
		}
	}
	return c.Exclusive || d.Exclusive
}

func segments(name string) []string {
	name = strings.TrimRight(name, "/")
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

func FuzzConflicts(f *testing.F) {
	f.Add("a", uint8(0), "a/b", uint8(3))
	f.Add("/", uint8(2), "/a//b", uint8(1))
	f.Add("a//", uint8(3), "a/bc", uint8(0))
	f.Fuzz(func(t *testing.T, a string, aBits uint8, b string, bBits uint8) {
		key := func(name string, bits uint8) lane.Claim {
			return claim(lane.Key{Name: name, Write: bits&1 != 0, Tree: bits&2 != 0})
		}
		c, d := key(a, aBits), key(b, bBits)
		require.Equal(t, slowConflicts(c, d), c.Conflicts(d))
		require.Equal(t, slowConflicts(c, d), d.Conflicts(c))
	})
}
