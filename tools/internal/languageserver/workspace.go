package languageserver

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	maxWatched  = 200_000 // files
	maxFolders  = 50_000
	maxPatterns = 1000

	introduceTime = 5 * time.Second // for all new files

	// trustTime is how long the lack of notices is trusted. The kernel gives none of a file
	// that has got a second name elsewhere and is changed by that.
	trustTime    = 10 * time.Second
	maxElsewhere = 500 // files

	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// A workspace tells a server which files below its root have changed on the disk, also those
// that are not open. Hidden folders and node_modules are left out, and links to folders are not
// followed. Where the kernel gives notice of changes, files are compared only after one.
type workspace struct {
	connection *connection
	notices    notices

	mu      sync.Mutex
	next    *scan // waits for the running one
	running bool
	// generation is how often the server was told of changes.
	generation int
	patterns   []watched

	// The rest belongs to the running scan.
	folders   map[string]*folder
	files     int
	compared  time.Time        // when the last scan began
	elsewhere map[string]stamp // files that may be changed by a name elsewhere
	wanted    []watched
	before    []watched // of the scan before
	changes   []fileEvent
	created   []string // one new file of each folder, of the server's languages

	late func() error // of the start; nil after it
}

// A scan compares the files with those of the scan before.
type scan struct {
	done       chan struct{}
	generation int // after it; valid when done is closed
}

// A watched is a pattern that the server has registered.
type watched struct{ base, pattern string }

// A folder is the contents of a directory, as a scan has found them.
type folder struct {
	stamp   stamp
	files   map[string]stamp // by name
	links   map[string]bool  // names of those that are links
	folders []string         // names
}

type fileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"`
}

// begin starts a comparison, or joins one that has not started. It returns no scan if nothing
// can have changed since the last one. It also returns how often the server has been told of
// changes so far.
func (w *workspace) begin() (next *scan, generation int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running && w.unchanged() {
		return nil, w.generation
	}
	if w.next == nil {
		w.next = &scan{done: make(chan struct{})}
		if !w.running {
			w.running = true
			goroutine.Go(w.run)
		}
	}
	return w.next, w.generation
}

// unchanged reports whether no file has changed since the last scan. The caller holds w.mu, and
// no scan runs.
func (w *workspace) unchanged() bool {
	if !w.notices.none() || len(w.patterns) != len(w.wanted) || time.Since(w.compared) > trustTime || len(w.elsewhere) > maxElsewhere {
		return false
	}
	for path, before := range w.elsewhere {
		if info, err := os.Stat(path); err != nil || !before.same(stampOf(info)) {
			return false
		}
	}
	return true
}

// run makes the scans that are asked for.
func (w *workspace) run() {
	for {
		w.mu.Lock()
		current := w.next
		if w.next = nil; current == nil {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.wanted = w.patterns
		w.mu.Unlock()
		changes := w.compare()
		if len(changes) > 0 {
			_ = w.connection.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes}) // the request meets the error, too
			w.introduce()
		}
		w.mu.Lock()
		if len(changes) > 0 {
			w.generation++
		}
		current.generation = w.generation
		w.mu.Unlock()
		close(current.done)
	}
}

// introduce opens new files and asks about them: gopls knows of a new package only from then on.
func (w *workspace) introduce() {
	n := w.connection
	ctx, cancel := context.WithTimeout(context.Background(), introduceTime)
	defer cancel()
	for _, path := range n.documents.introduce(w.created) {
		if n.abilities.Definition {
			var ignored json.RawMessage
			_ = n.call(ctx, "textDocument/definition", map[string]any{"textDocument": textDocument{URI: fileURI(path)}, "position": wirePosition{}}, &ignored) // the answer does not matter
		}
	}
}

// baseline takes the files as they are, as far as it gets before late returns an error. No
// scan may run.
func (w *workspace) baseline(late func() error) {
	w.late = late
	defer func() { w.late = nil }()
	w.folders = map[string]*folder{}
	w.notices.open(w.connection.root)
	w.compare()
}

// compare returns the changes since the last time.
func (w *workspace) compare() []fileEvent {
	w.changes, w.created = nil, nil
	w.compared, w.elsewhere = time.Now(), map[string]stamp{}
	w.enter(w.connection.root)
	w.before = w.wanted
	return w.changes
}

// over reports whether the comparison is of no use any more.
func (w *workspace) over() bool {
	select {
	case <-w.connection.finished:
		return true
	default:
		return w.late != nil && w.late() != nil
	}
}

// enter compares a directory and those below it.
func (w *workspace) enter(dir string) {
	if w.over() || w.folders[dir] == nil && len(w.folders) >= maxFolders {
		return
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		w.drop(dir)
		return
	}
	known, now := w.folders[dir], stampOf(info)
	if known == nil {
		known = &folder{files: map[string]stamp{}}
		w.folders[dir] = known
	}
	w.notices.watch(dir, info, len(w.folders))
	var appeared map[string]bool
	if len(w.wanted) != len(w.before) || !known.stamp.same(now) {
		appeared = w.list(dir, known)
		known.stamp = now
	}
	for name, before := range known.files {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			delete(known.files, name)
			w.files--
			w.tell(path, fileDeleted)
			continue
		}
		now := stampOf(info)
		if known.links[name] || hasOtherNames(info) {
			w.elsewhere[path] = now
		}
		if !appeared[name] && !before.same(now) {
			known.files[name] = now
			w.tell(path, fileChanged)
		}
	}
	for _, name := range known.folders {
		w.enter(filepath.Join(dir, name))
	}
}

