package blobstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"

	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
)

// An aged bucket is in a folder, so that its objects can be made older.
type aged struct {
	*blob.Bucket

	t   *testing.T
	dir string
}

func newAged(t *testing.T) aged {
	t.Helper()
	dir := t.TempDir()
	b, err := blob.OpenBucket(t.Context(), folderURL(dir))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return aged{Bucket: b, t: t, dir: dir}
}

// put stores a result of 1,000 bytes that is so old.
func (a aged) put(s *blobstore.Store, session, call string, age time.Duration) (ref string) {
	a.t.Helper()
	before := keys(a.t, a.Bucket)
	stored, err := s.Put(a.t.Context(), call, "text/plain", strings.NewReader(strings.Repeat("x", 1000)))
	require.NoError(a.t, err)
	for _, key := range keys(a.t, a.Bucket) {
		if strings.HasSuffix(key, "/"+stored.Ref) && !strings.Contains(strings.Join(before, "\n"), key) {
			a.age(key, age)
		}
	}
	return stored.Ref
}

func (a aged) age(key string, age time.Duration) {
	a.t.Helper()
	then := time.Now().Add(-age)
	require.NoError(a.t, os.Chtimes(filepath.Join(a.dir, key), then, then))
}

// calls returns the calls whose results are there.
func (a aged) calls() string {
	a.t.Helper()
	var all []string
	for _, key := range keys(a.t, a.Bucket) {
		call, _, _ := strings.Cut(filepath.Base(key), ".")
		all = append(all, call)
	}
	return strings.Join(all, " ")
}

func TestSweepRemovesWhatIsOld(t *testing.T) {
	t.Parallel()
	b := newAged(t)
	o := blobstore.Options{Prefix: "results", Retention: time.Hour, SweepEvery: -1}
	one, other := blobstore.New(b.Bucket, "one", o), blobstore.New(b.Bucket, "two", o)
	b.put(one, "one", "old", 2*time.Hour)
	b.put(one, "one", "new", 0)
	b.put(other, "two", "old-too", 3*time.Hour)
	for _, key := range []string{"results/notes.txt", "elsewhere/a", "results/" + strings.Repeat("a", 41) + ".0/x"} {
		require.NoError(t, b.WriteAll(t.Context(), key, []byte("not ours"), nil))
		b.age(key, 100*time.Hour)
	}
	require.NoError(t, one.Sweep(t.Context()))
	require.ElementsMatch(t, []string{"new", "notes", "a", "x"}, strings.Fields(b.calls()))
	require.NoError(t, errors.Join(one.Close(), other.Close()))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options blobstore.Options
		ages    []time.Duration // of the results, in the order in which they are put
		want    []string
	}{
		{name: "of a session", options: blobstore.Options{MaxSession: 2500}, ages: []time.Duration{3 * time.Hour, 2 * time.Hour, 0}, want: []string{"call-1", "call-2"}},
		{name: "none", options: blobstore.Options{MaxSession: -1}, ages: []time.Duration{3 * time.Hour, 2 * time.Hour, 0}, want: []string{"call-0", "call-1", "call-2"}},
		{name: "young ones stay", options: blobstore.Options{MaxSession: 2500}, ages: []time.Duration{0, 0, 0}, want: []string{"call-0", "call-1", "call-2"}},
		{name: "of all", options: blobstore.Options{MaxTotal: 1500}, ages: []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour}, want: []string{"call-2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newAged(t)
			c.options.SweepEvery = -1
			store := blobstore.New(b.Bucket, "s", c.options)
			for i, age := range c.ages {
				b.put(store, "s", fmt.Sprintf("call-%d", i), age)
			}
			require.NoError(t, store.Sweep(t.Context()))
			require.ElementsMatch(t, c.want, strings.Fields(b.calls()))
			require.NoError(t, store.Close())
		})
	}
}

// TestOldResultThatComesAgainIsKept renews a result whose ref is shown again.
func TestOldResultThatComesAgainIsKept(t *testing.T) {
	t.Parallel()
	for _, memory := range []int64{10, 1 << 20} {
		b := newAged(t)
		store := blobstore.New(b.Bucket, "s", blobstore.Options{Retention: time.Hour, SweepEvery: -1, Memory: memory})
		ref := b.put(store, "s", "call", 50*time.Minute)
		require.Equal(t, ref, b.put(store, "s", "call", 0))
		attributes, err := b.Attributes(t.Context(), keys(t, b.Bucket)[0])
		require.NoError(t, err)
		require.Less(t, time.Since(attributes.ModTime), 30*time.Minute)
		require.NoError(t, store.Close())
	}
}

// TestSweepsAtOnce are those of several processes that share a bucket.
func TestSweepsAtOnce(t *testing.T) {
	t.Parallel()
	b := newAged(t)
	o := blobstore.Options{Retention: time.Hour, SweepEvery: -1}
	var stores []*blobstore.Store
	for range 4 {
		stores = append(stores, blobstore.New(b.Bucket, "s", o))
	}
	for i := range 50 {
		b.put(stores[0], "s", fmt.Sprintf("old-%d", i), 2*time.Hour)
	}
	b.put(stores[0], "s", "new", 0)
	problems := make([]error, len(stores))
	var all sync.WaitGroup
	for i, s := range stores {
		all.Go(func() { problems[i] = s.Sweep(t.Context()) })
	}
	all.Wait()
	require.NoError(t, errors.Join(problems...))
	require.Equal(t, "new", b.calls())
}

// TestSweepInTheBackground is started by Put, and ended by Close.
func TestSweepInTheBackground(t *testing.T) {
	t.Parallel()
	b := newAged(t)
	quiet := blobstore.New(b.Bucket, "s", blobstore.Options{SweepEvery: -1})
	b.put(quiet, "s", "old", 100*24*time.Hour)
	store := blobstore.New(b.Bucket, "s", blobstore.Options{OnError: func(err error) { t.Error(err) }})
	b.put(store, "s", "new", 0)
	require.Eventually(t, func() bool { return b.calls() == "new" }, time.Minute, 5*time.Millisecond)
	require.NoError(t, errors.Join(store.Close(), quiet.Close()))
}
