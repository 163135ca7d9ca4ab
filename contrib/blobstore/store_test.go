package blobstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestContract holds the store against the contract of all stores, in buckets of three kinds.
func TestContract(t *testing.T) {
	t.Parallel()
	large := int64(effort.Of(t, blobstore.DefaultMaxFile>>20)) << 20 // several parts, and a temporary file
	check := func(t *testing.T, k tooltest.StoreChecker, open func() (pegboard.ResultStore, error)) {
		t.Helper()
		k.Large = large
		require.NoError(t, k.Check(open))
	}
	t.Run("folder and another process", func(t *testing.T) {
		t.Parallel()
		at := folderURL(t.TempDir())
		check(t, tooltest.StoreChecker{Elsewhere: func() (sample []pegboard.StoredResult, err error) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"="+at)
			printed, err := cmd.Output()
			if err != nil {
				return nil, err
			}
			return sample, json.Unmarshal(printed, &sample)
		}}, func() (pegboard.ResultStore, error) {
			return blobstore.Open(t.Context(), at, "conversation", blobstore.Options{})
		})
	})
	for _, c := range []struct {
		name   string
		bucket func(t *testing.T) *blob.Bucket
	}{
		{name: "memory", bucket: func(t *testing.T) *blob.Bucket {
			t.Helper()
			b := memblob.OpenBucket(nil)
			t.Cleanup(func() { require.NoError(t, b.Close()) })
			return b
		}},
		{name: "S3", bucket: func(t *testing.T) *blob.Bucket { t.Helper(); return newService(t).bucket }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := c.bucket(t)
			check(t, tooltest.StoreChecker{}, func() (pegboard.ResultStore, error) {
				return blobstore.New(b, "conversation", blobstore.Options{Prefix: "/results/", Memory: 4 << 10}), nil
			})
			for _, key := range keys(t, b) {
				require.Regexp(t, `^results/conversation\.[0-9a-f]{32}/[a-z0-9-]+\.[0-9a-f]{32}\.[a-z0-9]+$`, key)
			}
		})
	}
}

func TestSessionsAreApart(t *testing.T) {
	t.Parallel()
	b := folder(t)
	for _, session := range []string{"a", "A", "../a", "a/", "", strings.Repeat("long", 100), "\x00\xff"} {
		one := blobstore.New(b, session, blobstore.Options{})
		stored, err := one.Put(t.Context(), "call", "text/plain", strings.NewReader(session))
		require.NoError(t, err)
		require.Equal(t, session, text(t, one, stored.Ref))
		other := blobstore.New(b, session+"x", blobstore.Options{})
		_, err = other.Open(t.Context(), stored.Ref)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoError(t, errors.Join(one.Close(), other.Close()))
	}
}

// TestKeyIsWrittenOnce counts what is sent for a result that comes again.
func TestKeyIsWrittenOnce(t *testing.T) {
	t.Parallel()
	service := newService(t)
	store := blobstore.New(service.bucket, "s", blobstore.Options{SweepEvery: -1})
	big := strings.Repeat("x", 2<<20)
	first, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader(big))
	require.NoError(t, err)
	sent := service.puts.Load()
	again, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader(big))
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, sent, service.puts.Load(), "a long one is not sent again")
	attributes, err := service.bucket.Attributes(t.Context(), keys(t, service.bucket)[0])
	require.NoError(t, err)
	require.Equal(t, "text/plain", attributes.ContentType)
}

