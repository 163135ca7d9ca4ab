package walk

import (
	"errors"
	"io/fs"
	"slices"
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
	entry   Entry // the one that is visited
}

// sizes of a worker's work.
const (
	dirBuffer = 32 << 10 // bytes of a directory that are read at a time
	batchSize = 64       // files that are visited in one go
)

// process deals with one item.
func (w *worker) process(it workItem) error {
	defer it.base.release()
	if it.files != nil {
		return w.visitBatch(it.base, it.files)
	}
	f, err := w.openDir(it)
	if err != nil {
		w.countUnreadable(err)
		return nil
	}
	defer f.release()
	marks, err := w.listDir(f, it)
	if err != nil && it.depth == 0 && len(w.entries) == 0 {
		return err
	} else if err != nil {
		w.countUnreadable(err)
	}
	if marks != 0 && !w.options.NoIgnore {
		it.scope = w.selection.scopeOf(it.scope, f, it.fullPath, marks)
	}
	w.selectEntries(it, f)
	w.queue.push(w.dirs...)
	return w.visitFiles(f)
}

// countUnreadable counts a directory, unless it is simply gone by now.
func (w *worker) countUnreadable(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		w.unreadable.Add(1)
	}
}

// listDir reads the directory f into w.entries and says which names of ignore files
// it met.
func (w *worker) listDir(f *sharedDir, it workItem) (marks ignoreMarks, err error) {
	if w.buf == nil {
		w.buf = make([]byte, dirBuffer)
	}
	w.paths, w.entries = w.paths[:0], w.entries[:0]
	err = f.list(w.buf, func(name []byte, k entryKind) {
		if name[0] == '.' {
			marks |= markOf(name)
		}
		if k == otherEntry {
			return
		}
		from := len(w.paths)
		w.paths = append(w.paths, it.fullPath...)
		w.paths = append(w.paths, name...)
		w.entries = append(w.entries, dirEntry{start: from, end: len(w.paths), kind: k})
	})
	return marks, err
}

// selectEntries sorts what was listed into directories to list and files to visit.
func (w *worker) selectEntries(it workItem, f *sharedDir) {
	w.dirs, w.files = w.dirs[:0], w.files[:0]
	paths := string(w.paths)
	above := len(w.selection.prefix)
	deep := w.options.MaxDepth > 0 && it.depth+1 >= w.options.MaxDepth
	for _, e := range w.entries {
		full := paths[e.start:e.end]
		rel, name := full[above:], full[len(it.fullPath):]
		isDir := e.kind == dirKind
		if isDir && deep || !w.selection.selects(it.scope, full, name, isDir) {
			continue
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
		from, steps := w.locate(it, f, name)
		w.dirs = append(w.dirs, workItem{base: from, path: steps, fullPath: full + "/", scope: it.scope, depth: it.depth + 1})
	}
}

// visitFiles visits the files that were chosen, and leaves those of a big directory
// to whoever has time.
func (w *worker) visitFiles(f *sharedDir) error {
	own := min(batchSize, len(w.files))
	var others []workItem
	for files := range slices.Chunk(w.files[own:], batchSize) {
		others = append(others, workItem{base: f.retain(), files: slices.Clone(files)})
	}
	w.queue.push(others...)
	return w.visitBatch(f, w.files[:own])
}

func (w *worker) visitBatch(f *sharedDir, files []foundFile) error {
	for _, file := range files {
		if w.queue.stopped.Load() {
			return nil
		}
		w.entry = Entry{Rel: file.rel, name: file.name, dir: f}
		if err := w.visit(w.number, &w.entry); err != nil {
			return err
		}
	}
	return nil
}

// entryKind is what an entry of a directory is.
type entryKind byte

const (
	otherEntry entryKind = iota // links, pipes and the like
	fileEntry
	dirKind
)

// A foundFile is one that was chosen.
type foundFile struct{ rel, name string }

// A dirEntry is an entry whose path is a part of worker.paths.
type dirEntry struct {
	start, end int // the path, from selection.prefix
	kind       entryKind
}
