package remote_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/remote"
)

const limit = 1000

// A client talks to a server of the test.
type client struct {
	t         *testing.T
	url       string
	exchange  exchange.Exchange
	transport *remote.Transport
	http      *http.Client
}

func newClient(t *testing.T, change func(*remote.Server), handler http.HandlerFunc) *client {
	t.Helper()
	server := httptest.NewServer(handler)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	config := remote.Server{URL: address, MaxMessage: limit}
	if change != nil {
		change(&config)
	}
	c := &client{t: t, url: server.URL}
	c.transport = remote.NewTransport(t.Context(), config, &c.exchange)
	c.http = c.transport.Client()
	t.Cleanup(func() {
		c.transport.Shut()
		server.Close()
	})
	return c
}

// call sends a tracked request with the id 1 and returns the body of the answer.
func (c *client) call() (*exchange.Request, string, error) {
	r := c.exchange.Begin(nil)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":%q}}}`, r.Token())
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(body))
	require.NoError(c.t, err)
	resp, err := c.http.Do(request)
	if err != nil {
		return r, "", err
	}
	answer, err := io.ReadAll(resp.Body)
	require.NoError(c.t, resp.Body.Close())
	return r, string(answer), err
}

func fault(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":%q}}`, text)
}

const (
	shown   = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	tooLong = "the answer of the server is longer than 1000 bytes and was not read"
	none    = "the server did not answer with a message of the protocol"
)

