package pegboard_test

import (
	"context"
	"encoding/json"
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

// agent returns a fork of that role.
func agent(t *testing.T, s *pegboard.Session, role pegboard.Role) *pegboard.Session {
	t.Helper()
	fork, err := s.Fork(pegboard.SessionConfig{Role: role})
	require.NoError(t, err)
	return fork
}

func requireValue[T any](t *testing.T, want T, k *pegboard.Key[T], s *pegboard.Session) {
	t.Helper()
	v, ok := k.Get(s)
	require.True(t, ok)
	require.Equal(t, want, v)
}

func requireNone[T any](t *testing.T, k *pegboard.Key[T], s *pegboard.Session) {
	t.Helper()
	v, ok := k.Get(s)
	require.False(t, ok)
	require.Zero(t, v)
}

// TestWritersOfSharedKeys checks who sees what is written where, in a line of
// scopes: root, fork, apart, below (of apart).
func TestWritersOfSharedKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		writer int // place of the scope
		sees   []bool
	}{
		{name: "the root", writer: 0, sees: []bool{true, true, true, true}},
		{name: "a fork", writer: 1, sees: []bool{true, true, true, true}},
		{name: "one apart", writer: 2, sees: []bool{false, false, true, true}},
		{name: "a fork of one apart", writer: 3, sees: []bool{false, false, true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := session(t, pegboard.SessionConfig{})
			fork := agent(t, root, pegboard.RoleSubAgent)
			apart := agent(t, fork, pegboard.RoleAsyncAgent)
			line := []*pegboard.Session{root, fork, apart, agent(t, apart, pegboard.RoleSubAgent)}
			key, other := pegboard.NewKey[string]("same"), pegboard.NewKey[string]("same")
			key.Set(line[tt.writer], "v")
			for i, s := range line {
				requireNone(t, other, s)
				if tt.sees[i] {
					requireValue(t, "v", key, s)
				} else {
					requireNone(t, key, s)
				}
			}
		})
	}
}

func TestNearestValueIsSeen(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	apart := agent(t, root, pegboard.RoleAsyncAgent)
	key := pegboard.NewKey[int]("key")
	key.Set(root, 1)
	key.Set(apart, 2)
	key.SetRoot(apart, 3)
	requireValue(t, 3, key, root)
	requireValue(t, 2, key, apart)
}

func TestNilScopeSeesNothing(t *testing.T) {
	t.Parallel()
	requireNone(t, pegboard.NewKey[int]("key"), nil)
}

func TestNilInterfaceIsAValue(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	key := pegboard.NewClonedKey("key", func(err error) error { return err })
	key.Set(root, nil)
	for _, s := range []*pegboard.Session{root, agent(t, root, pegboard.RoleSubAgent)} {
		v, ok := key.Get(s)
		require.True(t, ok)
		require.NoError(t, v)
	}
}

func TestClonedKey(t *testing.T) {
	t.Parallel()
	key := pegboard.NewClonedKey("key", slices.Clone[[]int])
	unset := pegboard.NewClonedKey("key", func(int) int { panic("nothing to clone") })
	root := session(t, pegboard.SessionConfig{})
	early := agent(t, root, pegboard.RoleSubAgent)
	key.Set(root, []int{1, 2})
	fork := agent(t, root, pegboard.RoleSubAgent)
	key.Set(root, []int{9})
	requireNone(t, key, early)
	requireNone(t, unset, fork)
	requireValue(t, []int{1, 2}, key, fork)
	v, _ := key.Get(fork)
	v[0] = 7
	requireValue(t, []int{7, 2}, key, fork)
	requireValue(t, []int{7, 2}, key, agent(t, fork, pegboard.RoleAsyncAgent))
	requireValue(t, []int{9}, key, root)
	key.Set(fork, nil)
	requireValue(t, []int{9}, key, root)
}

// TestCloneMayUseTheSession would hang if clone ran under a lock of the session.
func TestCloneMayUseTheSession(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	other := pegboard.NewKey[int]("key")
	key := pegboard.NewClonedKey("key", func(v int) int {
		other.Set(root, v)
		return v + 1
	})
	key.Set(root, 1)
	fork := agent(t, root, pegboard.RoleAsyncAgent)
	requireValue(t, 2, key, fork)
	requireValue(t, 1, other, fork)
}

func TestOnceMakesOneValue(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	sessions := []*pegboard.Session{root, agent(t, root, pegboard.RoleSubAgent), agent(t, root, pegboard.RoleSubAgent), root}
	key := pegboard.NewKey[int64]("key")
	var made atomic.Int64
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(func() {
			key.GetOrInit(s, func() int64 { return made.Add(1) })
		})
	}
	all.Wait()
	require.Equal(t, int64(1), made.Load())
	requireValue(t, 1, key, root)
}

func TestOnceReturnsWhatIsSeen(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	key := pegboard.NewKey[int]("key")
	key.Set(root, 5)
	apart := agent(t, root, pegboard.RoleAsyncAgent)
	require.Equal(t, 5, key.GetOrInit(apart, func() int { return 6 }))
	cloned := pegboard.NewClonedKey("key", func(v int) int { return v })
	require.Equal(t, 1, cloned.GetOrInit(root, func() int { return 1 }))
	require.Equal(t, 1, cloned.GetOrInit(agent(t, root, pegboard.RoleSubAgent), func() int { return 2 }))
	require.Equal(t, 2, cloned.GetOrInit(apart, func() int { return 2 }), "it was forked before there was a value")
}

