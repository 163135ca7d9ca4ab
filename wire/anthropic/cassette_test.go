package anthropic_test

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

// chunks reads a file of one payload a line. It may hold several messages.
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
		if json.Unmarshal(line, &event) == nil && event.Type == "message_stop" {
			flush()
		}
	}
	flush()
	return all
}
