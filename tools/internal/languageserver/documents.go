package languageserver

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxDocuments limits the documents that stay open.
const maxDocuments = 50

// maxIntroduced limits the new files that are opened at a time.
const maxIntroduced = 20

// documents are the files that a server was given. What is on the disk counts.
type documents struct {
	connection *connection

	mu   sync.Mutex
	open []*document // the one that was used last is at the end
}

// A document is an open file.
type document struct {
	path    string
	stamp   stamp // of text on the disk
	text    string
	version int
	users   int // requests that need it open
}

type textDocument struct {
	URI string `json:"uri"`
}

// use gives the server the text of a file as it is on the disk now, and keeps it open until
// release. It also brings the other open documents up to date.
func (d *documents) use(path string) (text string, version int, release func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(path); err != nil {
		return "", 0, nil, err
	}
	doc, err := d.update(path)
	if err != nil {
		return "", 0, nil, err
	}
	doc.users++
	return doc.text, doc.version, func() { d.release(doc) }, d.trim()
}

// update opens a document, or brings it up to date. The caller holds d.mu.
func (d *documents) update(path string) (*document, error) {
	at := d.index(path)
	info, err := os.Stat(path)
	if err == nil && at >= 0 && d.open[at].stamp.same(stampOf(info)) {
		doc := d.open[at]
		d.open = append(slices.Delete(d.open, at, at+1), doc)
		return doc, nil
	}
	var text string
	if err == nil {
		text, err = readText(path)
	}
	if err != nil {
		_ = d.close(at) // the error of the file says more
		return nil, err
	}
	doc, err := d.send(path, text)
	doc.stamp = stampOf(info)
	return doc, err
}

// refresh brings the open documents but one up to date. Those that cannot be read any more are
// closed. The caller holds d.mu.
func (d *documents) refresh(but string) error {
	for _, doc := range slices.Clone(d.open) {
		if doc.path == but {
			continue
		}
		if info, err := os.Stat(doc.path); err == nil && doc.stamp.same(stampOf(info)) {
			continue
		}
		if _, err := d.update(doc.path); err != nil && d.index(doc.path) >= 0 {
			return err // of the connection
		}
	}
	return nil
}

// introduce opens new files, of many the first, and returns those that are open.
func (d *documents) introduce(paths []string) (opened []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, path := range paths[:min(len(paths), maxIntroduced)] {
		if _, err := d.update(path); err == nil { // it may be gone again
			opened = append(opened, path)
		}
	}
	_ = d.trim() // the next request meets the error, too
	return opened
}

// useCounted is use, and tells how often the server had published diagnostics of the file
// before it learned of this version.
func (d *documents) useCounted(path string) (text string, version, before int, release func(), err error) {
	d.mu.Lock()
	known := 0
	if at := d.index(path); at >= 0 {
		known = d.open[at].version
	}
	before = d.connection.published.count(path)
	d.mu.Unlock()
	text, version, release, err = d.use(path)
	if version == known { // the server knows this version: earlier diagnostics count
		before = 0
	}
	return text, version, before, release, err
}

// current returns the text of an open document. It reports false if the file is not open or
// another one is on the disk.
func (d *documents) current(path string) (text string, version int, ok bool) {
	onDisk, err := readText(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.index(path)
	if at < 0 || err != nil || d.open[at].text != onDisk {
		return "", 0, false
	}
	return onDisk, d.open[at].version, true
}

// send opens a document, or tells its new text. The caller holds d.mu.
func (d *documents) send(path, text string) (*document, error) {
	at := d.index(path)
	if at < 0 {
		doc := &document{path: path, text: text, version: 1}
		d.open = append(d.open, doc)
		return doc, d.connection.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": fileURI(path), "languageId": d.connection.config.Language(path), "version": doc.version, "text": text,
		}})
	}
	doc := d.open[at]
	d.open = append(slices.Delete(d.open, at, at+1), doc)
	if doc.text == text {
		return doc, nil
	}
	doc.text = text
	doc.version++
	err := d.connection.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": fileURI(path), "version": doc.version},
		"contentChanges": []map[string]string{{"text": text}},
	})
	if err == nil && d.connection.abilities.saves {
		err = d.connection.notify("textDocument/didSave", map[string]any{"textDocument": textDocument{URI: fileURI(path)}, "text": text})
	}
	return doc, err
}

func (d *documents) release(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.users--
	_ = d.trim() // the next request meets the error, too
}

// trim closes documents that are too many. The caller holds d.mu.
func (d *documents) trim() error {
	for at := 0; at < len(d.open) && len(d.open) > maxDocuments; {
		if d.open[at].users > 0 {
			at++
			continue
		}
		if err := d.close(at); err != nil {
			return err
		}
	}
	return nil
}

// close closes the document at an index of d.open, if there is one. The caller holds d.mu.
func (d *documents) close(at int) error {
	if at < 0 {
		return nil
	}
	path := d.open[at].path
	d.open = slices.Delete(d.open, at, at+1)
	d.connection.published.forget(path)
	return d.connection.notify("textDocument/didClose", map[string]any{"textDocument": textDocument{URI: fileURI(path)}})
}

func (d *documents) index(path string) int {
	return slices.IndexFunc(d.open, func(doc *document) bool { return doc.path == path })
}

// paths returns the open files.
func (d *documents) paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	paths := make([]string, len(d.open))
	for i, doc := range d.open {
		paths[i] = doc.path
	}
	return paths
}

// fileURI returns the file address of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf returns the absolute path of a file address, or "" if uri is another address.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' && filepath.VolumeName(path[1:]) != "" {
		path = path[1:]
	}
	path = filepath.Clean(filepath.FromSlash(path))
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}
