package serve

import (
	"context"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// use keeps a sessionless peer open until release is called as often. It reports whether
// the peer is open.
func (p *peer) use() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return false
	}
	if p.uses++; p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
	return true
}

func (p *peer) release() {
	p.mu.Lock()
	p.uses--
	closes := p.uses == 0 && p.sessionless && p.linger == 0
	if p.uses == 0 && p.sessionless && p.linger > 0 && p.closed == nil {
		p.idle = time.AfterFunc(p.linger, p.closeIdle)
	}
	p.mu.Unlock()
	if closes {
		goroutine.Go(p.close) // the response of the last request does not wait for it
	}
}

// closeIdle closes a peer that nothing uses.
func (p *peer) closeIdle() {
	p.mu.Lock()
	used := p.uses > 0
	p.mu.Unlock()
	if !used {
		p.close()
	}
}

// stay keeps a sessionless peer for some time after its last use.
func (p *peer) stay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.linger = max(p.linger, d)
}

// close closes the session and the connection. It may be called more than once, and waits
// until that is done.
func (p *peer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := p.closeWithin(ctx); err != nil {
		p.server.logError("closing the session of a client", err)
	}
}

func (p *peer) closeWithin(ctx context.Context) error {
	p.mu.Lock()
	closed, session, conn := p.closed, p.session, p.conn
	if closed == nil {
		p.closed = make(chan struct{})
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	p.session, p.tools, p.pool = nil, nil, nil
	p.mu.Unlock()
	if closed != nil {
		select {
		case <-closed:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	defer close(p.closed)
	defer p.server.remove(p)
	var err error
	if session != nil { // first, so that the calls end that the connection waits for
		err = session.Close(ctx)
	}
	if conn != nil {
		_ = conn.Close() // the error is for the transport
	}
	return err
}
