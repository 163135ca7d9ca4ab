package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A turn is one reply of the scripted model.
type turn struct {
	text  string
	calls []scripted
}

type scripted struct{ name, input string }

// script returns the turns of the model: it looks around, makes every mistake that a
// call can contain, corrects it, and reports.
func script(linger time.Duration) []turn {
	return []turn{
		{"I will look at what this repository is.", []scripted{
			{"Read", `{"file_path": "README.md", "limit": 12}`},
			{"Read", `{"file_path": "go.mod", "limit": 5}`},
			{"Glob", `{"pattern": "examples/*/main.go"}`},
		}},
		{"Which Go builds it? I will also try a few things I am not sure of.", []scripted{
			{"Bash", `{"command": "go env GOOS", "description": "Show the system it builds for"}`},
			{"Read", `{"file_path": "/etc/shadow"}`},
			{"Globb", `{"pattern": "*.md"}`},
			{"Read", `{"path": "go.mod", "limit": 3}`},
		}},
		{"The input was wrong; once more. And a command that needs your permission.", []scripted{
			{"Read", `{"file_path": "go.mod", "limit": 1}`},
			{"Bash", fmt.Sprintf(`{"command": "for f in doc.go tool.go pool.go; do echo \"looking at $f\"; sleep %.2f; done; sh -c 'grep -c . LICENSE'"}`, linger.Seconds()/3)},
			{"Glob", `{"pattern": "docs/*.md"}`},
			{"Read", `{"file_path": "LICENSE", "limit": 3}`},
		}},
		{"This is pegboard, a Go library for the tools that a language model may call. The manual is doc.go.", nil},
	}
}

// serve starts a server on the loopback interface that implements the streaming
// Messages API and replays turns. Like the real service it refuses a request in which
// a call has no result.
func serve(turns []turn) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: replay(turns), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // stop ends it
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

func replay(turns []turn) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Tools    []json.RawMessage
			Messages []struct {
				Role    string
				Content json.RawMessage
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			refuse(w, err.Error())
			return
		}
		n := 0
		for _, m := range request.Messages {
			if m.Role == "assistant" {
				n++
			}
		}
		if n >= len(turns) {
			refuse(w, "the script has ended")
			return
		}
		if n > 0 {
			last := string(request.Messages[len(request.Messages)-1].Content)
			for i := range turns[n-1].calls {
				if id := callID(n-1, i); !strings.Contains(last, `"tool_use_id":"`+id+`"`) {
					refuse(w, "a tool_use has no tool_result: "+id)
					return
				}
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		stream(w, n, turns[n])
	}
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": message},
	})
}

func callID(turn, call int) string { return fmt.Sprintf("toolu_%d_%d", turn+1, call+1) }

// stream writes one turn as server-sent events. An input is split into small pieces.
func stream(w http.ResponseWriter, n int, t turn) {
	send := func(kind string, data map[string]any) {
		data["type"] = kind
		b, _ := json.Marshal(data) // maps of strings and numbers always encode
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
		_ = http.NewResponseController(w).Flush()
	}
	block := func(index int, start map[string]any, deltaKind, field string, text string) {
		send("content_block_start", map[string]any{"index": index, "content_block": start})
		for piece := range slices.Chunk([]byte(text), 17) {
			send("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": deltaKind, field: string(piece)}})
		}
		send("content_block_stop", map[string]any{"index": index})
	}
	send("message_start", map[string]any{"message": map[string]any{
		"id": fmt.Sprintf("msg_%d", n+1), "type": "message", "role": "assistant", "content": []any{}, "model": "script",
		"usage": map[string]int{"input_tokens": 0, "output_tokens": 0},
	}})
	block(0, map[string]any{"type": "text", "text": ""}, "text_delta", "text", t.text)
	for i, c := range t.calls {
		start := map[string]any{"type": "tool_use", "id": callID(n, i), "name": c.name, "input": map[string]any{}}
		block(i+1, start, "input_json_delta", "partial_json", c.input)
	}
	reason := "end_turn"
	if len(t.calls) > 0 {
		reason = "tool_use"
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason}, "usage": map[string]int{"output_tokens": 1}})
	send("message_stop", map[string]any{})
}
