package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// Limits of a folder's index.
const (
	maxFolderFile  = 8 << 20   // bytes of a file that are read
	maxFolderBytes = 512 << 20 // of all files
	maxFolderFiles = 100_000
	maxFolderHits  = 1000 // that the pages of one query have together
)

// A folder is a [Backend] over an index in memory.
type folder struct {
	index     *rank.Texts
	texts     []rank.Text
	titles    []string
	addresses []string
}

// Folder is [FolderAt] with the address file:///. The path in a hit's address begins at the
// root of fsys: it is no path of the machine, unless fsys is the root directory of the machine.
// For a directory whose files the model can read, use FolderAt with the address of the directory.
func Folder(fsys fs.FS) (Backend, error) { return FolderAt(fsys, &url.URL{Scheme: "file", Path: "/"}) }

// FolderAt returns a backend that searches the Markdown, text and HTML files of fsys: those
// whose names end in .md, .markdown, .txt, .text, .html, .htm or .xhtml. The address of a hit is
// the path of its file below base, such as file:///usr/share/doc/ for the directory itself, or
// https://docs.example.com/ for the site that serves it.
//
// The files are read once and indexed in memory; later changes are not seen. Files and
// directories whose names begin with a dot, symbolic links, and files whose content is no text are
// left out. Of a file, the first 8 MiB are read. It is an error if there are more than 100,000 such files, or more than
// 512 MiB in them.
//
// The rules of the Read tool do not apply to the folder: it must contain only files that the model
// may see. The backend makes no request, and may be used by any number of goroutines.
func FolderAt(fsys fs.FS, base *url.URL) (Backend, error) {
	if fsys == nil || base == nil {
		return nil, errors.New("index a folder: the file system or the address is nil")
	}
	f := &folder{}
	total := int64(0)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || mediaTypes[strings.ToLower(path.Ext(name))] == "":
			return nil
		case len(f.texts) == maxFolderFiles:
			return fmt.Errorf("more than %d files", maxFolderFiles)
		}
		data, err := readStart(fsys, name)
		if err != nil {
			return err
		}
		if total += int64(len(data)); total > maxFolderBytes {
			return fmt.Errorf("more than %d MiB", maxFolderBytes>>20)
		}
		return f.add(base, name, data)
	})
	if err != nil {
		return nil, fmt.Errorf("index a folder: %w", err)
	}
	f.index = rank.NewTexts(f.texts)
	return f, nil
}

// mediaTypes are those of the files that are indexed, by the ending of the name.
var mediaTypes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain", ".text": "text/plain",
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
}

// readStart returns the first bytes of a file.
func readStart(fsys fs.FS, name string) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxFolderFile))
}

// add indexes a file, unless its content is no text.
func (f *folder) add(base *url.URL, name string, data []byte) error {
	kind := mediaTypes[strings.ToLower(path.Ext(name))]
	d := webtext.Decode(kind, data)
	if d.Kind != webtext.HTML && d.Kind != webtext.Text {
		return nil
	}
	text, err := d.Markdown(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	title := d.Title(context.Background())
	if kind == "text/markdown" {
		title = markdownTitle(text)
	}
	words := title + " " + strings.TrimSuffix(path.Base(name), path.Ext(name))
	if title == "" {
		title = path.Base(name)
	}
	address := *base
	address.Path, address.RawPath = strings.TrimSuffix(base.Path, "/")+"/"+name, ""
	f.addresses = append(f.addresses, address.String())
	f.titles = append(f.titles, title)
	f.texts = append(f.texts, rank.Text{Title: words, Body: text})
	return nil
}

// markdownTitle returns the first heading of the first level, or "".
func markdownTitle(text string) string {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if title, ok := strings.CutPrefix(line, "# "); ok && !fenced {
			return strings.TrimSpace(strings.TrimRight(title, "#"))
		}
	}
	return ""
}

// Search implements [Backend].
func (f *folder) Search(ctx context.Context, q Query) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Page < 0 || q.Limit <= 0 || q.Page > maxFolderHits/q.Limit {
		return nil, nil
	}
	found := f.index.Search(q.Text, (q.Page+1)*q.Limit)
	var hits []Hit
	for _, h := range found[min(q.Page*q.Limit, len(found)):] {
		hits = append(hits, Hit{Title: f.titles[h.Text], URL: f.addresses[h.Text], Snippet: f.texts[h.Text].Body[h.From:h.To]})
	}
	return hits, nil
}
