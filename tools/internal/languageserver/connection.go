package languageserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	shutdownTime = 2 * time.Second // for the answer to shutdown
	exitTime     = time.Second     // from exit until the program is stopped
	maxAsked     = 10_000          // requests of a server between two of its answers
)

// A connection is one process of a server, from its start to its end.
type connection struct {
	config    Config
	root      string
	program   program
	client    *jrpc2.Client
	documents documents
	published published
	workspace workspace
	progress  *progress

	abilities abilities // of the server; set by the handshake

	mu        sync.Mutex
	stderr    []byte        // the end of it
	cut       bool          // stderr lacks its beginning
	asked     int           // requests of the server since its last answer
	fault     error         // why the connection is ended
	explained bool          // the program has ended, and fault says how
	stopped   chan struct{} // closed when nothing more is read of the program
	finished  chan struct{}
}

// connect starts the program of a server and completes the handshake.
func connect(ctx context.Context, launch launcher, c Config, root string, p *progress) (*connection, error) {
	n := &connection{config: c, root: root, progress: p, stopped: make(chan struct{}), finished: make(chan struct{})}
	n.documents.connection, n.workspace.connection = n, n
	n.published.init()
	ctx, cancel := context.WithTimeoutCause(ctx, c.begin(), errSlow)
	defer cancel()
	output, feed := io.Pipe()
	// The program lives longer than this call: the one that stops it is this connection.
	started, err := launch(context.WithoutCancel(ctx), c, root, func(p []byte) { _, _ = feed.Write(p) }, n.keepStderr)
	if err != nil {
		return nil, &StartError{Server: c.Name, Err: err}
	}
	n.program = started
	n.workspace.baseline(ctx.Err) // the server reads no file before initialize
	n.client = jrpc2.NewClient(newFraming(output, started.Input(), n.receive), &jrpc2.ClientOptions{
		OnCallback: n.answer,
		OnCancel:   n.cancelled,
		OnStop: func(_ *jrpc2.Client, err error) {
			n.stop(err)
			close(n.stopped)
		},
	})
	goroutine.Go(func() { n.watch(feed) })
	if err := n.handshake(ctx); err != nil {
		n.stop(err)
		<-n.finished
		return nil, &StartError{Server: c.Name, Err: n.ended(), Stderr: n.lastStderr()}
	}
	return n, nil
}

// watch waits for the end of the program.
func (n *connection) watch(feed *io.PipeWriter) {
	defer close(n.finished)
	<-n.program.Done()
	_ = feed.Close() // output that was read before is still delivered
	<-n.stopped      // a fault of the output is the reason, and the end follows from it
	n.stop(n.program.Fault())
	n.mu.Lock()
	n.explained = true
	n.mu.Unlock()
	_ = n.client.Close() // returns why it is closed
	n.progress.clear()
	n.published.close()
	n.workspace.notices.close()
}

// stop ends the program. The first reason is kept.
func (n *connection) stop(reason error) {
	n.mu.Lock()
	// A program that ends is noticed by its output first, and explained by its exit.
	if n.fault == nil || !n.explained && (errors.Is(n.fault, io.EOF) || errors.Is(n.fault, errEnded)) {
		n.fault = reason
	}
	n.mu.Unlock()
	n.program.Stop()
}

// ended returns why the connection has ended.
func (n *connection) ended() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fault
}

// alive reports whether the connection may take requests.
func (n *connection) alive() bool {
	select {
	case <-n.finished:
		return false
	default:
		return !n.client.IsStopped()
	}
}

