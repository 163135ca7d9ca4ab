package walk

import (
	"errors"
	"io/fs"
	"slices"
	"time"
)

// A worker lists directories and visits files.
type worker struct {
	*walker
	number int

	buf     []byte
	paths   []byte
	entries []dirEntry
	dirs    []workItem
	files   []foundFile
	entry   Entry // passed to visit
}

// The sizes of a worker's steps.
const (
	dirBuffer = 32 << 10 // bytes of a directory that are read at a time
	batchSize = 64       // files that are visited for one item
)

// process processes one item.
func (w *worker) process(it workItem) error {
	defer it.base.release()
	if it.files != nil {
		return w.visitBatch(it.base, it.files)
	}
	d, err := w.openDir(it)
	if err != nil {
		w.countUnreadable(err)
		return nil
	}
	defer d.release()
	marks, err := w.listDir(d, it)
	if err != nil && it.depth == 0 && len(w.entries) == 0 {
		return err
	} else if err != nil {
		w.countUnreadable(err)
	}
	if marks != 0 && !w.options.NoIgnore {
		it.scope = w.selection.scopeOf(it.scope, d, it.fullPath, marks)
	}
	w.selectEntries(it, d)
	w.queue.push(w.dirs...)
	return w.visitFiles(d)
}

// countUnreadable counts a directory that could not be read, unless it was removed in
// the meantime.
func (w *worker) countUnreadable(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		w.unreadable.Add(1)
	}
}

// listDir reads the directory d into w.entries, and returns the marks for its names.
func (w *worker) listDir(d *sharedDir, it workItem) (marks ignoreMarks, err error) {
	if w.buf == nil {
		w.buf = make([]byte, dirBuffer)
	}
	w.paths, w.entries = w.paths[:0], w.entries[:0]
	err = d.list(w.buf, func(name []byte, k entryKind) {
		if name[0] == '.' {
			marks |= markOf(name)
		}
		if k == kindOther || k == kindLink && w.options.Other == nil {
			return
		}
		from := len(w.paths)
		w.paths = append(w.paths, it.fullPath...)
		w.paths = append(w.paths, name...)
		w.entries = append(w.entries, dirEntry{start: from, end: len(w.paths), kind: k})
	})
	return marks, err
}

// selectEntries sorts the selected entries into w.dirs, directories to list, and
// w.files, files to visit.
func (w *worker) selectEntries(it workItem, d *sharedDir) {
	w.dirs, w.files = w.dirs[:0], w.files[:0]
	paths := string(w.paths)
	above := len(w.selection.prefix)
	deep := w.options.MaxDepth > 0 && it.depth+1 >= w.options.MaxDepth
	for _, e := range w.entries {
		full := paths[e.start:e.end]
		rel, name := full[above:], full[len(it.fullPath):]
		isDir := e.kind == kindDir
		if isDir && deep && w.options.Other == nil || !w.selection.selects(it.scope, full, name, isDir) {
			continue
		}
		if e.kind != kindFile && w.options.Other != nil {
			w.options.Other(w.number, rel, e.kind == kindLink)
			if !isDir || deep {
				continue
			}
		}
		if isDir && w.options.Enter != nil && !w.options.Enter(rel) {
			continue
		}
		if w.options.Filter != nil && !w.options.Filter(rel, isDir) {
			w.filtered.Add(1)
			continue
		}
		if !isDir {
			w.files = append(w.files, foundFile{rel: rel, name: name})
			continue
		}
		base, path := w.locate(it, d, name)
		w.dirs = append(w.dirs, workItem{base: base, path: path, fullPath: full + "/", scope: it.scope, depth: it.depth + 1})
	}
}

// visitFiles visits the first batch of the selected files, and pushes items for the
// others, so that idle workers can visit them.
func (w *worker) visitFiles(d *sharedDir) error {
	own := min(batchSize, len(w.files))
	var others []workItem
	for files := range slices.Chunk(w.files[own:], batchSize) {
		others = append(others, workItem{base: d.retain(), files: slices.Clone(files)})
	}
	w.queue.push(others...)
	return w.visitBatch(d, w.files[:own])
}

func (w *worker) visitBatch(d *sharedDir, files []foundFile) error {
	for _, file := range files {
		if w.queue.stopped.Load() {
			return nil
		}
		w.entry = Entry{Rel: file.rel, name: file.name, dir: d}
		if err := w.visit(w.number, &w.entry); err != nil {
			return err
		}
	}
	return nil
}

// An entryKind is the kind of an entry of a directory.
type entryKind byte

const (
	kindOther entryKind = iota // a pipe or the like
	kindFile
	kindDir
	kindLink
)

// A foundFile is a selected file.
type foundFile struct{ rel, name string }

// A dirEntry is an entry of a directory. Its path is a slice of worker.paths.
type dirEntry struct {
	start, end int // bounds of the path, see selection.prefix
	kind       entryKind
}

// An Entry is a regular file. It is valid until visit returns.
type Entry struct {
	// Rel is the path from the directory of the walk, with slashes. It may contain any
	// byte except NUL. It stays valid after visit.
	Rel  string
	name string
	dir  *sharedDir
}

// Info returns the size and the time of the file, without opening it.
func (e *Entry) Info() (Info, error) { return e.dir.info(e.name) }

// Open opens the file for reading. It returns an error if the name no longer refers to
// a regular file.
func (e *Entry) Open() (File, error) { return e.dir.open(e.name) }

// An Info is the metadata of a file.
type Info struct {
	Size    int64 // in bytes
	ModTime time.Time
}

// errNotRegular means that a file was replaced by something else after it was listed.
var errNotRegular = errors.New("no longer a regular file")
