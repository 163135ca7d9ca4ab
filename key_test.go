package pegboard_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// family is a main session with agents below it.
type family struct {
	main, sub, background, below, teammate *pegboard.Session
}

func newFamily(t *testing.T) family {
	t.Helper()
	var f family
	f.main = session(t, pegboard.SessionConfig{})
	f.sub = forked(t, f.main, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	f.background = forked(t, f.sub, pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent})
	f.below = forked(t, f.background, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	f.teammate = forked(t, f.below, pegboard.SessionConfig{Role: pegboard.RoleTeammate})
	return f
}

// sees lists what each session sees, from the main one down; "-" is nothing.
func (f family) sees(k *pegboard.Key[string]) string {
	all := ""
	for _, s := range []*pegboard.Session{f.main, f.sub, f.background, f.below, f.teammate} {
		v, ok := k.Get(s)
		if !ok {
			v = "-"
		}
		all += v
	}
	return all
}

func TestKeyReachesThoseWhoShareIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		write func(k *pegboard.Key[string], f family)
		want  string // main, sub, background, below, teammate
	}{
		{name: "nothing", write: func(*pegboard.Key[string], family) {}, want: "-----"},
		{name: "main", write: func(k *pegboard.Key[string], f family) { k.Set(f.main, "m") }, want: "mmmmm"},
		{name: "sub-agent", write: func(k *pegboard.Key[string], f family) { k.Set(f.sub, "s") }, want: "sssss"},
		{name: "background", write: func(k *pegboard.Key[string], f family) { k.Set(f.background, "b") }, want: "--bbb"},
		{name: "sub-agent of the background", write: func(k *pegboard.Key[string], f family) { k.Set(f.below, "b") }, want: "--bbb"},
		{name: "teammate", write: func(k *pegboard.Key[string], f family) { k.Set(f.teammate, "t") }, want: "----t"},
		{name: "background after main", write: func(k *pegboard.Key[string], f family) { k.Set(f.main, "m"); k.Set(f.below, "b") }, want: "mmbbb"},
		{name: "main after background", write: func(k *pegboard.Key[string], f family) { k.Set(f.background, "b"); k.Set(f.sub, "m") }, want: "mmbbb"},
		{name: "the last one wins", write: func(k *pegboard.Key[string], f family) { k.Set(f.main, "1"); k.Set(f.sub, "2") }, want: "22222"},
		{name: "root", write: func(k *pegboard.Key[string], f family) { k.SetRoot(f.teammate, "r") }, want: "rrrrr"},
		{name: "root of the main session", write: func(k *pegboard.Key[string], f family) { k.SetRoot(f.main, "r") }, want: "rrrrr"},
		{name: "root after background", write: func(k *pegboard.Key[string], f family) { k.Set(f.background, "b"); k.SetRoot(f.background, "r") }, want: "rrbbb"},
		{name: "once in main", write: func(k *pegboard.Key[string], f family) { k.GetOrInit(f.sub, func() string { return "o" }) }, want: "ooooo"},
		{name: "once in the background", write: func(k *pegboard.Key[string], f family) { k.GetOrInit(f.below, func() string { return "o" }) }, want: "--ooo"},
		{name: "once where the parent has one", write: func(k *pegboard.Key[string], f family) {
			k.Set(f.main, "m")
			k.GetOrInit(f.below, func() string { panic("it is there already") })
		}, want: "mmmmm"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k, other := pegboard.NewKey[string]("k"), pegboard.NewKey[string]("k")
			f := newFamily(t)
			tc.write(k, f)
			require.Equal(t, tc.want, f.sees(k))
			require.Equal(t, "-----", f.sees(other), "two keys of one name are two keys")
		})
	}
}

func TestKeyHoldsAnyType(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	number, face := pegboard.NewKey[int]("number"), pegboard.NewKey[fmt.Stringer]("face")
	require.Equal(t, "number face", number.String()+" "+face.String())
	n, ok := number.Get(s)
	require.Zero(t, n)
	require.False(t, ok)
	number.Set(s, 0)
	_, ok = number.Get(s)
	require.True(t, ok, "a zero is a value")

	face.Set(s, nil)
	require.NotPanics(t, func() {
		v, ok := face.Get(s)
		require.Nil(t, v)
		require.True(t, ok, "so is a nil")
		require.Nil(t, face.GetOrInit(s, func() fmt.Stringer { panic("it is there already") }))
	})
}

// TestKeyGetOrInit: of many callers in a session and its forks one makes the value.
func TestKeyGetOrInit(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	k := pegboard.NewKey[*int]("k")
	var made atomic.Int32
	got := make([]*int, 16)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range got {
		s := []*pegboard.Session{f.main, f.sub}[i%2]
		wg.Go(func() {
			<-start
			got[i] = k.GetOrInit(s, func() *int { made.Add(1); return new(int) })
		})
	}
	close(start)
	wg.Wait()
	require.EqualValues(t, 1, made.Load())
	for _, v := range got {
		require.Same(t, got[0], v)
	}
}

// TestKeyGetOrInitMayUseTheSession, its other keys included. A function that panics
// makes no value and holds no lock.
func TestKeyGetOrInitMayUseTheSession(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	inner, outer := pegboard.NewKey[string]("inner"), pegboard.NewKey[string]("outer")
	require.Panics(t, func() { outer.GetOrInit(s, func() string { panic("oh") }) })

	got := make(chan string, 1)
	go func() {
		got <- outer.GetOrInit(s, func() string {
			pegboard.NewKey[int]("plain").Set(s, 1)
			return "made of " + inner.GetOrInit(s, func() string { return s.Dir() })
		})
	}()
	select {
	case v := <-got:
		require.Equal(t, "made of "+s.Dir(), v)
	case <-time.After(time.Minute):
		t.Fatal("the function waits for itself")
	}
}

func TestClonedKeyIsASessionsOwn(t *testing.T) {
	t.Parallel()
	k := pegboard.NewClonedKey("list", func(v []string) []string { return append(slices.Clip(v), "copied") })
	main := session(t, pegboard.SessionConfig{})
	never := forked(t, main, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	_, ok := k.Get(never)
	require.False(t, ok)

	k.Set(main, []string{"main"})
	_, ok = k.Get(never)
	require.False(t, ok, "what the parent got after the fork is its own")
	fork := forked(t, main, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	below := forked(t, fork, pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent})
	k.Set(fork, []string{"fork"})
	for _, tt := range []struct {
		name string
		s    *pegboard.Session
		want []string
	}{
		{"main", main, []string{"main"}},
		{"fork", fork, []string{"fork"}},
		{"below", below, []string{"main", "copied", "copied"}},
	} {
		v, _ := k.Get(tt.s)
		require.Equal(t, tt.want, v, tt.name)
	}
	require.Equal(t, []string{"made"}, k.GetOrInit(never, func() []string { return []string{"made"} }))
	k.SetRoot(below, []string{"root"})
	v, _ := k.Get(main)
	require.Equal(t, []string{"root"}, v)
}

func TestGetOrInitRootMakesOneForAll(t *testing.T) {
	t.Parallel()
	k := pegboard.NewKey[string]("shared")
	f := newFamily(t)
	var made atomic.Int32
	var wg sync.WaitGroup
	for _, s := range []*pegboard.Session{f.teammate, f.below, f.background, f.sub, f.main} {
		wg.Go(func() { k.GetOrInitRoot(s, func() string { return fmt.Sprint(made.Add(1)) }) })
	}
	wg.Wait()
	require.Equal(t, "11111", f.sees(k))
}