// TestAnswers sends answers of all kinds, and expects what the SDK reads of them.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const result = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`
	long := strings.Repeat("x", 2*limit)
	tests := []struct {
		name   string
		kind   string // of the content; JSON if it is empty, and "events" is an event stream
		status int    // 200 if it is 0
		body   string
		want   string
		kept   string // the result, as it was sent
		strays int
		old    bool
	}{
		{name: "JSON", body: result, want: shown, kept: `{"a":1}`},
		{name: "JSON with a charset", kind: "application/json; charset=utf-8", body: result, want: shown, kept: `{"a":1}`},
		{name: "JSON with space", body: "\r\n " + result + "\n", want: shown, kept: `{"a":1}`},
		{name: "too long", body: `{"jsonrpc":"2.0","id":1,"result":{"a":"` + long + `"}}`, want: fault(tooLong)},
		{name: "empty", body: "", want: fault(none), strays: 1},
		{name: "null", body: "null", want: fault(none), strays: 1},
		{name: "a batch", body: "[" + result + "]", want: fault(none), strays: 1},
		{name: "broken", body: result[:20], want: fault(none), strays: 1},
		{name: "another id", body: `{"jsonrpc":"2.0","id":2,"result":{"a":1}}`, want: fault(none), strays: 1},
		{name: "a notification", body: `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, want: fault(none), strays: 1},
		{name: "two messages", body: result + result, want: fault(none), strays: 1},
		{name: "HTML", kind: "text/html", body: "<html>log in</html>", want: fault(none), strays: 1},
		{name: "no type", kind: "-", body: "hello", want: fault(none), strays: 1},
		{name: "a malformed type", kind: ";;;", body: result, want: fault(none), strays: 1},
		{name: "no content", kind: "-", status: http.StatusNoContent, want: fault(none), strays: 1},
		{name: "accepted", kind: "-", status: http.StatusAccepted, want: fault(none), strays: 1},
		{name: "accepted, older", old: true, kind: "text/plain", status: http.StatusAccepted, body: "Accepted", want: "Accepted"},
		{name: "OK, older", old: true, kind: "text/plain", body: "OK", want: "OK"},
		{name: "an error", kind: "text/plain", status: http.StatusInternalServerError, body: "no", want: "no"},
		{name: "a long error", kind: "text/plain", status: http.StatusInternalServerError, body: strings.Repeat("x", 2<<20), want: strings.Repeat("x", 1<<20)},
		{name: "events", kind: "events", body: "data: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "events with returns", kind: "events", body: "data: " + result + "\r\n\r\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "events without spaces", kind: "events", body: "event:message\nid:7\nretry:10\ndata:" + result + "\n\n", want: "event: message\nid: 7\nretry: 10\ndata: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "several lines", kind: "events", body: "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata:\ndata: \"result\":{\"a\":1}}\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "several lines for the SDK", kind: "events", body: "data: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"a\",\"params\":{}}\n\n", want: "data: {\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{}}\n\n"},
		{name: "comments", kind: "events", body: ": ping\n\n:\n\ndata: " + result + "\n: in between\n\n", want: "\n\ndata: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "an event for resuming", kind: "events", body: "id: 5\ndata:\n\ndata: " + result + "\n\n", want: "id: 5\n\ndata: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "an event for resuming, older", kind: "events", old: true, body: "id: 5\ndata:\n\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "the endpoint", kind: "events", old: true, body: "event: endpoint\ndata: /messages?a=1\n\n", want: "event: endpoint\ndata: /messages?a=1\n\n"},
		{name: "text", kind: "events", body: "data: hello\n\ndata: " + result + "\n\n", want: "\ndata: " + shown + "\n\n", kept: `{"a":1}`, strays: 1},
		{name: "unknown fields", kind: "events", body: "x: y\nz\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "an answer twice", kind: "events", body: "data: " + result + "\n\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n\n", kept: `{"a":1}`, strays: 1},
		{name: "a long event", kind: "events", body: "id: 3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"" + long + "\"}}\n\n", want: "id: 3\ndata: " + fault(tooLong) + "\n\n"},
		{name: "a long event in lines", kind: "events", body: "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata: \"result\":[\n" + strings.Repeat("data: \"aaaaaaaaaaaaaaaa\",\n", 100) + "data: 1]}\n\n", want: "data: " + fault(tooLong) + "\n\n"},
		{name: "lines before a long line", kind: "events", body: "data: {\"id\":1,\ndata: \"a\":[],\ndata: \"result\":\"" + long + "\"\ndata: }\n\n", want: "data: " + fault(tooLong) + "\n\n"},
		{name: "an id after a long line", kind: "events", body: "data: {\"result\":\"" + long + "\",\ndata: \"id\":1}\n\n", want: "data: " + fault(tooLong) + "\n\n"},
		{name: "a long event for no request", kind: "events", body: "data: {\"id\":9,\"result\":\"" + long + "\"}\n\ndata: " + result + "\n\n", want: "\ndata: " + shown + "\n\n", kept: `{"a":1}`, strays: 1},
		{name: "a long comment", kind: "events", body: ": " + long + "\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "a long unknown field", kind: "events", body: "x: {\"id\":9," + long + "\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`},
		{name: "a long endpoint", kind: "events", old: true, body: "event: endpoint\ndata: /" + long + "\n\ndata: " + result + "\n\n", want: "data: " + shown + "\n\n", kept: `{"a":1}`, strays: 1},
		{name: "an event that is cut off", kind: "events", body: "data: " + result + "\n", want: ""},
		{name: "an error as an event", kind: "events", body: `data: {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}` + "\n\n", want: `data: {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}` + "\n\n"},
		{name: "invalid UTF-8", kind: "events", body: "data: {\"id\":1,\"result\":{\"a\":\"\xff\"}}\n\n", want: "data: " + shown + "\n\n", kept: "{\"a\":\"\xff\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, func(s *remote.Server) { s.OldSSE = tt.old }, func(w http.ResponseWriter, _ *http.Request) {
				switch tt.kind {
				case "":
					w.Header().Set("Content-Type", "application/json")
				case "events":
					w.Header().Set("Content-Type", "text/event-stream")
				case "-":
					w.Header()["Content-Type"] = nil
				default:
					w.Header().Set("Content-Type", tt.kind)
				}
				if tt.status != 0 {
					w.WriteHeader(tt.status)
				}
				_, _ = io.WriteString(w, tt.body)
			})
			r, got, err := c.call()
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.kept, string(r.Result()))
			strays, _ := c.exchange.Strays()
			require.Equal(t, tt.strays, strays)
		})
	}
}

// TestCompressedAnswer reads an answer that is small only while it is compressed.
func TestCompressedAnswer(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		defer func() { _ = zipped.Close() }()
		_, _ = fmt.Fprintf(zipped, `{"id":1,"result":{"a":"%s"}}`, strings.Repeat("a", 1<<20))
	})
	_, got, err := c.call()
	require.NoError(t, err)
	require.Equal(t, fault(tooLong), got)
}

