package walk

import (
	"errors"
	"io/fs"
	"slices"
)

// A worker lists directories and visits files.
type worker struct {
	*run
	number int

	buf     []byte
	paths   []byte
	entries []listed
	dirs    []item
	files   []file
	entry   Entry // the one that is visited
}

// sizes of a worker's work.
const (
	dirBuffer = 32 << 10 // bytes of a directory that are read at a time
	batch     = 64       // files that are visited in one go
)

// do deals with one item.
func (w *worker) do(it item) error {
	defer it.from.release()
	if it.files != nil {
		return w.visitAll(it.from, it.files)
	}
	f, err := w.reach(it)
	if err != nil {
		w.missed(err)
		return nil
	}
	defer f.release()
	marks, err := w.list(f, it)
	if err != nil && it.depth == 0 && len(w.entries) == 0 {
		return err
	} else if err != nil {
		w.missed(err)
	}
	if marks != 0 && !w.options.NoIgnore {
		it.frame = w.selection.frame(it.frame, f, it.full, marks)
	}
	w.choose(it, f)
	w.queue.push(w.dirs...)
	return w.share(f)
}

// missed counts a directory, unless it is simply gone by now.
func (w *worker) missed(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		w.unreadable.Add(1)
	}
}

// list reads the directory f into w.entries and says which names of ignore files
// it met.
func (w *worker) list(f *folder, it item) (marks marks, err error) {
	if w.buf == nil {
		w.buf = make([]byte, dirBuffer)
	}
	w.paths, w.entries = w.paths[:0], w.entries[:0]
	err = f.list(w.buf, func(name []byte, k kind) {
		if name[0] == '.' {
			marks |= markOf(name)
		}
		if k == other {
			return
		}
		from := len(w.paths)
		w.paths = append(w.paths, it.full...)
		w.paths = append(w.paths, name...)
		w.entries = append(w.entries, listed{from: from, to: len(w.paths), kind: k})
	})
	return marks, err
}

// choose sorts what was listed into directories to list and files to visit.
func (w *worker) choose(it item, f *folder) {
	w.dirs, w.files = w.dirs[:0], w.files[:0]
	paths := string(w.paths)
	above := len(w.selection.above)
	deep := w.options.MaxDepth > 0 && it.depth+1 >= w.options.MaxDepth
	for _, e := range w.entries {
		full := paths[e.from:e.to]
		rel, name := full[above:], full[len(it.full):]
		isDir := e.kind == directory
		if isDir && deep || !w.selection.chooses(it.frame, full, name, isDir) {
			continue
		}
		if isDir && w.options.Enter != nil && !w.options.Enter(rel) {
			continue
		}
		if w.options.Keep != nil && !w.options.Keep(rel, isDir) {
			w.leftOut.Add(1)
			continue
		}
		if !isDir {
			w.files = append(w.files, file{rel: rel, name: name})
			continue
		}
		from, steps := w.below(it, f, name)
		w.dirs = append(w.dirs, item{from: from, steps: steps, full: full + "/", frame: it.frame, depth: it.depth + 1})
	}
}

// share visits the files that were chosen, and leaves those of a big directory
// to whoever has time.
func (w *worker) share(f *folder) error {
	own := min(batch, len(w.files))
	var others []item
	for files := range slices.Chunk(w.files[own:], batch) {
		others = append(others, item{from: f.retain(), files: slices.Clone(files)})
	}
	w.queue.push(others...)
	return w.visitAll(f, w.files[:own])
}

func (w *worker) visitAll(f *folder, files []file) error {
	for _, file := range files {
		if w.queue.stopped.Load() {
			return nil
		}
		w.entry = Entry{Rel: file.rel, name: file.name, in: f}
		if err := w.visit(w.number, &w.entry); err != nil {
			return err
		}
	}
	return nil
}

// kind is what an entry of a directory is.
type kind byte

const (
	other kind = iota // links, pipes and the like
	regular
	directory
)

// A file is one that was chosen.
type file struct{ rel, name string }

// A listed is an entry whose path is a part of worker.paths.
type listed struct {
	from, to int // the path, from selection.above
	kind     kind
}
