package chat_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

type recording = corpus.Recording

// recordings returns every response in the cassettes below a corpus folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	all := corpus.Recordings(t, filepath.Join(folder, "recordings", "openai-chat"), nil)
	for _, r := range all {
		require.True(t, json.Valid(r.Request), r.File)
	}
	return all
}
