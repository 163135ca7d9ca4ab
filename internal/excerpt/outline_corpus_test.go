package excerpt_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// TestOutlineOfTheCorpus cuts every document there is in outside data: files that are
// JSON, lines that are, and results of tools that are.
func TestOutlineOfTheCorpus(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		documents, cuts, results := 0, 0, 0
		try := func(text []byte) {
			if !json.Valid(text) {
				return
			}
			documents++
			for _, limit := range []int{64, 2000, 10_000} {
				if cut := requireCut(t, text, limit); cut != string(text) {
					cuts++
				}
			}
		}
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			switch filepath.Ext(path) {
			case ".json":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				try(text)
			case ".jsonl":
				n := 0
				for _, line := range corpus.Lines(t, path) {
					if n++; n > 1500 {
						break
					}
					try(line)
					var call struct{ Result string }
					if json.Unmarshal(line, &call) == nil && bytes.ContainsAny([]byte(call.Result), "{[") && json.Valid([]byte(call.Result)) {
						results++
						try([]byte(call.Result))
					}
				}
			}
			return nil
		}))
		corpus.Report(t, folder, "%d documents, %d of them results of tools; cut %d times", documents, results, cuts)
		require.NotZero(t, documents)
	}
}
