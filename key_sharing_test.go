package pegboard_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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
