package languageserver

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	maxStarts    = 4 // the first and three more
	startsWindow = 5 * time.Minute
)

// A Server is a language server for one root. It has at most one process at a time, which the
// first request starts. Its methods may be called from any goroutine.
//
// Paths are absolute. Each request reads the file from the disk and tells the server of
// changes. It takes at most Config.Request, and when it or its context ends earlier the
// server is told to stop working on it. If the server crashes, it is started again and asked
// once more.
//
// Errors are a [*StartError], [*CrashError], [*TimeoutError], [*ResponseError],
// [*PositionError], [ErrUnsupported], [ErrLanguage], [ErrClosed], the cause of the context, or
// an [*os.PathError] of the file, which may be [ErrNotText], [ErrTooLarge] or [ErrNotFile].
type Server struct {
	config   Config
	root     string
	pool     *Pool
	progress progress

	mu         sync.Mutex
	connection *connection // nil without a process
	opening    *opening    // nil if none is being started
	users      int         // requests that have the connection
	idle       *time.Timer // set while users is 0
	idleSince  time.Time   // when idle was set
	starts     []time.Time // that ended in a crash, within startsWindow
	last       *CrashError // the last of them
	reopen     []string    // documents of the process that crashed
	closed     bool
}

// An opening is the start of a process, which several requests may wait for.
type opening struct {
	done   chan struct{}
	cancel context.CancelCauseFunc
	err    error // valid when done is closed
}

// Name returns Config.Name.
func (s *Server) Name() string { return s.config.Name }

// Root returns the directory that the server works in.
func (s *Server) Root() string { return s.root }

// Progress returns the titles of the server's current work, from the server.
func (s *Server) Progress() []string { return s.progress.current() }

// Watch calls f with the title of each thing that the server begins to be busy with, until
// stop is called. f must not block. It may be called once more while stop is.
func (s *Server) Watch(f func(title string)) (stop func()) { return s.progress.watch(f) }

// Running reports whether the server has a process that has completed the handshake.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connection != nil && s.connection.alive()
}

// acquire returns the process of the server for a request, which calls release. It starts
// one if needed.
func (s *Server) acquire(ctx context.Context) (*connection, error) {
	for {
		s.mu.Lock()
		s.reap()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, ErrClosed
		case s.connection != nil:
			s.users++
			s.stopIdle()
			defer s.mu.Unlock()
			return s.connection, nil
		case s.opening == nil:
			if s.tooOften() {
				defer s.mu.Unlock()
				return nil, &CrashError{Server: s.config.Name, Err: s.last.Err, Stderr: s.last.Stderr, Gone: true}
			}
			s.open()
		}
		o := s.opening
		s.mu.Unlock()
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// release ends the use of acquire.
func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 || s.closed || s.connection == nil {
		return
	}
	s.startIdle()
}

func (s *Server) startIdle() {
	n := s.connection
	s.idle, s.idleSince = time.AfterFunc(s.config.idle(), func() { s.retire(n) }), time.Now()
}

func (s *Server) stopIdle() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}

// idleProcess returns the process if no request has it, and since when. Otherwise it returns nil.
func (s *Server) idleProcess() (n *connection, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.connection == nil || s.users > 0 {
		return nil, time.Time{}
	}
	return s.connection, s.idleSince
}

// retire shuts down a process that was idle.
func (s *Server) retire(n *connection) {
	s.mu.Lock()
	if s.closed || s.connection != n || s.users > 0 {
		s.mu.Unlock()
		return
	}
	s.connection = nil
	s.mu.Unlock()
	n.shutdown(context.Background())
}

// reap notes that the process has crashed. The caller holds s.mu.
func (s *Server) reap() {
	n := s.connection
	if n == nil || n.alive() {
		return
	}
	s.connection = nil
	s.stopIdle()
	s.reopen = n.documents.paths()
	s.crashed(&CrashError{Server: s.config.Name, Err: n.ended(), Stderr: n.lastStderr()})
}

// crashed counts a crash. The caller holds s.mu.
func (s *Server) crashed(why *CrashError) {
	s.starts, s.last = append(s.starts, time.Now()), why
}

