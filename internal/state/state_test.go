package state_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/state"
)

func requireValue[T any](t *testing.T, want T, k *state.Key[T], s *state.Scope) {
	t.Helper()
	v, ok := k.Get(s)
	require.True(t, ok)
	require.Equal(t, want, v)
}

func requireNone[T any](t *testing.T, k *state.Key[T], s *state.Scope) {
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
			root := state.New()
			fork := root.Fork(false)
			apart := fork.Fork(true)
			line := []*state.Scope{root, fork, apart, apart.Fork(false)}
			key, other := &state.Key[string]{Name: "same"}, &state.Key[string]{Name: "same"}
			key.Set(line[tt.writer], "v")
			for i, s := range line {
				require.Same(t, root, s.Root())
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
	root := state.New()
	apart := root.Fork(true)
	key := &state.Key[int]{}
	key.Set(root, 1)
	key.Set(apart, 2)
	key.Set(apart.Root(), 3)
	requireValue(t, 3, key, root)
	requireValue(t, 2, key, apart)
}

func TestNilScopeSeesNothing(t *testing.T) {
	t.Parallel()
	requireNone(t, &state.Key[int]{}, nil)
}

func TestNilInterfaceIsAValue(t *testing.T) {
	t.Parallel()
	root := state.New()
	key := &state.Key[error]{Clone: func(err error) error { return err }}
	key.Set(root, nil)
	for _, s := range []*state.Scope{root, root.Fork(false)} {
		v, ok := key.Get(s)
		require.True(t, ok)
		require.NoError(t, v)
	}
}

func TestClonedKey(t *testing.T) {
	t.Parallel()
	key := &state.Key[[]int]{Clone: slices.Clone[[]int]}
	unset := &state.Key[int]{Clone: func(int) int { panic("nothing to clone") }}
	root := state.New()
	early := root.Fork(false)
	key.Set(root, []int{1, 2})
	fork := root.Fork(false)
	key.Set(root, []int{9})
	requireNone(t, key, early)
	requireNone(t, unset, fork)
	requireValue(t, []int{1, 2}, key, fork)
	v, _ := key.Get(fork)
	v[0] = 7
	requireValue(t, []int{7, 2}, key, fork)
	requireValue(t, []int{7, 2}, key, fork.Fork(true))
	requireValue(t, []int{9}, key, root)
	key.Set(fork, nil)
	requireValue(t, []int{9}, key, root)
}

// TestCloneMayUseTheScope would hang if clone ran under a lock of the scope.
func TestCloneMayUseTheScope(t *testing.T) {
	t.Parallel()
	root := state.New()
	other := &state.Key[int]{}
	key := &state.Key[int]{Clone: func(v int) int {
		other.Set(root, v)
		return v + 1
	}}
	key.Set(root, 1)
	fork := root.Fork(true)
	requireValue(t, 2, key, fork)
	requireValue(t, 1, other, fork)
}

func TestOnceMakesOneValue(t *testing.T) {
	t.Parallel()
	root := state.New()
	scopes := []*state.Scope{root, root.Fork(false), root.Fork(false), root}
	key := &state.Key[int64]{}
	var made atomic.Int64
	var all sync.WaitGroup
	for _, s := range scopes {
		all.Go(func() {
			key.Once(s, func() int64 { return made.Add(1) })
		})
	}
	all.Wait()
	require.Equal(t, int64(1), made.Load())
	requireValue(t, 1, key, root)
}

func TestOnceReturnsWhatIsSeen(t *testing.T) {
	t.Parallel()
	root := state.New()
	key := &state.Key[int]{}
	key.Set(root, 5)
	apart := root.Fork(true)
	require.Equal(t, 5, key.Once(apart, func() int { return 6 }))
	cloned := &state.Key[int]{Clone: func(v int) int { return v }}
	require.Equal(t, 1, cloned.Once(root, func() int { return 1 }))
	require.Equal(t, 1, cloned.Once(root.Fork(false), func() int { return 2 }))
	require.Equal(t, 2, cloned.Once(apart, func() int { return 2 }), "it was forked before there was a value")
}

// TestOnceKeepsOthersWaiting makes a value that takes until the test lets it, and
// reads and makes others meanwhile.
func TestOnceKeepsOthersWaiting(t *testing.T) {
	t.Parallel()
	root := state.New()
	slow, other := &state.Key[int]{}, &state.Key[int]{}
	making, release, second := make(chan struct{}), make(chan struct{}), make(chan int)
	go slow.Once(root, func() int {
		close(making)
		<-release
		return 1
	})
	<-making
	go func() { second <- slow.Once(root.Fork(false), func() int { return 2 }) }()
	requireNone(t, slow, root)
	require.Equal(t, 3, other.Once(root, func() int { return 3 }))
	close(release)
	require.Equal(t, 1, <-second)
	requireValue(t, 1, slow, root)
}

// TestOncePanics checks that a panic of who makes a value keeps nobody waiting.
func TestOncePanics(t *testing.T) {
	t.Parallel()
	root, key := state.New(), &state.Key[int]{}
	require.Panics(t, func() { key.Once(root, func() int { panic("boom") }) })
	requireNone(t, key, root)
	require.Equal(t, 1, key.Once(root, func() int { return 1 }))
}
