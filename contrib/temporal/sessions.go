package temporal

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// closeWithin is how long the Close of a session may take.
const closeWithin = time.Minute

// sessions are the sessions of a worker by their descriptions. Those that no call uses are kept
// up to a number; the one that was used longest ago is closed first.
type sessions struct {
	assemble func(context.Context, Description) (*pegboard.Pool, error)
	most     int
	logger   *slog.Logger

	mu     sync.Mutex
	byKey  map[string]*kept
	idle   *list.List // of *kept, the one used last in front
	closed bool
}

// kept is a session that a worker keeps.
type kept struct {
	key   string
	ready chan struct{} // closed when pool and err are set
	pool  *pegboard.Pool
	err   error

	users int           // guarded by sessions.mu
	place *list.Element // in idle; nil while it is used
}

func newSessions(assemble func(context.Context, Description) (*pegboard.Pool, error), most int, logger *slog.Logger) *sessions {
	return &sessions{assemble: assemble, most: most, logger: logger, byKey: map[string]*kept{}, idle: list.New()}
}

// pool returns the pool of a session. Release must be called when the call has ended.
func (s *sessions) pool(ctx context.Context, d *Description) (p *pegboard.Pool, release func(), err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, nil, err
	}
	k, first, err := s.take(string(text))
	if err != nil {
		return nil, nil, err
	}
	release = func() { s.release(k) }
	if first {
		func() {
			defer close(k.ready)
			k.pool, k.err = s.assembled(context.WithoutCancel(ctx), d)
		}()
	}
	select {
	case <-k.ready:
	case <-ctx.Done():
		release()
		return nil, nil, context.Cause(ctx)
	}
	if k.err != nil {
		release()
		return nil, nil, k.err
	}
	return k.pool, release, nil
}

// assembled calls the host's func.
func (s *sessions) assembled(ctx context.Context, d *Description) (p *pegboard.Pool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	switch p, err = s.assemble(ctx, *d); {
	case err != nil:
		return nil, err
	case p == nil || p.Session() == nil:
		return nil, errors.New("WorkerOptions.Pool has returned no pool of a session")
	}
	return p, nil
}

// take returns the session with that key. First means that the caller must assemble its pool.
func (s *sessions) take(key string) (k *kept, first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, errors.New("the worker is stopped")
	}
	k = s.byKey[key]
	if k == nil {
		k, first = &kept{key: key, ready: make(chan struct{})}, true
		s.byKey[key] = k
	}
	if k.place != nil {
		s.idle.Remove(k.place)
		k.place = nil
	}
	k.users++
	return k, first, nil
}

// release ends the use of a session. One without a pool is forgotten, so that the next call
// tries again.
func (s *sessions) release(k *kept) {
	for _, old := range s.released(k) {
		s.end(old)
	}
}

func (s *sessions) released(k *kept) (old []*kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	if k.err != nil || s.closed {
		if s.byKey[k.key] == k {
			delete(s.byKey, k.key)
		}
		return []*kept{k}
	}
	k.place = s.idle.PushFront(k)
	for s.idle.Len() > s.most {
		last := s.idle.Remove(s.idle.Back()).(*kept) //nolint:errcheck,forcetypeassert // it has nothing else
		delete(s.byKey, last.key)
		old = append(old, last)
	}
	return old
}

// end closes a session that no call uses.
func (s *sessions) end(k *kept) {
	if k.pool == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if err := k.pool.Session().Close(ctx); err != nil {
		s.logger.Error("a session of a worker was not closed", "session", k.pool.Session().ID(), "error", err)
	}
}

// close closes all sessions that no call uses, and the others when their calls have ended.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	var old []*kept
	for s.idle.Len() > 0 {
		k := s.idle.Remove(s.idle.Front()).(*kept) //nolint:errcheck,forcetypeassert // it has nothing else
		delete(s.byKey, k.key)
		old = append(old, k)
	}
	s.mu.Unlock()
	for _, k := range old {
		s.end(k)
	}
}