// TestFaults has a service that fails for a moment, for good, or half-way through a result.
func TestFaults(t *testing.T) {
	t.Parallel()
	unavailable := func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	for _, c := range []struct {
		name  string
		size  int
		fault func() func(http.ResponseWriter, *http.Request) bool
		fails bool
	}{
		{name: "twice unavailable", size: 100, fault: func() func(http.ResponseWriter, *http.Request) bool {
			var n atomic.Int64
			return func(w http.ResponseWriter, r *http.Request) bool { return n.Add(1) <= 2 && unavailable(w, r) }
		}},
		{name: "a part is unavailable twice", size: 20 << 20, fault: func() func(http.ResponseWriter, *http.Request) bool {
			var n atomic.Int64
			return func(w http.ResponseWriter, r *http.Request) bool {
				return r.URL.Query().Get("partNumber") == "2" && n.Add(1) <= 2 && unavailable(w, r)
			}
		}},
		{name: "unavailable", size: 100, fails: true, fault: func() func(http.ResponseWriter, *http.Request) bool { return unavailable }},
		{name: "the connection breaks in the middle", size: 20 << 20, fails: true, fault: func() func(http.ResponseWriter, *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("partNumber") != "2" {
					return false
				}
				_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
				panic(http.ErrAbortHandler)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			service := newService(t)
			store := blobstore.New(service.bucket, "s", blobstore.Options{SweepEvery: -1})
			service.fail(c.fault())
			content := strings.Repeat("0123456789", c.size/10)
			stored, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader(content))
			service.fail(func(http.ResponseWriter, *http.Request) bool { return false })
			if c.fails {
				require.Error(t, err)
				require.Empty(t, keys(t, service.bucket))
				stored, err = store.Put(t.Context(), "call", "text/plain", strings.NewReader(content)) // the service is back
			}
			require.NoError(t, err)
			require.True(t, content == text(t, store, stored.Ref))
		})
	}
}

// TestDiskOfTemporaryFiles is full, or there is none: nothing is stored.
func TestDiskOfTemporaryFiles(t *testing.T) {
	t.Parallel()
	b := folder(t)
	store := blobstore.New(b, "s", blobstore.Options{Temp: "/nowhere/at/all", Memory: 10})
	_, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader("longer than ten bytes"))
	require.ErrorContains(t, err, "temporary file")
	require.Empty(t, keys(t, b))
	_, err = store.Put(t.Context(), "call", "text/plain", strings.NewReader("short"))
	require.NoError(t, err)

	dir := t.TempDir()
	store = blobstore.New(b, "s", blobstore.Options{Temp: dir, Memory: 10})
	_, err = store.Put(t.Context(), "call", "text/plain", strings.NewReader("longer than ten bytes"))
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		limit         int64
		want          string
	}{
		{name: "fits", content: "0123456789", limit: 10, want: "0123456789"},
		{name: "cut", content: "0123456789", limit: 9, want: "012345678\n[cut here: only the first 9 of 10 bytes were kept]\n"},
		{name: "in a character", content: "01ää", limit: 5, want: "01ä\n[cut here: only the first 4 of 6 bytes were kept]\n"},
		{name: "before a character", content: "01ää", limit: 4, want: "01ä\n[cut here: only the first 4 of 6 bytes were kept]\n"},
		{name: "no text", content: "0\xff\xff\xff", limit: 3, want: "0\xff\xff\n[cut here: only the first 3 of 4 bytes were kept]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, memory := range []int64{1, 3, 100} {
				store := blobstore.New(folder(t), "s", blobstore.Options{MaxFile: c.limit, Memory: memory})
				stored, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader(c.content))
				require.NoError(t, err)
				require.Equal(t, c.want, text(t, store, stored.Ref))
				kept, _, _ := strings.Cut(c.want, "\n[")
				require.Equal(t, int64(len(kept)), stored.Size)
				require.NoError(t, store.Close())
			}
		})
	}
}

// TestSlowReader is given up when its context ends.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	b := folder(t)
	store := blobstore.New(b, "s", blobstore.Options{})
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, "a beginning")
		cancel(pegboard.ErrUserInterrupt)
		_, _ = io.WriteString(w, " and more") // its reader has gone, or takes it and ends
	}()
	_, err := store.Put(ctx, "call", "text/plain", r)
	require.ErrorIs(t, err, pegboard.ErrUserInterrupt)
	require.Empty(t, keys(t, b))
	require.NoError(t, r.Close())
}

