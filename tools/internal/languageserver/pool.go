package languageserver

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// A Pool holds the language servers of one conversation. Its methods may be called from any
// goroutine.
type Pool struct {
	launch launcher
	table  proc.Table

	mu      sync.Mutex
	servers map[identity]*Server
	closed  bool
}

// identity is what tells servers apart.
type identity struct{ name, root string }

// NewPool returns a pool without servers.
func NewPool() *Pool {
	p := &Pool{servers: map[identity]*Server{}}
	p.launch = launchIn(&p.table)
	return p
}

// Server returns the server of that name for a root, an absolute path of a directory. The
// first call for the two decides the rest of the configuration. It starts no process. After
// Close the error is [ErrClosed].
func (p *Pool) Server(c Config, root string) (*Server, error) {
	if c.Name == "" || len(c.Command) == 0 || len(c.Languages) == 0 {
		return nil, errors.New("a language server needs a name, a command and languages")
	}
	if !filepath.IsAbs(root) {
		return nil, errors.New("the root of a language server must be an absolute path")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	id := identity{name: c.Name, root: filepath.Clean(root)}
	s := p.servers[id]
	if s == nil {
		s = &Server{config: c, root: id.root, pool: p}
		p.servers[id] = s
	}
	return s, nil
}

// Running returns the servers with a process that know files of that kind and whose root
// holds the file, those with the innermost root first.
func (p *Pool) Running(file string) []*Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*Server
	for id, s := range p.servers {
		if within(file, id.root) && s.config.Language(file) != "" && s.Running() {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *Server) int {
		return cmp.Or(cmp.Compare(len(b.root), len(a.root)), cmp.Compare(a.config.Name, b.config.Name))
	})
	return found
}

// maxIdle is the number of processes that are kept without a request.
const maxIdle = 8

// makeRoom shuts down the process that was idle for the longest time while there are maxIdle
// or more. It is called before a process is started.
func (p *Pool) makeRoom() {
	for {
		server, process := p.longestIdle()
		if server == nil {
			return
		}
		server.retire(process)
	}
}

// longestIdle returns nil if fewer than maxIdle processes are idle.
func (p *Pool) longestIdle() (server *Server, process *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var idle int
	var oldest time.Time
	for _, s := range p.servers {
		n, since := s.idleProcess()
		if n == nil {
			continue
		}
		if idle++; server == nil || since.Before(oldest) {
			server, process, oldest = s, n, since
		}
	}
	if idle < maxIdle {
		return nil, nil
	}
	return server, process
}

// Close shuts down all servers: each is asked to end and then killed, with its child processes.
// When ctx ends they are killed at once, and the error names the processes that still run.
// Requests fail from then on.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	servers := p.servers
	p.servers = nil
	p.mu.Unlock()
	var ends []<-chan error
	for _, s := range servers {
		ends = append(ends, goroutine.Go(func() { s.close(ctx) }))
	}
	for _, end := range ends {
		<-end
	}
	return p.table.Close(ctx)
}

func within(file, root string) bool {
	relative, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(relative)
}
