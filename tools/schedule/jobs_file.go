package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	fileVersion = 1
	maxFile     = 8 << 20 // bytes of a file that is read
)

// A fileContent is the content of the file.
type fileContent struct {
	Version int      `json:"version"`
	Jobs    []record `json:"jobs"`
}

// A record is a job in the file.
type record struct {
	ID        string    `json:"id"`
	Cron      string    `json:"cron"`
	Prompt    string    `json:"prompt"`
	Recurring bool      `json:"recurring"`
	Created   time.Time `json:"created"`
	Due       time.Time `json:"due"`
}

// openFile returns the file at a path, which need not be there.
func openFile(path string) (*durable.File[[]record], error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	path = filepath.Join(realpath.Resolve(filepath.Dir(abs)), filepath.Base(abs))
	decode := func(data []byte) ([]record, error) {
		jobs, err := decodeFile(data)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return jobs, err
	}
	return durable.New(path, durable.Format[[]record]{MaxBytes: maxFile, Decode: decode, Encode: encodeFile}), nil
}

// encodeFile returns the content of the file.
func encodeFile(jobs []record) ([]byte, error) {
	data, err := json.MarshalIndent(fileContent{Version: fileVersion, Jobs: jobs}, "", "\t")
	return append(data, '\n'), err
}

// decodeFile reads the content of the file. A file with an unknown field is refused, since the
// next change would lose it.
func decodeFile(data []byte) ([]record, error) {
	if data == nil {
		return nil, nil
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	if head.Version != fileVersion {
		return nil, fmt.Errorf("it is of version %d, and this program knows version %d", head.Version, fileVersion)
	}
	var content fileContent
	if err := unmarshalStrictly(data, &content); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, r := range content.Jobs {
		_, err := parseExpression(r.Cron)
		switch {
		case !isID(r.ID) || ids[r.ID]:
			return nil, fmt.Errorf("%s is no id, or that of two jobs", quote(r.ID))
		case err != nil:
			return nil, fmt.Errorf("job %s: %w", r.ID, err)
		case r.Created.IsZero() || r.Due.IsZero():
			return nil, fmt.Errorf("job %s has no time", r.ID)
		}
		if err := checkPrompt(r.Prompt); err != nil {
			return nil, fmt.Errorf("job %s: %w", r.ID, err)
		}
		ids[r.ID] = true
	}
	return content.Jobs, nil
}

func unmarshalStrictly(data []byte, v any) error {
	if _, err := strictjson.Decode(data, strictjson.Limits{}); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
