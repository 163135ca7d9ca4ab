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
