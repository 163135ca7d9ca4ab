package exchange

import (
	"encoding/json"
	"sync"
)

// Progress is a server's report on a request.
type Progress struct {
	Value   float64
	Total   float64 // 0 if it is not known
	Message string
}

// Request is a request that is tracked from Begin to End. Its methods may be called
// concurrently.
type Request struct {
	exchange *Exchange
	token    string
	ids      []string // of the messages that carried the token; guarded by the exchange

	mu       sync.Mutex
	progress func(Progress)
	advanced bool
	value    float64 // of the last progress
	result   json.RawMessage
}

// Token returns the progress token of the request.
func (r *Request) Token() string { return r.token }

// Result returns the bytes of the newest result as the server sent them, or nil if the server
// has not answered with one.
func (r *Request) Result() json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}

// End ends the tracking. Later progress and a later answer are ignored.
func (r *Request) End() {
	r.exchange.end(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = nil
}

func (r *Request) finish(result []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result = result
}

// advance reports progress. The protocol says that the value rises; another one is
// ignored.
func (r *Request) advance(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.progress == nil || r.advanced && p.Value <= r.value {
		return
	}
	r.advanced, r.value = true, p.Value
	r.progress(p)
}
