package languageserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
	"testing"
)

// message is one of the protocol.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// fake is a server of this process. It answers initialize and shutdown, ends at exit, and
// leaves the rest to its func.
type fake struct {
	capabilities string // of the server; empty means all
	on           func(f *fakeRun, m message)

	mu     sync.Mutex
	starts int
	seen   []message // by all processes
}

// fakeRun is one process of a fake.
type fakeRun struct {
	*fake
	stop   context.Context //nolint:containedctx // that of the process
	start  int             // 1 for the first process
	output io.Writer
	errors io.Writer
	ended  bool
}

const everything = `{"definitionProvider":true,"referencesProvider":true,"hoverProvider":{},"documentSymbolProvider":true,` +
	`"workspaceSymbolProvider":true,"implementationProvider":true,"callHierarchyProvider":true,"textDocumentSync":{"openClose":true,"change":1,"save":true}}`

func (f *fake) serve(stop context.Context, input io.Reader, output, errors io.Writer) {
	f.mu.Lock()
	f.starts++
	run := &fakeRun{fake: f, stop: stop, start: f.starts, output: output, errors: errors}
	f.mu.Unlock()
	in := bufio.NewReader(input)
	for !run.ended {
		m, err := readMessage(in)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.seen = append(f.seen, m)
		f.mu.Unlock()
		run.take(m)
	}
}

func (r *fakeRun) take(m message) {
	switch m.Method {
	case "initialize":
		offered := r.capabilities
		if offered == "" {
			offered = everything
		}
		if r.on != nil {
			r.on(r, m)
		}
		r.answer(m, `{"capabilities":`+offered+`}`)
	case "shutdown":
		r.answer(m, `null`)
	case "exit":
		r.ended = true
	default:
		if r.on != nil {
			r.on(r, m)
		}
	}
}

func readMessage(in *bufio.Reader) (m message, err error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(in, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (r *fakeRun) answer(m message, result string) {
	r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (r *fakeRun) write(body string) {
	_, _ = fmt.Fprintf(r.output, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// count returns how many messages with that method came.
func (f *fake) count(method string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.seen {
		if m.Method == method {
			n++
		}
	}
	return n
}

// params returns the parameters of the messages with that method.
func (f *fake) params(t *testing.T, method string) (all []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.seen {
		if m.Method == method {
			all = append(all, string(m.Params))
		}
	}
	return all
}
