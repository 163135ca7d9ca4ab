package login

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	callbackPath   = "/callback"
	callbackHeader = 5 * time.Second // how long a browser may take to send a request
)

// callback listens for the browser on this machine.
type callback struct {
	port   int
	server *http.Server
	ended  []<-chan error

	mu    sync.Mutex
	state string          // of the login that is waited for; "" before there is one
	came  chan url.Values // receives the query of the browser once
}

// listen begins to listen on a port, or on any if it is 0.
func listen(ctx context.Context, port int) (*callback, error) {
	c := &callback{came: make(chan url.Values, 1)}
	c.server = &http.Server{Handler: http.HandlerFunc(c.serve), ReadHeaderTimeout: callbackHeader, ErrorLog: nil}
	var config net.ListenConfig
	four, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if address, ok := four.Addr().(*net.TCPAddr); ok {
		c.port = address.Port
	}
	c.start(four)
	if port == 0 {
		return c, nil
	}
	// A browser may take localhost for either of the two.
	if six, err := config.Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(port))); err == nil {
		c.start(six)
	}
	return c, nil
}

func (c *callback) start(l net.Listener) {
	c.ended = append(c.ended, goroutine.Go(func() { _ = c.server.Serve(l) }))
}

// close stops listening. The browser still gets its answer.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := c.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		_ = c.server.Close()
	}
	for _, ended := range c.ended {
		<-ended
	}
}

// expect returns a channel for the query of the browser that comes back with a state.
func (c *callback) expect(state string) <-chan url.Values {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
	return c.came
}

// serve answers the browser. Whatever does not know the state is no end of the login: any
// page can send requests to a port of this machine.
func (c *callback) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	c.mu.Lock()
	known := c.state != "" && subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.state)) == 1
	c.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	switch {
	case r.URL.Path != callbackPath || r.Method != http.MethodGet:
		w.WriteHeader(http.StatusNotFound)
		return
	case !known:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "This is not the login that is waited for.\n")
		return
	}
	text := "The login is done. You can close this page.\n"
	if query.Get("error") != "" {
		text = "The login was refused. You can close this page.\n"
	}
	_, _ = io.WriteString(w, text)
	select {
	case c.came <- query:
	default: // it came before
	}
}