// TestOnceKeepsOthersWaiting makes a value that takes until the test lets it, and
// reads and makes others meanwhile.
func TestOnceKeepsOthersWaiting(t *testing.T) {
	t.Parallel()
	root := session(t, pegboard.SessionConfig{})
	slow, other := pegboard.NewKey[int]("key"), pegboard.NewKey[int]("key")
	making, release, second := make(chan struct{}), make(chan struct{}), make(chan int)
	go slow.GetOrInit(root, func() int {
		close(making)
		<-release
		return 1
	})
	<-making
	fork := agent(t, root, pegboard.RoleSubAgent)
	go func() { second <- slow.GetOrInit(fork, func() int { return 2 }) }()
	requireNone(t, slow, root)
	require.Equal(t, 3, other.GetOrInit(root, func() int { return 3 }))
	close(release)
	require.Equal(t, 1, <-second)
	requireValue(t, 1, slow, root)
}

// TestOncePanics checks that a panic of who makes a value keeps nobody waiting.
func TestOncePanics(t *testing.T) {
	t.Parallel()
	root, key := session(t, pegboard.SessionConfig{}), pegboard.NewKey[int]("key")
	require.Panics(t, func() { key.GetOrInit(root, func() int { panic("boom") }) })
	requireNone(t, key, root)
	require.Equal(t, 1, key.GetOrInit(root, func() int { return 1 }))
}

// spoken is what a test does with one key of the vocabulary.
type spoken struct {
	name   string
	set    func(s *pegboard.Session, n int)
	read   func(s *pegboard.Session) int // 0: there is no value
	cloned bool                          // a fork starts with its parent's value, and no other session sees the fork's
	apart  bool                          // a fork starts without one
}

func vocabulary() []spoken {
	return []spoken{
		{
			name: "model", cloned: true,
			set: func(s *pegboard.Session, n int) { pegboard.KeyModel.Set(s, string(rune('0'+n))) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyModel.Get(s)
				return number(ok, func() int { return int(v[0] - '0') })
			},
		},
		{
			name: "file limits", cloned: true,
			set:  func(s *pegboard.Session, n int) { pegboard.KeyFileLimits.Set(s, pegboard.FileLimits{GlobFiles: n}) },
			read: func(s *pegboard.Session) int { v, _ := pegboard.KeyFileLimits.Get(s); return v.GlobFiles },
		},
		{
			name: "interactive",
			set:  func(s *pegboard.Session, n int) { pegboard.KeyInteractive.Set(s, n%2 == 0) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyInteractive.Get(s)
				return number(ok, func() int {
					if v {
						return 2
					}
					return 1
				})
			},
		},
		{
			name: "conversation", apart: true,
			set: func(s *pegboard.Session, n int) {
				pegboard.KeyConversation.Set(s, pegboard.Conversation{Format: "anthropic", Messages: func() []json.RawMessage { return make([]json.RawMessage, n) }})
			},
			read: func(s *pegboard.Session) int {
				v, _ := pegboard.KeyConversation.Get(s)
				return number(v.Messages != nil, func() int { return len(v.Messages()) })
			},
		},
		{
			name: "system prompt", cloned: true,
			set: func(s *pegboard.Session, n int) {
				pegboard.KeySystemPrompt.Set(s, pegboard.SystemPrompt{Rendered: string(rune('0' + n))})
			},
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeySystemPrompt.Get(s)
				return number(ok, func() int { return int(v.Rendered[0] - '0') })
			},
		},
		{
			name: "notify",
			set: func(s *pegboard.Session, n int) {
				pegboard.KeyNotify.Set(s, func(context.Context, pegboard.Notification) { panic(n) })
			},
			read: func(s *pegboard.Session) (n int) {
				notify, ok := pegboard.KeyNotify.Get(s)
				if !ok {
					return 0
				}
				defer func() { n, _ = recover().(int) }()
				notify(context.Background(), pegboard.Notification{})
				return 0
			},
		},
		{
			name: "budget",
			set:  func(s *pegboard.Session, n int) { pegboard.KeyBudget.Set(s, pegboard.NewBudget(float64(n))) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyBudget.Get(s)
				return number(ok, func() int { return int(v.Left()) })
			},
		},
	}
}

func number(ok bool, value func() int) int {
	if !ok {
		return 0
	}
	return value()
}

// TestVocabulary: which values belong to the conversation, and which to the agent.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for _, k := range vocabulary() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{})
			require.Zero(t, k.read(s), "nothing is said")
			require.Zero(t, k.read(nil))
			early := agent(t, s, pegboard.RoleSubAgent)
			k.set(s, 1)
			require.Equal(t, 1, k.read(s))
			fork, apart := agent(t, s, pegboard.RoleSubAgent), agent(t, s, pegboard.RoleAsyncAgent)
			seen := []int{k.read(early), k.read(fork), k.read(apart)}
			switch {
			case k.cloned:
				require.Equal(t, []int{0, 1, 1}, seen)
			case k.apart:
				require.Equal(t, []int{0, 0, 0}, seen)
			default:
				require.Equal(t, []int{1, 1, 1}, seen)
			}
			k.set(s, 2)
			switch {
			case k.cloned:
				require.Equal(t, 1, k.read(fork), "it keeps its own")
			case !k.apart:
				require.Equal(t, 2, k.read(fork))
			}
			k.set(apart, 1)
			require.Equal(t, []int{2, 1}, []int{k.read(s), k.read(apart)}, "a background agent changes nothing of the conversation")
		})
	}
}
