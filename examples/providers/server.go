package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// fixtures are the replies of the model, one folder for each provider and one file
// for each turn, in the provider's streaming form.
//
//go:embed fixtures
var fixtures embed.FS

// A server plays the providers: it counts the model's turns in the history of a request
// and answers with the reply of the next turn. Like the real providers it refuses a
// history in which a call has no result.
type server struct {
	http    *http.Server
	address string
	seen    func(name string, body []byte) // is called with each request; may be nil
}

// serve starts a server on the loopback interface.
func serve(list []provider, seen func(name string, body []byte)) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	s := &server{
		http:    &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute},
		address: "http://" + listener.Addr().String(),
		seen:    seen,
	}
	for _, p := range list {
		mux.HandleFunc("POST /"+p.name+p.path, func(w http.ResponseWriter, r *http.Request) { s.answer(p, w, r) })
	}
	go func() { _ = s.http.Serve(listener) }() // ends with stop
	return s, nil
}

func (s *server) stop() { _ = s.http.Close() }

// endpoint returns the endpoint of p on this server. Each provider has a path of its own,
// below which its SDK finds the paths of the real service.
func (s *server) endpoint(p provider) endpoint {
	return endpoint{address: s.address + "/" + p.name + "/", key: "fixture", model: "fixture"}
}

func (s *server) answer(p provider, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if s.seen != nil {
		s.seen(p.name, body)
	}
	reply, err := nextReply(p, body)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	const piece = 100 // bytes; events and characters are torn, as on a real network
	for part := range slices.Chunk(reply, piece) {
		_, _ = w.Write(part)
		_ = http.NewResponseController(w).Flush()
	}
}

// nextReply returns the reply of the turn after the history in body.
func nextReply(p provider, body []byte) ([]byte, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	var history []json.RawMessage
	if err := json.Unmarshal(request[p.history], &history); err != nil {
		return nil, fmt.Errorf("%s: %w", p.history, err)
	}
	turns, err := p.turns(history)
	if err != nil {
		return nil, err
	}
	return fixtures.ReadFile(fmt.Sprintf("fixtures/%s/%d.sse", p.name, turns+1))
}

// refuse answers with the envelope that all of the APIs have in common.
func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": err.Error()},
	})
}
