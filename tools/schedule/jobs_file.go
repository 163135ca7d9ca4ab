package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	fileVersion = 1
	maxFile     = 8 << 20 // bytes of a file that is read
	maxTries    = 100     // of a change, while other programs make theirs
)

// A jobsFile is the file of the durable jobs of a conversation.
type jobsFile struct {
	path  string // absolute, and resolved but for its last name
	store atomicfile.Store
}

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

// newFile returns the file at a path, which need not be there.
func newFile(path string) (*jobsFile, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return &jobsFile{path: filepath.Join(realpath.Resolve(filepath.Dir(abs)), filepath.Base(abs))}, nil
}

// load reads the file. Without a file, the snapshot is nil. The error wraps ErrFile.
func (f *jobsFile) load(ctx context.Context) (*atomicfile.Snapshot, []record, error) {
	snap, err := f.store.Load(ctx, f.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	var records []record
	if err == nil {
		records, err = decodeFile(snap.Data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrFile, f.path, err)
	}
	return snap, records, nil
}

// decodeFile reads the content of the file. A file with an unknown field is refused, since the
// next change would lose it.
func decodeFile(data []byte) ([]record, error) {
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

// update replaces the jobs of the file by what change makes of them, and returns these. Change may
// be called several times, as other programs write the file meanwhile. Nothing is written if it
// returns false.
func (f *jobsFile) update(ctx context.Context, change func([]record) ([]record, bool)) ([]record, error) {
	var err error
	for range maxTries {
		var snap *atomicfile.Snapshot
		var records []record
		if snap, records, err = f.load(ctx); err != nil {
			return nil, err
		}
		next, changed := change(slices.Clone(records))
		if !changed {
			return records, nil
		}
		data, encodeErr := json.MarshalIndent(fileContent{Version: fileVersion, Jobs: next}, "", "\t")
		if encodeErr != nil {
			return nil, encodeErr
		}
		data = append(data, '\n')
		if snap == nil {
			_, err = f.store.Create(ctx, f.path, data, 0o600)
		} else {
			_, err = snap.Replace(ctx, data)
		}
		if err == nil || errors.Is(err, atomicfile.ErrNotSynced) {
			return next, nil
		}
		if !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrFile, err)
}

func unmarshalStrictly(data []byte, v any) error {
	if _, err := strictjson.Decode(data, strictjson.Limits{}); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