// tooOften reports whether the server crashed too often to be started again. The caller holds
// s.mu.
func (s *Server) tooOften() bool {
	now := time.Now()
	s.starts = slices.DeleteFunc(s.starts, func(t time.Time) bool { return now.Sub(t) >= startsWindow })
	return len(s.starts) >= maxStarts
}

// open begins to start a process. The caller holds s.mu.
func (s *Server) open() {
	ctx, cancel := context.WithCancelCause(context.Background())
	o := &opening{done: make(chan struct{}), cancel: cancel}
	s.opening = o
	goroutine.Go(func() {
		defer cancel(nil)
		s.pool.makeRoom()
		n, err := connect(ctx, s.pool.launch, s.config, s.root, &s.progress)
		s.opened(o, n, err)
	})
}

// opened ends the start of a process.
func (s *Server) opened(o *opening, n *connection, err error) {
	if n != nil {
		s.reopenDocuments(n)
	}
	s.mu.Lock()
	closed := s.closed
	s.opening = nil
	if started := (*StartError)(nil); errors.As(err, &started) && !errors.Is(err, os.ErrNotExist) {
		s.crashed(&CrashError{Server: s.config.Name, Err: started.Err, Stderr: started.Stderr})
	}
	if closed {
		err = ErrClosed
	} else {
		s.connection = n
		if n != nil {
			s.startIdle()
		}
	}
	s.mu.Unlock()
	if closed && n != nil {
		n.stop(ErrClosed)
		<-n.finished
	}
	o.err = err
	close(o.done)
}

// reopenDocuments opens the documents that the process before had open.
func (s *Server) reopenDocuments(n *connection) {
	s.mu.Lock()
	paths := s.reopen
	s.reopen = nil
	s.mu.Unlock()
	for _, path := range paths {
		if _, _, release, err := n.documents.use(path); err == nil { // others are gone
			release()
		}
	}
}

// close ends the process for good. It returns when nothing of it is left, or ctx ends.
func (s *Server) close(ctx context.Context) {
	s.mu.Lock()
	n, o := s.connection, s.opening
	s.closed, s.connection = true, nil
	s.stopIdle()
	s.mu.Unlock()
	if o != nil {
		o.cancel(ErrClosed)
		select {
		case <-o.done:
		case <-ctx.Done():
		}
	}
	if n != nil {
		n.shutdown(ctx)
	}
}

const (
	contentModified = -32801
	modifiedRetries = 3
	changedRetries  = 3
)

// A request is one question to a server.
type request struct {
	method  string
	offered func(abilities) offer
	file    string    // "" for none
	at      *Position // in file; nil for none
	context any       // of textDocument/references
}

// Definition returns where the thing at a position is declared.
func (s *Server) Definition(ctx context.Context, file string, at Position) ([]Location, error) {
	return s.locations(ctx, request{method: "textDocument/definition", offered: func(a abilities) offer { return a.Definition }, file: file, at: &at})
}

// Implementation returns what implements the interface or method at a position.
func (s *Server) Implementation(ctx context.Context, file string, at Position) ([]Location, error) {
	return s.locations(ctx, request{method: "textDocument/implementation", offered: func(a abilities) offer { return a.Implementation }, file: file, at: &at})
}

// References returns where the thing at a position is used, with its declaration.
func (s *Server) References(ctx context.Context, file string, at Position) ([]Location, error) {
	return s.locations(ctx, request{
		method: "textDocument/references", offered: func(a abilities) offer { return a.References }, file: file, at: &at,
		context: map[string]bool{"includeDeclaration": true},
	})
}

func (s *Server) locations(ctx context.Context, r request) ([]Location, error) {
	var found []Location
	err := s.ask(ctx, r, func(ctx context.Context, n *connection, params map[string]any) error {
		var result wireLocations
		if err := n.call(ctx, r.method, params, &result); err != nil {
			return err
		}
		found = n.converter(ctx).all(result)
		return nil
	})
	return found, err
}