// TestEndlessStreams streams bodies of 57 MiB at full effort in which nothing ends. The memory
// stays small. It is not parallel, because it measures the memory.
func TestEndlessStreams(t *testing.T) {
	tests := []struct {
		name, kind, begin, piece, want string
	}{
		{name: "JSON", kind: "application/json", begin: `{"id":1,"result":"`, piece: "aaaaaaaa", want: fault(tooLong)},
		{name: "a line", kind: "text/event-stream", begin: `data: {"id":1,"result":"`, piece: "aaaaaaaa"},
		{name: "a comment", kind: "text/event-stream", begin: `: `, piece: "aaaaaaaa"},
		{name: "lines of data", kind: "text/event-stream", piece: "data: aaaaaaaa\n"},
		{name: "empty data", kind: "text/event-stream", piece: "data:\n"},
		{name: "fields", kind: "text/event-stream", piece: "id: aaaaaaaaaaaaaaaa\n"},
		{name: "unknown fields", kind: "text/event-stream", piece: "x: aaaaaaaaaaaaaaaa\n"},
		{name: "comments", kind: "text/event-stream", piece: ": aaaaaaaaaaaaaaaa\n"},
		{name: "HTML", kind: "text/html", piece: "<p>", want: fault(none)},
	}
	size := effort.Of(t, 1<<29) / len(tests)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			piece := []byte(strings.Repeat(tt.piece, 64<<10/len(tt.piece)))
			c := newClient(t, func(s *remote.Server) { s.MaxMessage = 1 << 20 }, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				_, _ = io.WriteString(w, tt.begin)
				for left := size; left > 0; left -= len(piece) {
					if _, err := w.Write(piece); err != nil {
						return
					}
				}
			})
			var got string
			var err error
			grown := reference.HeapGrowth(func() { _, got, err = c.call() })
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(tt.want, "1000", "1048576"), got)
			require.Less(t, grown, uint64(8<<20))
		})
	}
}

// TestLongEvent reads a message that is as long as messages may be. It is kept at most four
// times.
func TestLongEvent(t *testing.T) {
	const size = 8 << 20
	piece := strings.Repeat("a", 1<<20)
	c := newClient(t, func(s *remote.Server) { s.MaxMessage = size + 100 }, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":1,"result":{"a":"`)
		for range size / len(piece) {
			_, _ = io.WriteString(w, piece)
		}
		_, _ = io.WriteString(w, "\"}}\n\n")
	})
	var r *exchange.Request
	var err error
	grown := reference.HeapGrowth(func() { r, _, err = c.call() })
	require.NoError(t, err)
	require.Len(t, r.Result(), size+len(`{"a":""}`))
	require.Less(t, grown, uint64(4*size)) // 2 × is alive, the rest is not collected yet
}

// TestOtherHosts expects that requests and redirects to another host are refused.
func TestOtherHosts(t *testing.T) {
	t.Parallel()
	var reached bool
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer foreign.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		c := newClient(t, nil, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, foreign.URL, status) })
		_, _, err := c.call()
		require.ErrorIs(t, err, remote.ErrOtherHost)
	}
	c := newClient(t, nil, func(http.ResponseWriter, *http.Request) {})
	for _, address := range []string{foreign.URL, strings.Replace(c.url, "http:", "https:", 1), strings.Replace(c.url, "127.0.0.1", "localhost", 1), strings.Replace(c.url, "http://", "http://example.", 1)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		require.NoError(t, err)
		resp, err := c.http.Do(request)
		if err == nil {
			_ = resp.Body.Close()
		}
		require.ErrorIs(t, err, remote.ErrOtherHost, address)
	}
	require.False(t, reached)
}

// TestHeaders expects the headers of the configuration on each request, and the SDK's own
// before them.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var got http.Header
	c := newClient(t, func(s *remote.Server) { s.Headers = http.Header{"X-Key": {"secret"}, "Accept": {"text/html"}} },
		func(w http.ResponseWriter, r *http.Request) {
			if got = r.Header; r.URL.Path == "/" {
				http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
			}
		})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(request)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "secret", got.Get("X-Key"))
	require.Equal(t, "application/json", got.Get("Accept"))
	require.Empty(t, request.Header.Get("X-Key"))
}

// TestShut expects that requests end with the transport, and that one that ends a session has
// a second.
func TestShut(t *testing.T) {
	t.Parallel()
	began := make(chan string, 2)
	c := newClient(t, nil, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		began <- r.Method
		select {
		case <-r.Context().Done():
		case <-time.After(200 * time.Millisecond):
			if r.Method != http.MethodDelete {
				<-r.Context().Done()
			}
		}
	})
	ends := func(method string) <-chan error {
		end := make(chan error, 1)
		go func() {
			request, _ := http.NewRequestWithContext(context.Background(), method, c.url, bytes.NewReader(nil))
			resp, err := c.http.Do(request)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			end <- err
		}()
		return end
	}
	get, end := ends(http.MethodGet), ends(http.MethodDelete)
	<-began
	<-began
	start := time.Now()
	c.transport.Shut()
	require.ErrorIs(t, <-get, context.Canceled)
	require.NoError(t, <-end)
	require.Less(t, time.Since(start), 10*time.Second)
	hangs := ends(http.MethodGet)
	require.ErrorIs(t, <-hangs, context.Canceled)
}
