package corpus

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

	"go.yaml.in/yaml/v4"
)

// A Recording is one recorded response of an API, with its request if that was recorded.
type Recording struct {
	File    string
	Body    string
	Request []byte // JSON or nil
}

// Recordings returns all responses below a folder, which need not exist: those in cassettes,
// in files with one response each, and in files whose names end in a key of others, which
// its function reads.
func Recordings(t testing.TB, folder string, others map[string]func(t testing.TB, path string) []Recording) []Recording {
	t.Helper()
	var all []Recording
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		for suffix, read := range others {
			if strings.HasSuffix(path, suffix) {
				all = append(all, read(t, path)...)
				return nil
			}
		}
		switch filepath.Ext(path) {
		case ".yaml":
			all = append(all, Cassette(t, path)...)
		case ".txt", ".json":
			body, err := os.ReadFile(path)
			must(t, err)
			all = append(all, Recording{File: path, Body: string(body)})
		}
		return nil
	})
	must(t, err)
	return all
}

// recordedExchange is one request with its response. Its fields are those of all recorders.
type recordedExchange struct {
	Request  recordedBody
	Response recordedBody
	When     recordedBody
	Then     recordedBody
}

type recordedBody struct {
	Body   yaml.Node
	Parsed any `yaml:"parsed_body"`
}

// Cassette reads a YAML file of any of the recorders.
func Cassette(t testing.TB, path string) []Recording {
	t.Helper()
	file, err := os.ReadFile(path)
	must(t, err)
	var all []Recording
	dec := yaml.NewDecoder(bytes.NewReader(file))
	for {
		var document struct {
			recordedExchange `yaml:",inline"`
			Interactions     []recordedExchange
		}
		err := dec.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		for _, x := range append(document.Interactions, document.recordedExchange) {
			request, response := x.Request.text(t)+x.When.text(t), x.Response.text(t)+x.Then.text(t)
			if response != "" {
				all = append(all, Recording{File: path, Body: response, Request: []byte(request)})
			}
		}
	}
}

// text returns the body, or "" if the recording has no body.
func (r recordedBody) text(t testing.TB) string {
	t.Helper()
	if r.Parsed != nil {
		raw, err := json.Marshal(r.Parsed)
		must(t, err)
		return string(raw)
	}
	if r.Body.Kind == yaml.MappingNode {
		var nested struct{ String string }
		must(t, r.Body.Decode(&nested))
		return nested.String
	}
	return r.Body.Value
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