// Hover returns the information of the server about a position.
func (s *Server) Hover(ctx context.Context, file string, at Position) (Hover, error) {
	var found Hover
	r := request{method: "textDocument/hover", offered: func(a abilities) offer { return a.Hover }, file: file, at: &at}
	err := s.ask(ctx, r, func(ctx context.Context, n *connection, params map[string]any) error {
		var result wireHover
		if err := n.call(ctx, r.method, params, &result); err != nil {
			return err
		}
		found = Hover{Text: shorten(string(result.Contents), maxHover)}
		if result.Range != nil {
			found.Range = n.converter(ctx).location(fileURI(file), *result.Range).Range
		}
		return nil
	})
	return found, err
}

// DocumentSymbols returns the declarations of a file.
func (s *Server) DocumentSymbols(ctx context.Context, file string) ([]Symbol, error) {
	var found []Symbol
	r := request{method: "textDocument/documentSymbol", offered: func(a abilities) offer { return a.DocumentSymbol }, file: file}
	err := s.ask(ctx, r, func(ctx context.Context, n *connection, params map[string]any) error {
		var result []wireSymbol
		if err := n.call(ctx, r.method, params, &result); err != nil {
			return err
		}
		found = n.converter(ctx).symbols(result, fileURI(file), 1)
		return nil
	})
	return found, err
}

// WorkspaceSymbols returns the declarations below the root whose names match a query, in a
// way that the server chooses. file may be "": some servers choose the project by the last
// document that they were given.
func (s *Server) WorkspaceSymbols(ctx context.Context, file, query string) ([]Symbol, error) {
	var found []Symbol
	r := request{method: "workspace/symbol", offered: func(a abilities) offer { return a.WorkspaceSymbol }, file: file}
	err := s.ask(ctx, r, func(ctx context.Context, n *connection, _ map[string]any) error {
		var result []wireSymbol
		if err := n.call(ctx, r.method, map[string]string{"query": query}, &result); err != nil {
			return err
		}
		found = n.converter(ctx).symbols(result, "", 1)
		return nil
	})
	return found, err
}

// PrepareCallHierarchy returns the functions at a position.
func (s *Server) PrepareCallHierarchy(ctx context.Context, file string, at Position) ([]Item, error) {
	var found []Item
	err := s.hierarchy(ctx, file, at, func(ctx context.Context, n *connection, items []wireItem) error {
		found = nil
		c := n.converter(ctx)
		for _, item := range items {
			found = append(found, c.item(item))
		}
		return nil
	})
	return found, err
}

// IncomingCalls returns the functions that call the one at a position.
func (s *Server) IncomingCalls(ctx context.Context, file string, at Position) ([]Call, error) {
	return s.calls(ctx, file, at, "callHierarchy/incomingCalls")
}

// OutgoingCalls returns the functions that the one at a position calls.
func (s *Server) OutgoingCalls(ctx context.Context, file string, at Position) ([]Call, error) {
	return s.calls(ctx, file, at, "callHierarchy/outgoingCalls")
}

func (s *Server) calls(ctx context.Context, file string, at Position, method string) ([]Call, error) {
	var found []Call
	err := s.hierarchy(ctx, file, at, func(ctx context.Context, n *connection, items []wireItem) error {
		found = nil
		c := n.converter(ctx)
		for _, item := range items {
			var result []wireCall
			if err := n.call(ctx, method, map[string]any{"item": item.raw}, &result); err != nil {
				return err
			}
			found = append(found, c.calls(result, item)...)
		}
		return nil
	})
	return found, err
}

// hierarchy calls use with the functions at a position.
func (s *Server) hierarchy(ctx context.Context, file string, at Position, use func(context.Context, *connection, []wireItem) error) error {
	r := request{method: "textDocument/prepareCallHierarchy", offered: func(a abilities) offer { return a.CallHierarchy }, file: file, at: &at}
	return s.ask(ctx, r, func(ctx context.Context, n *connection, params map[string]any) error {
		var items []wireItem
		if err := n.call(ctx, r.method, params, &items); err != nil {
			return err
		}
		return use(ctx, n, items)
	})
}

