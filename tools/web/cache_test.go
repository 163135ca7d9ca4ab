package web_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// pipes is a listener whose connections are in memory, for the clock of synctest.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// inMemory calls f with a function that fetches from a server without sockets.
func inMemory(t *testing.T, o web.FetchOptions, h http.HandlerFunc, f func(t *testing.T, get func(path string) string)) {
	t.Helper()
	o.Reach = []string{"example.com:80"}
	tool := web.Fetch(o)
	besideServer(t, h, func(t *testing.T, s *pegboard.Session) {
		t.Helper()
		f(t, func(path string) string {
			s.NewTurn()
			out := tooltest.Run(t.Context(), tool, s, fmt.Sprintf(`{"url":"http://example.com%s","prompt":"?"}`, path))
			return out.Result.Text()
		})
	})
}

// besideServer calls f in a bubble with a session whose connections lead to a server without
// sockets.
func besideServer(t *testing.T, h http.HandlerFunc, f func(*testing.T, *pegboard.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		perms, err := policy.New(policy.ModeBypass)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
		require.NoError(t, err)
		listener := make(pipes)
		server := &http.Server{Handler: h}
		go func() { _ = server.Serve(listener) }()
		webseam.Set(s, webseam.Seams{Resolver: everyHost{}, Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			listener <- there
			return here, nil
		}})
		f(t, s)
		require.NoError(t, s.Close(context.Background()))
		close(listener)
		require.NoError(t, server.Close())
		time.Sleep(time.Minute) // until the handlers have noticed
	})
}

func TestCache(t *testing.T) {
	t.Parallel()
	var asked, unchanged atomic.Int32
	h := func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		switch r.URL.Path {
		case "/secret":
			w.Header().Set("Cache-Control", "private, No-Store")
		case "/tagged":
			w.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				unchanged.Add(1)
				w.WriteHeader(http.StatusNotModified)
				return
			}
		case "/dated":
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			if r.Header.Get("If-Modified-Since") != "" {
				unchanged.Add(1)
				w.WriteHeader(http.StatusNotModified)
				return
			}
		case "/wrong":
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = fmt.Fprintf(w, "answer %d", n)
	}
	inMemory(t, web.FetchOptions{}, h, func(t *testing.T, get func(string) string) {
		t.Helper()
		steps := []struct {
			name, path string
			wait       time.Duration // before the request
			want       string
			asked      int32 // how often the server was asked in the step
			unchanged  int32
		}{
			{name: "first", path: "/a#x", want: "answer 1", asked: 1},
			{name: "again", path: "/a#y", wait: 14 * time.Minute, want: "answer 1"},
			{name: "old", path: "/a", wait: time.Minute, want: "answer 2", asked: 1},
			{name: "another query", path: "/a?b", want: "answer 3", asked: 1},
			{name: "not to be stored", path: "/secret", want: "answer 4", asked: 1},
			{name: "was not stored", path: "/secret", want: "answer 5", asked: 1},
			{name: "a failure", path: "/wrong", want: "answer 6", asked: 1},
			{name: "is asked again", path: "/wrong", want: "answer 7", asked: 1},
			{name: "with a tag", path: "/tagged", want: "answer 8", asked: 1},
			{name: "still right", path: "/tagged", wait: 20 * time.Minute, want: "answer 8", asked: 1, unchanged: 1},
			{name: "is fresh again", path: "/tagged", wait: 14 * time.Minute, want: "answer 8"},
			{name: "with a date", path: "/dated", want: "answer 10", asked: 1},
			{name: "still right by date", path: "/dated", wait: time.Hour, want: "answer 10", asked: 1, unchanged: 1},
		}
		for _, step := range steps {
			time.Sleep(step.wait)
			before, same := asked.Load(), unchanged.Load()
			require.Contains(t, get(step.path), step.want, step.name)
			require.Equal(t, step.asked, asked.Load()-before, step.name)
			require.Equal(t, step.unchanged, unchanged.Load()-same, step.name)
		}
	})
}

func TestCacheLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		o     web.FetchOptions
		paths []string
		want  int32
	}{
		{name: "all fit", o: web.FetchOptions{CacheBytes: 100 << 10}, paths: []string{"/a", "/b", "/a", "/b"}, want: 2},
		{name: "the one used least goes", o: web.FetchOptions{CacheBytes: 100 << 10}, paths: []string{"/a", "/b", "/a", "/c", "/a", "/c", "/b"}, want: 4},
		{name: "too large for the cache", o: web.FetchOptions{CacheBytes: 100 << 10}, paths: []string{"/a", "/large", "/large", "/a"}, want: 3},
		{name: "no cache", o: web.FetchOptions{CacheFor: -1}, paths: []string{"/a", "/a"}, want: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			h := func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				size := 40 << 10
				if r.URL.Path == "/large" {
					size = 200 << 10
				}
				_, _ = fmt.Fprint(w, strings.Repeat("x", size))
			}
			inMemory(t, tt.o, h, func(t *testing.T, get func(string) string) {
				t.Helper()
				for _, path := range tt.paths {
					require.Contains(t, get(path), "xxx")
				}
			})
			require.Equal(t, tt.want, asked.Load())
		})
	}
}

// The default times: 20 s to the header, 30 s for all.
func TestFetchTimes(t *testing.T) {
	t.Parallel()
	slow := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
			return
		}
		for r.Context().Err() == nil {
			_, _ = fmt.Fprint(w, "x")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
		}
	}
	inMemory(t, web.FetchOptions{}, slow, func(t *testing.T, get func(string) string) {
		t.Helper()
		begun := time.Now()
		require.Contains(t, get("/silent"), "did not answer in time (net/http: timeout awaiting response headers)")
		require.Equal(t, 20*time.Second, time.Since(begun))
		begun = time.Now()
		require.Contains(t, get("/drip"), "characters:\n<web-page>\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		require.Equal(t, 30*time.Second, time.Since(begun))
	})
}
