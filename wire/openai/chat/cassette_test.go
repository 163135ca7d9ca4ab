package chat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// recording is one response of a service, and the request that it answers.
type recording struct {
	file    string
	body    string
	request []byte // JSON
}

// exchange is one request with its response, as either of the recorders writes it.
type exchange struct {
	Request, Response struct{ Body string }
	When, Then        struct{ Body string }
}

// recordings returns every response in the cassettes below a corpus folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "recordings", "openai-chat", "*.yaml"))
	require.NoError(t, err)
	var all []recording
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		dec := yaml.NewDecoder(bytes.NewReader(content))
		for {
			var document struct {
				exchange     `yaml:",inline"`
				Interactions []exchange
			}
			err := dec.Decode(&document)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, file)
			for _, x := range append(document.Interactions, document.exchange) {
				if body := x.Response.Body + x.Then.Body; body != "" {
					request := []byte(x.Request.Body + x.When.Body)
					require.True(t, json.Valid(request), file)
					all = append(all, recording{file: filepath.Base(file), body: body, request: request})
				}
			}
		}
	}
	return all
}