// Published returns the diagnostics of a file that the server has published last, without
// waiting. It reports false if none belong to the file as it is on the disk,
// or the server has no process.
func (s *Server) Published(file string) ([]Diagnostic, bool) {
	s.mu.Lock()
	n := s.connection
	s.mu.Unlock()
	if n == nil {
		return nil, false
	}
	text, version, current := n.documents.current(file)
	found, _, _ := n.published.look(file)
	if !current || found.count == 0 || found.version != 0 && found.version != version {
		return nil, false
	}
	return diagnostics(found.found, n.abilities.Encoding, text), true
}

// Diagnose tells the server the file as it is on the disk and returns the diagnostics that
// it then publishes for it. It waits for them until ctx ends, and then reports false and
// returns the known ones. It does not start the server: without a process it returns nothing.
func (s *Server) Diagnose(ctx context.Context, file string) (found []Diagnostic, fresh bool, err error) {
	if s.config.Language(file) == "" {
		return nil, false, ErrLanguage
	}
	s.mu.Lock()
	s.reap()
	if s.connection == nil || s.closed {
		s.mu.Unlock()
		return nil, false, nil
	}
	n := s.connection
	s.users++
	s.stopIdle()
	s.mu.Unlock()
	defer s.release()
	text, version, before, release, err := n.documents.useCounted(file)
	if err != nil {
		return nil, false, err
	}
	defer release()
	published, fresh := n.published.wait(ctx, file, version, before)
	return diagnostics(published, n.abilities.Encoding, text), fresh, nil
}

// ask sends a request by send, which gets its parameters, and again after a crash. Errors of
// the host's context are its cause.
func (s *Server) ask(ctx context.Context, r request, send func(context.Context, *connection, map[string]any) error) error {
	if r.file != "" && s.config.Language(r.file) == "" {
		return ErrLanguage
	}
	for again := 0; ; again++ {
		err := s.try(ctx, r, send)
		if crash := (*CrashError)(nil); !errors.As(err, &crash) || crash.Gone || again > 0 {
			return err
		}
	}
}

// try is ask without the second attempt.
func (s *Server) try(ctx context.Context, r request, send func(context.Context, *connection, map[string]any) error) error {
	n, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	if !r.offered(n.abilities) {
		return ErrUnsupported
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.request(), errSlow)
	defer cancel()
	for again := 0; ; again++ {
		err := s.exchange(ctx, n, r, send)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx) // the answer may be converted in part
		}
		if refused := (*ResponseError)(nil); errors.As(err, &refused) && refused.Code == contentModified && again < modifiedRetries {
			continue // the files changed while the server worked
		}
		if errors.Is(err, errSlow) {
			return &TimeoutError{Server: s.config.Name, After: s.config.request(), Progress: s.progress.current()}
		}
		return err
	}
}

// exchange sends one request, and again if files have changed on the disk that the server did
// not know of. They are looked for while the server works.
func (s *Server) exchange(ctx context.Context, n *connection, r request, send func(context.Context, *connection, map[string]any) error) error {
	for again := 0; ; again++ {
		scan, generation := n.workspace.begin()
		err := s.send(ctx, n, r, send)
		if wrong := (*PositionError)(nil); errors.As(err, &wrong) || ctx.Err() != nil || scan == nil {
			return err
		}
		select {
		case <-scan.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if scan.generation == generation || again == changedRetries {
			return err
		}
	}
}

// send tells the server the file, and sends the request once.
func (s *Server) send(ctx context.Context, n *connection, r request, send func(context.Context, *connection, map[string]any) error) error {
	if r.file == "" {
		return send(ctx, n, nil)
	}
	text, _, release, err := n.documents.use(r.file)
	if err != nil {
		return n.explain(err)
	}
	defer release()
	params := map[string]any{"textDocument": textDocument{URI: fileURI(r.file)}}
	if r.at != nil {
		if params["position"], err = positionIn(text, *r.at, n.abilities.Encoding); err != nil {
			return err
		}
	}
	if r.context != nil {
		params["context"] = r.context
	}
	return send(ctx, n, params)
}
