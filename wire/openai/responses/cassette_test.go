package responses_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// recording is one response of the API, and the request that it answers if that
// was recorded, too.
type recording struct {
	file    string // and the place within it
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
		case strings.HasSuffix(path, ".txt"), strings.HasSuffix(path, ".json"):
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			all = append(all, recording{file: path, body: string(body)})
		}
		return nil
	})
	require.NoError(t, err)
	return all
}

// chunks reads a file of one payload a line. It may hold several responses.
func chunks(t *testing.T, path string) []recording {
	t.Helper()
	var all []recording
	var body strings.Builder
	flush := func() {
		if body.Len() > 0 {
			all = append(all, recording{file: path, body: body.String()})
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

// exchange is one request with its response, as any of the recorders writes it.
type exchange struct {
	Request  recorded
	Response recorded
	When     recorded
	Then     recorded
}

type recorded struct {
	Body   yaml.Node
	Parsed any `yaml:"parsed_body"`
}

func cassette(t *testing.T, path string) []recording {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []recording
	dec := yaml.NewDecoder(bytes.NewReader(file))
	for {
		var document struct {
			exchange     `yaml:",inline"`
			Interactions []exchange
		}
		err := dec.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, path)
		for _, x := range append(document.Interactions, document.exchange) {
			request, response := x.Request.text(t)+x.When.text(t), x.Response.text(t)+x.Then.text(t)
			if response != "" {
				all = append(all, recording{file: path, body: response, request: []byte(request)})
			}
		}
	}
}

// text returns a body, or "" if there is none.
func (r recorded) text(t *testing.T) string {
	t.Helper()
	if r.Parsed != nil {
		raw, err := json.Marshal(r.Parsed)
		require.NoError(t, err)
		return string(raw)
	}
	if r.Body.Kind == yaml.MappingNode {
		var nested struct{ String string }
		require.NoError(t, r.Body.Decode(&nested))
		return nested.String
	}
	return r.Body.Value
}
