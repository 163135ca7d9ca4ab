package atomicfile_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// TestNoEditIsLost: fifty at once add a line each to one file, under one or
// several names.
func TestNoEditIsLost(t *testing.T) {
	t.Parallel()
	for _, links := range []int{1, 3} {
		t.Run(strconv.Itoa(links)+" names", func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			paths := []string{write(t, filepath.Join(dir, "f0"), "")}
			for i := 1; i < links; i++ {
				paths = append(paths, filepath.Join(dir, "f"+strconv.Itoa(i)))
				require.NoError(t, os.Link(paths[0], paths[i]))
			}
			var s atomicfile.Store
			edit := func(i int) error {
				path := paths[i%links]
				unlock, err := s.Lock(t.Context(), path)
				if err != nil {
					return err
				}
				defer unlock()
				snap, err := s.Load(t.Context(), path, plenty)
				if err != nil {
					return err
				}
				_, err = snap.Replace(t.Context(), append(snap.Data, strconv.Itoa(i)+"\n"...))
				return err
			}
			results := make(chan error)
			for i := range 50 {
				go func() { results <- edit(i) }()
			}
			for range 50 {
				require.NoError(t, <-results)
			}
			var want []string
			for i := range 50 {
				want = append(want, strconv.Itoa(i))
			}
			require.ElementsMatch(t, want, strings.Fields(read(t, paths[0])))
			require.Len(t, names(t, dir), links)
			require.Zero(t, s.Locked())
		})
	}
}

func TestLockWaits(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := filepath.Join(dir, "not", "there")
	synctest.Test(t, func(t *testing.T) {
		var s atomicfile.Store
		unlock, err := s.Lock(t.Context(), path)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Lock(ctx, path)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		other, err := s.Lock(t.Context(), path+"2")
		require.NoError(t, err, "another file is free")
		other()
		got := make(chan func())
		go func() {
			next, _ := s.Lock(t.Context(), path)
			got <- next
		}()
		synctest.Wait()
		select {
		case <-got:
			require.Fail(t, "two hold the lock")
		default:
		}
		unlock()
		unlock()
		next := <-got
		require.NotNil(t, next)
		next()
		require.Zero(t, s.Locked())
	})
}

// TestLockOfANameOfAnother: who waits for a file under another name of it gets
// the lock of what is there then.
func TestLockOfANameOfAnother(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, filepath.Join(dir, "f"), "x")
	second := path + "2"
	require.NoError(t, os.Link(path, second))
	synctest.Test(t, func(t *testing.T) {
		var s atomicfile.Store
		unlock, err := s.Lock(t.Context(), path)
		require.NoError(t, err)
		got := make(chan func())
		go func() {
			next, _ := s.Lock(t.Context(), second)
			got <- next
		}()
		synctest.Wait()
		require.NoError(t, os.Remove(second)) // it is a file of its own from now on
		write(t, second, "y")
		unlock()
		next := <-got
		require.NotNil(t, next)
		unlock, err = s.Lock(t.Context(), path)
		require.NoError(t, err, "the first file is free")
		unlock()
		third := filepath.Join(dir, "f3")
		require.NoError(t, os.Link(second, third))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Lock(ctx, third)
		require.ErrorIs(t, err, context.DeadlineExceeded, "the second is held")
		next()
		require.Zero(t, s.Locked())
	})
}

// TestLockAll: two of several files have one lock each, whatever their names and order,
// and nobody waits for ever.
func TestLockAll(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	a, b := write(t, filepath.Join(dir, "a"), "a"), write(t, filepath.Join(dir, "b"), "b")
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Link(a, link))
	none := filepath.Join(dir, "none")
	var s atomicfile.Store
	unlock, err := s.LockAll(t.Context(), []string{b, a, link, none, a})
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.Locked(), 4, "each path has a lock")
	unlock()
	require.Zero(t, s.Locked())

	var all sync.WaitGroup
	count := 0
	for i := range 40 {
		all.Go(func() {
			paths := [][]string{{a, b}, {b, a}, {link, b, none}, {none, b, link}}[i%4]
			unlock, err := s.LockAll(t.Context(), paths)
			require.NoError(t, err)
			count++ // the race detector and the sum tell whether somebody else is here
			unlock()
		})
	}
	all.Wait()
	require.Equal(t, 40, count)
	require.Zero(t, s.Locked())
}
