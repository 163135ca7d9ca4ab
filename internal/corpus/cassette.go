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

	"go.yaml.in/yaml/v3"
)

// A Recording is one response of an API, and the request that it answers if that
// was recorded, too.
type Recording struct {
	File    string
	Body    string
	Request []byte // JSON or nil
}

// Recordings returns every response below a folder, which need not exist: those of
// cassettes, of files that hold one, and of files whose names end in a key of others.
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

// Cassette reads a recording in YAML, as any of the recorders writes it.
func Cassette(t testing.TB, path string) []Recording {
	t.Helper()
	file, err := os.ReadFile(path)
	must(t, err)
	var all []Recording
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
		must(t, err)
		for _, x := range append(document.Interactions, document.exchange) {
			request, response := x.Request.text(t)+x.When.text(t), x.Response.text(t)+x.Then.text(t)
			if response != "" {
				all = append(all, Recording{File: path, Body: response, Request: []byte(request)})
			}
		}
	}
}

// text returns a body, or "" if there is none.
func (r recorded) text(t testing.TB) string {
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
