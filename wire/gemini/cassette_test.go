package gemini_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// recording is one response of the API, and the request that it answers if that was
// recorded, too.
type recording struct {
	file    string
	body    string
	request []byte // JSON or nil
}

// recordings returns every response below a folder.
func recordings(t *testing.T, folder string) []recording {
	t.Helper()
	var all []recording
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		case strings.HasSuffix(path, ".yaml"):
			all = append(all, cassette(t, path)...)
		case strings.HasSuffix(path, ".chunks.txt"):
			all = append(all, chunks(t, path)...)
		case strings.HasSuffix(path, ".responses"):
			all = append(all, recordedCalls(t, path)...)
		case strings.HasSuffix(path, ".json"):
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			all = append(all, recording{file: path, body: string(body)})
		}
		return nil
	})
	require.NoError(t, err)
	return all
}

// chunks reads a file of one response a line. It may hold several messages, which
// differ in the id of their responses.
func chunks(t *testing.T, path string) (all []recording) {
	t.Helper()
	last := ""
	for _, line := range corpus.Lines(t, path) {
		var head struct{ ResponseID string }
		require.NoError(t, json.Unmarshal(line, &head))
		if len(all) == 0 || head.ResponseID != last {
			all = append(all, recording{file: path})
		}
		last = head.ResponseID
		all[len(all)-1].body += "data: " + string(line) + "\n\n"
	}
	return all
}

// recordedCalls reads a file of one call of an SDK a line, with its responses.
func recordedCalls(t *testing.T, path string) (all []recording) {
	t.Helper()
	for _, line := range corpus.Lines(t, path) {
		var call struct{ Response json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &call))
		all = append(all, recording{file: path, body: string(call.Response)})
	}
	return all
}

func cassette(t *testing.T, path string) (all []recording) {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	var document struct {
		Interactions []struct{ Request, Response struct{ Body string } }
	}
	require.NoError(t, yaml.Unmarshal(file, &document))
	for _, x := range document.Interactions {
		all = append(all, recording{file: path, body: x.Response.Body, request: []byte(x.Request.Body)})
	}
	return all
}