// shutdown asks the server to end, and then ends it. It returns when nothing of it is left,
// or when ctx ends, after which the program is killed.
func (n *connection) shutdown(ctx context.Context) {
	polite, cancel := context.WithTimeout(ctx, shutdownTime)
	defer cancel()
	if _, err := n.client.Call(polite, "shutdown", nil); err == nil && n.client.Notify(ctx, "exit", nil) == nil {
		timer := time.NewTimer(exitTime)
		defer timer.Stop()
		select {
		case <-n.program.Done():
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	n.stop(errIdle)
	select {
	case <-n.finished:
	case <-ctx.Done():
	}
}

// call sends a request and decodes its result.
func (n *connection) call(ctx context.Context, method string, params, result any) error {
	response, err := n.client.Call(ctx, method, params)
	n.mu.Lock()
	n.asked = 0
	n.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if refused := (*jrpc2.Error)(nil); errors.As(err, &refused) && n.alive() {
		return &ResponseError{Server: n.config.Name, Code: int(refused.Code), Message: shorten(refused.Message, maxStderr)}
	}
	if err != nil {
		if !n.client.IsStopped() { // otherwise it knows why
			n.stop(err)
		}
		select {
		case <-n.finished:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return &CrashError{Server: n.config.Name, Err: n.ended(), Stderr: n.lastStderr()}
	}
	if err := response.UnmarshalResult(result); err != nil {
		return &ResponseError{Server: n.config.Name, Message: "its answer cannot be decoded: " + shorten(err.Error(), maxStderr)}
	}
	return nil
}

// explain returns why a notification was not sent, if err is about that.
func (n *connection) explain(err error) error {
	if n.alive() {
		return err
	}
	<-n.finished
	return &CrashError{Server: n.config.Name, Err: n.ended(), Stderr: n.lastStderr()}
}

// notify sends a notification.
func (n *connection) notify(method string, params any) error {
	return n.client.Notify(context.Background(), method, params)
}

// cancelled tells the server that an answer is no longer needed.
func (n *connection) cancelled(client *jrpc2.Client, response *jrpc2.Response) {
	_ = client.Notify(context.Background(), "$/cancelRequest", map[string]any{"id": json.RawMessage(response.ID())}) // it may have ended
}

func (n *connection) keepStderr(p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stderr = append(n.stderr, p...)
	if extra := len(n.stderr) - 2*maxStderr; extra > 0 {
		n.stderr, n.cut = append([]byte(nil), n.stderr[extra:]...), true
	}
}

func (n *connection) lastStderr() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return lastStderr(n.stderr, !n.cut)
}

// receive deals with the notifications of the server, in their order, which jrpc2 does not
// keep. It reports false for other messages.
func (n *connection) receive(message []byte) bool {
	if !bytes.Contains(message, []byte(`"method"`)) {
		return false
	}
	var note struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(message, &note) != nil || note.Method == "" || note.ID != nil {
		return false
	}
	switch note.Method {
	case "textDocument/publishDiagnostics":
		n.published.receive(n, note.Params)
	case "$/progress":
		n.progress.receive(note.Params)
	}
	return true
}

// answer answers a request of the server. What would write is refused.
func (n *connection) answer(_ context.Context, request *jrpc2.Request) (any, error) {
	n.mu.Lock()
	n.asked++
	endless := n.asked > maxAsked
	n.mu.Unlock()
	if endless {
		n.stop(errAsking)
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%v", errAsking)
	}
	switch request.Method() {
	case "workspace/configuration":
		return n.settings(request)
	case "workspace/workspaceFolders":
		return []workspaceFolder{n.folder()}, nil
	case "client/registerCapability":
		var params json.RawMessage
		if err := request.UnmarshalParams(&params); err != nil {
			return nil, err
		}
		n.workspace.register(params)
		return nil, nil
	case "client/unregisterCapability", "window/workDoneProgress/create",
		"window/showMessageRequest",
		"workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/foldingRange/refresh",
		"workspace/inlayHint/refresh", "workspace/inlineValue/refresh", "workspace/semanticTokens/refresh":
		return nil, nil
	case "window/showDocument":
		return map[string]bool{"success": false}, nil
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "this client only reads"}, nil
	}
	return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "this client does not know %s", shorten(request.Method(), 200))
}

// settings returns the sections of Config.Settings that the server asks for.
func (n *connection) settings(request *jrpc2.Request) (any, error) {
	var params struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := request.UnmarshalParams(&params); err != nil {
		return nil, err
	}
	found := make([]json.RawMessage, len(params.Items))
	for i, item := range params.Items {
		found[i] = section(n.config.Settings, item.Section)
	}
	return found, nil
}

// section returns the part of settings that a dotted name leads to, or null. The empty name
// is that of the whole.
func section(settings json.RawMessage, name string) json.RawMessage {
	if name == "" && settings != nil {
		return settings
	}
	for name != "" && settings != nil {
		first, rest, _ := strings.Cut(name, ".")
		var members map[string]json.RawMessage
		if json.Unmarshal(settings, &members) != nil {
			return nil
		}
		if whole, ok := members[name]; ok {
			return whole
		}
		settings, name = members[first], rest
	}
	return settings
}

func (n *connection) folder() workspaceFolder {
	return workspaceFolder{URI: fileURI(n.root), Name: filepath.Base(n.root)}
}
