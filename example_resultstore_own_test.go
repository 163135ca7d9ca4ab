package pegboard_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// memoryStore keeps results in memory. A store of a host's own may as well keep them in a
// bucket or a database.
type memoryStore struct {
	mu   sync.Mutex
	held map[string][]byte
}

// Put names a result after its call and its bytes: the same bytes of the same call have
// the same name, and a name never stands for other bytes.
func (m *memoryStore) Put(_ context.Context, callID, _ string, r io.Reader) (pegboard.StoredResult, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return pegboard.StoredResult{}, err
	}
	sum := sha256.Sum256(append([]byte(callID+"\x00"), text...))
	ref := "memory:" + hex.EncodeToString(sum[:16])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[ref] = text
	return pegboard.StoredResult{Ref: ref, Size: int64(len(text))}, nil
}

// Open returns the bytes of a name.
func (m *memoryStore) Open(_ context.Context, ref string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.held[ref]
	if !ok {
		return nil, fmt.Errorf("result %q: %w", ref, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// A host's own store holds the results that are too long for the model, and the model is
// told by which name.
func ExampleResultStore() {
	store := &memoryStore{held: map[string][]byte{}}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Results: store,
		Limits:  pegboard.ResultLimits{PerResult: 1000, Preview: 20, ReadMoreHint: "read on with ReadResult"},
	})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Log"},
		Description: "Prints the log.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
			return strings.Repeat("something happened\n", 100), nil
		},
	})); err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	part := executor.Run(context.Background(), pool, pegboard.Call{ID: "call_1", Name: "Log"})[0].Result.Parts[0]
	fmt.Println(part.Text)

	whole, err := store.Open(context.Background(), part.Ref)
	if err != nil {
		log.Fatal(err)
	}
	size, _ := io.Copy(io.Discard, whole)
	fmt.Println(size, "bytes are in", part.Ref)
	// Output:
	// [Result too long to show: 1900 bytes, 100 lines. All of it is in memory:fd50c8e7aa50b816a9635df12cdfce61; read on with ReadResult. Below are its first 19 bytes.]
	// something happened
	// 1900 bytes are in memory:fd50c8e7aa50b816a9635df12cdfce61
}