// TestMemoryStaysFlat puts a gigabyte at full effort, from a reader that makes it, into a folder.
func TestMemoryStaysFlat(t *testing.T) { //nolint:paralleltest // it measures the heap of the process
	requireFlat(t, blobstore.New(folder(t), "s", blobstore.Options{MaxFile: -1, MaxSession: -1, MaxTotal: -1, SweepEvery: -1}))
}

// requireFlat measures what Put has in use. The collector runs often meanwhile: on a busy machine
// it comes late, and the garbage would be the larger part.
func requireFlat(t *testing.T, store *blobstore.Store) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	size := int64(effort.Of(t, 1024)) << 20
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	stored, err := store.Put(t.Context(), "call", "text/plain", io.LimitReader(endless{}, size))
	close(stop)
	<-stopped
	require.NoError(t, err)
	require.Equal(t, size, stored.Size)
	t.Logf("heap grew by %d KiB for %d MiB", (max(most, before)-before)>>10, size>>20)
	require.Less(t, max(most, before)-before, uint64(32<<20))
	require.NoError(t, store.Close())
}

// endless returns the same line again and again.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	line := []byte("a line of sixty-four bytes, with its end, of which there are many")
	for n := 0; n < len(b); n += copy(b[n:], line) {
	}
	return len(b), nil
}

// TestPagesAreRanges reads a page near the end of a long result through ReadResult, and counts
// what the service has sent.
func TestPagesAreRanges(t *testing.T) {
	t.Parallel()
	service := newService(t)
	store := blobstore.New(service.bucket, "s", blobstore.Options{SweepEvery: -1})
	content := bytes.Repeat([]byte("0123456789abcde\n"), 1<<19) // 8 MiB
	stored, err := store.Put(t.Context(), "call", "text/plain", bytes.NewReader(content))
	require.NoError(t, err)
	var sent atomic.Int64
	service.fail(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.Header.Get("Range") == "" {
			sent.Add(int64(len(content)))
		}
		return false
	})
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Results: store})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close(context.Background())) }()
	input, err := json.Marshal(map[string]any{"ref": stored.Ref, "offset": len(content) - 160})
	require.NoError(t, err)
	out := tooltest.Run(t.Context(), results.Read(results.Options{}), session, string(input))
	require.NoError(t, out.Err, out.Result.Text())
	require.Equal(t, 10, strings.Count(out.Result.Text(), "0123456789abcde"))
	require.LessOrEqual(t, sent.Load(), int64(len(content)), "the first request alone is for all, and is given up")
}

func TestURL(t *testing.T) {
	t.Parallel()
	service := newService(t)
	store := blobstore.New(service.bucket, "s", blobstore.Options{SweepEvery: -1})
	stored, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader("content"))
	require.NoError(t, err)
	address, err := store.URL(t.Context(), stored.Ref, time.Minute)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	got, err := io.ReadAll(response.Body)
	require.NoError(t, errors.Join(err, response.Body.Close()))
	require.Equal(t, "content", string(got))

	_, err = store.URL(t.Context(), "../x", time.Minute)
	require.ErrorIs(t, err, fs.ErrNotExist)
	memory := memblob.OpenBucket(nil)
	defer func() { require.NoError(t, memory.Close()) }()
	none := blobstore.New(memory, "s", blobstore.Options{})
	_, err = none.URL(t.Context(), stored.Ref, time.Minute)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestOpenOfNoBucket(t *testing.T) {
	t.Parallel()
	_, err := blobstore.Open(t.Context(), "nothing://x", "s", blobstore.Options{})
	require.ErrorContains(t, err, "bucket for results")
	store, err := blobstore.Open(t.Context(), folderURL(t.TempDir()), "s", blobstore.Options{})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	require.NoError(t, store.Close())
	_, err = store.Put(t.Context(), "call", "text/plain", strings.NewReader("late"))
	require.Error(t, err)
}