// list reads the names in a directory, and returns those of files that were not known.
func (w *workspace) list(dir string, known *folder) (appeared map[string]bool) {
	entries, err := os.ReadDir(dir)
	if err != nil && len(entries) == 0 {
		return nil // the known files are compared
	}
	var folders []string
	present := map[string]bool{}
	appeared = map[string]bool{}
	known.links = map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(dir, name)
		switch {
		case entry.IsDir():
			if !strings.HasPrefix(name, ".") && name != "node_modules" {
				folders = append(folders, name)
			}
		case w.matters(path, w.wanted):
			present[name] = true
			if entry.Type()&os.ModeSymlink != 0 {
				known.links[name] = true
			}
			if _, ok := known.files[name]; !ok && w.files < maxWatched {
				w.appear(path, name, known)
				appeared[name] = true
			}
		}
	}
	for name := range known.files {
		if !present[name] {
			delete(known.files, name)
			w.files--
			w.tell(filepath.Join(dir, name), fileDeleted)
		}
	}
	for _, name := range known.folders {
		if !slices.Contains(folders, name) {
			w.drop(filepath.Join(dir, name))
		}
	}
	known.folders = folders
	return appeared
}

// appear adds a file.
func (w *workspace) appear(path, name string, in *folder) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	in.files[name] = stampOf(info)
	w.files++
	if w.matters(path, w.before) { // otherwise it may have been there before
		w.tell(path, fileCreated)
	}
}

// drop removes a directory and those below it.
func (w *workspace) drop(dir string) {
	known := w.folders[dir]
	if known == nil {
		return
	}
	delete(w.folders, dir)
	for name := range known.files {
		w.files--
		w.tell(filepath.Join(dir, name), fileDeleted)
	}
	for _, name := range known.folders {
		w.drop(filepath.Join(dir, name))
	}
}

func (w *workspace) tell(path string, kind int) {
	newest := len(w.created) - 1
	if kind == fileCreated && w.connection.config.Language(path) != "" &&
		(newest < 0 || filepath.Dir(w.created[newest]) != filepath.Dir(path)) {
		w.created = append(w.created, path)
	}
	w.changes = append(w.changes, fileEvent{URI: fileURI(path), Type: kind})
}

// matters reports whether the server wants to know of a file.
func (w *workspace) matters(path string, wanted []watched) bool {
	if w.connection.config.Language(path) != "" || slices.Contains(w.connection.config.Roots, filepath.Base(path)) {
		return true
	}
	for _, p := range wanted {
		relative, err := filepath.Rel(p.base, path)
		if err == nil && filepath.IsLocal(relative) && doublestar.MatchUnvalidated(p.pattern, filepath.ToSlash(relative)) {
			return true
		}
	}
	return false
}

// register takes the parameters of client/registerCapability.
func (w *workspace) register(params json.RawMessage) {
	var wanted struct {
		Registrations []struct {
			Method  string `json:"method"`
			Options struct {
				Watchers []struct {
					Pattern json.RawMessage `json:"globPattern"`
				} `json:"watchers"`
			} `json:"registerOptions"`
		} `json:"registrations"`
	}
	if json.Unmarshal(params, &wanted) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range wanted.Registrations {
		if r.Method != "workspace/didChangeWatchedFiles" {
			continue
		}
		for _, watcher := range r.Options.Watchers {
			if p, ok := w.watched(watcher.Pattern); ok && len(w.patterns) < maxPatterns && !slices.Contains(w.patterns, p) {
				w.patterns = append(slices.Clip(w.patterns), p)
			}
		}
	}
}

// watched reads a pattern, or one relative to a folder.
func (w *workspace) watched(pattern json.RawMessage) (watched, bool) {
	found := watched{base: w.connection.root}
	if json.Unmarshal(pattern, &found.pattern) != nil {
		var relative struct {
			Base    json.RawMessage `json:"baseUri"`
			Pattern string          `json:"pattern"`
		}
		var folder workspaceFolder
		if json.Unmarshal(pattern, &relative) != nil {
			return watched{}, false
		}
		if json.Unmarshal(relative.Base, &folder.URI) != nil && json.Unmarshal(relative.Base, &folder) != nil {
			return watched{}, false
		}
		found = watched{base: pathOf(folder.URI), pattern: relative.Pattern}
	} else if filepath.IsAbs(found.pattern) {
		found.base = filepath.VolumeName(found.pattern) + string(filepath.Separator)
		found.pattern = strings.TrimPrefix(filepath.ToSlash(found.pattern), filepath.ToSlash(found.base))
	}
	return found, found.base != "" && len(found.pattern) <= maxStderr && doublestar.ValidatePattern(found.pattern)
}

// racy is how long after its last change a file may change again without a new time and size.
const racy = 50 * time.Millisecond

// A stamp tells versions of a file apart. The zero stamp is that of no version.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
}

// stampOf returns the stamp of a file, or the zero stamp if it may change unnoticed.
func stampOf(info fs.FileInfo) stamp {
	if age := time.Since(info.ModTime()); age > -racy && age < racy {
		return stamp{}
	}
	return stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode().Type()}
}

// same reports whether both are the same version for certain.
func (s stamp) same(other stamp) bool {
	return s != stamp{} && s.size == other.size && s.mode == other.mode && s.modified.Equal(other.modified)
}
