package rank_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

func source(name string, tools ...string) rank.Source {
	s := rank.Source{Name: name}
	for _, t := range tools {
		s.Tools = append(s.Tools, rank.Tool{Name: t, Description: "Does " + t + "."})
	}
	return s
}

func first(x *rank.Index, query string) (found [][2]int) {
	for _, h := range x.Search(query, 3, nil) {
		found = append(found, [2]int{h.Segment, h.Document})
	}
	return found
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	var l rank.Library
	a, b := source("a", "paint", "draw"), source("b", "sing")
	x := l.Index([]rank.Source{a, b})
	require.Equal(t, [][2]int{{1, 0}}, first(x, "sing"))
	require.Same(t, x, l.Index([]rank.Source{a, b}), "nothing has changed")

	y := l.Index([]rank.Source{a, source("b", "sing", "whistle")})
	require.NotSame(t, x, y)
	require.Equal(t, [][2]int{{1, 1}}, first(y, "whistle"))
	require.Empty(t, first(x, "whistle"), "an index is a snapshot")

	about := a
	about.About = "Everything about sculpture."
	require.NotEmpty(t, first(l.Index([]rank.Source{about, b}), "sculpture"))

	for i := range 100 { // what is gone is forgotten; nothing is found that is not there
		name := fmt.Sprint("s", i)
		require.Equal(t, [][2]int{{0, 0}}, first(l.Index([]rank.Source{source(name, "dance")}), "dance"))
	}
	require.Equal(t, [][2]int{{0, 0}}, first(l.Index([]rank.Source{b}), "sing"))
	require.Empty(t, l.Index(nil).Search("sing", 3, nil))
}

func TestLibraryOfManyAgents(t *testing.T) {
	t.Parallel()
	var l rank.Library
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			want := fmt.Sprint("tool", i%6)
			for range 20 {
				if got := first(l.Index([]rank.Source{source("a", want, "paint")}), "paint"); len(got) != 1 || got[0] != [2]int{0, 1} {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

func TestReviewForget(t *testing.T) {
	t.Parallel()
	var l rank.Library
	l.Forget("nothing was asked for yet")
	a, b := source("a", "paint"), source("b", "sing")
	x := l.Index([]rank.Source{a, b})
	l.Forget("c")
	require.Same(t, x, l.Index([]rank.Source{a, b}), "another source")
	l.Forget("b")
	require.Equal(t, [][2]int{{1, 0}}, first(x, "sing"), "an index stays what it is")
	require.Equal(t, [][2]int{{1, 0}}, first(l.Index([]rank.Source{a, b}), "sing"))
}
