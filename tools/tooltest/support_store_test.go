package tooltest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// place is where memory stores keep results.
type place struct {
	mu    sync.Mutex
	held  map[string][]byte
	order []string // of the refs
}

func newPlace() *place { return &place{held: map[string][]byte{}} }

// memoryStore is a good store, with some parts replaced.
type memoryStore struct {
	*place
	name func(callID string, text []byte) string
	read func(r io.Reader) ([]byte, error)                        // reads what is put
	say  func(stored pegboard.StoredResult) pegboard.StoredResult // what Put returns
	put  func(ctx context.Context, callID string, r io.Reader) (pegboard.StoredResult, error)
	open func(ref string) (io.ReadCloser, error)
}

func (m *memoryStore) Put(ctx context.Context, callID, _ string, r io.Reader) (pegboard.StoredResult, error) {
	if m.put != nil {
		return m.put(ctx, callID, r)
	}
	read := io.ReadAll
	if m.read != nil {
		read = m.read
	}
	text, err := read(r)
	if err != nil {
		return pegboard.StoredResult{}, err
	}
	return m.hold(callID, text), nil
}

func (m *memoryStore) hold(callID string, text []byte) pegboard.StoredResult {
	name := hashed
	if m.name != nil {
		name = m.name
	}
	return m.keep(name(callID, text), text)
}

func (m *memoryStore) keep(ref string, text []byte) pegboard.StoredResult {
	m.mu.Lock()
	if _, again := m.held[ref]; !again {
		m.order = append(m.order, ref)
	}
	m.held[ref] = text
	m.mu.Unlock()
	stored := pegboard.StoredResult{Ref: ref, Size: int64(len(text))}
	if m.say != nil {
		return m.say(stored)
	}
	return stored
}

// forget removes all results but the last n.
func (p *place) forget(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ref := range p.order[:max(0, len(p.order)-n)] {
		delete(p.held, ref)
	}
}

func (p *place) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}

func (p *place) size(ref string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held[ref])
}

func (m *memoryStore) Open(_ context.Context, ref string) (io.ReadCloser, error) {
	if m.open != nil {
		return m.open(ref)
	}
	return m.get(ref)
}

func (m *memoryStore) get(ref string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.held[ref]
	if !ok {
		return nil, fmt.Errorf("result %q: %w", ref, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

func hashed(callID string, text []byte) string {
	sum := sha256.Sum256(append([]byte(callID+"\x00"), text...))
	return "m-" + hex.EncodeToString(sum[:])
}

// storesOver returns an open for CheckStore. Change changes each store before it is used.
func storesOver(p *place, change func(m *memoryStore)) func() (pegboard.ResultStore, error) {
	return func() (pegboard.ResultStore, error) {
		m := &memoryStore{place: p}
		if change != nil {
			change(m)
		}
		return m, nil
	}
}

// large is the size of the largest result in tests of bad stores.
const large = 1 << 20
