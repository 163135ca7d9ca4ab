package agents

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/durable"
)

// A store keeps the agents of one conversation in a directory: of each its conversation in the
// file ID.jsonl, and everything else in ID.json.
type store struct {
	dir   string
	lease *lease
}

const (
	recordSuffix     = ".json"
	transcriptSuffix = ".jsonl"
	temporarySuffix  = ".tmp"
)

// openStore returns the store in a directory, which is made if it is missing.
func openStore(dir string, l *lease) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the directory of agents: %w", err)
	}
	return &store{dir: dir, lease: l}, nil
}

// transcriptPath returns the path of an agent's conversation.
func (s *store) transcriptPath(id string) string {
	return filepath.Join(s.dir, id+transcriptSuffix)
}

// save writes a record. The file has the old or the new content, whenever the program dies.
func (s *store) save(r record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return s.lease.write(func() error { return s.write(r.Status.ID, append(data, '\n')) })
}

// write replaces the file of a record.
func (s *store) write(id string, data []byte) error {
	temporary := filepath.Join(s.dir, id+"-"+strings.ToLower(rand.Text()[:8])+temporarySuffix)
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return os.Rename(temporary, filepath.Join(s.dir, id+recordSuffix))
}

// remove removes the files of an agent that was not started after all.
func (s *store) remove(id string) error {
	var errs []error
	for _, path := range []string{s.transcriptPath(id), filepath.Join(s.dir, id+recordSuffix)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// load returns the agents of earlier programs, in the order in which they were started, and a
// problem for each record that cannot be read and was set aside.
func (s *store) load() (entries []*entry, problems []error) {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, []error{fmt.Errorf("the directory of agents: %w", err)}
	}
	for _, name := range names {
		path := filepath.Join(s.dir, name.Name())
		if strings.HasSuffix(path, temporarySuffix) {
			_ = os.Remove(path) // the program died while it wrote it
			continue
		}
		id, ok := strings.CutSuffix(name.Name(), recordSuffix)
		if !ok {
			continue
		}
		if !name.Type().IsRegular() { // to open a pipe would wait for its other end
			problems = append(problems, setAside(path, errNoFile))
			continue
		}
		e, err := s.loadRecord(id)
		if err != nil {
			problems = append(problems, setAside(path, err))
			continue
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b *entry) int { return a.status.Started.Compare(b.status.Started) })
	return entries, problems
}

func (s *store) loadRecord(id string) (*entry, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, id+recordSuffix))
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if err := r.check(id); err != nil {
		return nil, err
	}
	return r.entry(), nil
}

// history returns the conversation of an agent. One that cannot be read is set aside, and the
// agent then has none.
func (s *store) history(id string) ([]json.RawMessage, error) {
	path := s.transcriptPath(id)
	if aside, _ := filepath.Glob(path + ".*" + durable.CorruptSuffix); len(aside) > 0 { // the pattern is valid
		return nil, fmt.Errorf("%w: it was set aside as %s", errCorrupt, aside[0])
	}
	messages, err := readTranscript(path)
	if errors.Is(err, errCorrupt) {
		err = setAside(path, err)
	}
	return messages, err
}

// setAside renames a file that cannot be read, and returns why and where it is.
func setAside(path string, why error) error {
	aside, err := durable.SetAside(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w, nor set aside: %w", path, why, err)
	}
	return fmt.Errorf("%s cannot be read and was set aside as %s: %w", filepath.Base(path), aside, why)
}

// tellProblems tells the host and the main agent what could not be read.
func tellProblems(s *pegboard.Session, problems []error) {
	for _, p := range problems {
		s.Notify(pegboard.Part{Text: "(Of the agents of an earlier run of this program: " + p.Error() + ".)"})
	}
}
