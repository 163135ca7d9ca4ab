package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

type recording = corpus.Recording

// recordings returns every response below a folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	return corpus.Recordings(t, folder, map[string]func(testing.TB, string) []recording{".chunks.txt": chunks, ".responses": recordedCalls})
}

// chunks reads a file of one response a line. It may hold several messages, which
// differ in the id of their responses.
func chunks(t testing.TB, path string) (all []recording) {
	t.Helper()
	last := ""
	for _, line := range corpus.Lines(t, path) {
		var head struct{ ResponseID string }
		require.NoError(t, json.Unmarshal(line, &head))
		if len(all) == 0 || head.ResponseID != last {
			all = append(all, recording{File: path})
		}
		last = head.ResponseID
		all[len(all)-1].Body += "data: " + string(line) + "\n\n"
	}
	return all
}

// recordedCalls reads a file of one call of an SDK a line, with its responses.
func recordedCalls(t testing.TB, path string) (all []recording) {
	t.Helper()
	for _, line := range corpus.Lines(t, path) {
		var call struct{ Response json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &call))
		all = append(all, recording{File: path, Body: string(call.Response)})
	}
	return all
}
