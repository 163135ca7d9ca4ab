package responses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

type recording = corpus.Recording

// recordings returns every response below a folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	return corpus.Recordings(t, folder, map[string]func(testing.TB, string) []recording{".chunks.txt": chunks})
}

// chunks reads a file of one payload a line. It may hold several responses.
func chunks(t testing.TB, path string) []recording {
	t.Helper()
	var all []recording
	var body strings.Builder
	flush := func() {
		if body.Len() > 0 {
			all = append(all, recording{File: path, Body: body.String()})
		}
		body.Reset()
	}
	for _, line := range corpus.Lines(t, path) {
		body.WriteString("data: " + string(line) + "\n\n")
		var event struct{ Type string }
		if json.Unmarshal(line, &event) == nil && ended(event.Type) {
			flush()
		}
	}
	flush()
	return all
}

// ended reports whether an event is the last of a response.
func ended(event string) bool {
	switch event {
	case "response.completed", "response.incomplete", "response.failed":
		return true
	}
	return false
}
