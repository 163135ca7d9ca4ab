package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// namesFile is the name, without suffix, of the file in Options.Dir that keeps names.
const namesFile = "names"

// names remember which agents the writers of messages meant by names.
type names struct {
	store *store // nil if they are kept in memory

	mu    lock.Mutex                   // held while the file is written
	meant map[string]map[string]string // by the writer: the ids that names stood for
}

// A namesRecord is the content of the file.
type namesRecord struct {
	Version int                          `json:"version"`
	Meant   map[string]map[string]string `json:"meant"` // by the writer: the ids that names stood for
}

// openNames returns the names of a directory. A file that cannot be read is set aside, and is a
// problem.
func openNames(dir string, l *lease) (n *names, problem error) {
	n = &names{}
	if dir == "" {
		return n, nil
	}
	n.store = &store{dir: dir, lease: l}
	left, _ := filepath.Glob(filepath.Join(dir, namesFile+"-*"+temporarySuffix)) // at most a special character hides some
	for _, path := range left {
		_ = os.Remove(path) // the program died while it wrote it
	}
	path := filepath.Join(dir, namesFile+recordSuffix)
	switch err := n.load(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return n, setAside(path, err)
	}
	return n, nil
}

func (n *names) load(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for its other end
		return errNoFile
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r namesRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	if r.Version != recordVersion {
		return fmt.Errorf("its version is %d", r.Version)
	}
	n.meant = r.Meant
	return nil
}

// recall returns the id that a name stood for when writer last used it, or "".
func (n *names) recall(writer, name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.meant[writer][name]
}

// remember records the id that a name stands for. With an error nothing has changed.
func (n *names) remember(writer, name, id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, known := n.meant[writer][name]
	if name == "" || before == id {
		return nil
	}
	if n.meant == nil {
		n.meant = map[string]map[string]string{}
	}
	if n.meant[writer] == nil {
		n.meant[writer] = map[string]string{}
	}
	n.meant[writer][name] = id
	err := n.save()
	if err != nil && known {
		n.meant[writer][name] = before
	} else if err != nil {
		delete(n.meant[writer], name)
	}
	return err
}

// save writes the file. The caller holds the lock.
func (n *names) save() error {
	if n.store == nil {
		return nil
	}
	data, err := json.MarshalIndent(namesRecord{Version: recordVersion, Meant: n.meant}, "", "  ")
	if err != nil {
		return err
	}
	if err := n.store.lease.write(func() error { return n.store.write(namesFile, append(data, '\n')) }); err != nil {
		return fmt.Errorf("the names of agents cannot be kept: %w", err)
	}
	return nil
}
