package comms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A File is a file that is sent. It can be read until the func of the host has returned.
type File struct {
	Path string // as the model wrote it
	Name string // the last element of Path
	Size int64  // in bytes, when the file was opened
	MIME string // the media type, of the content and the name: "application/octet-stream" if it is not known

	// Content are the Size bytes that the file had when it was opened. Bytes that are added
	// later are left out. If the file has become shorter, reading fails with io.ErrUnexpectedEOF.
	Content *io.SectionReader
}

// A SentFile describes a [File] in the result of a call.
type SentFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // in bytes
	MIME string `json:"mime"`
	// Changed says that the file was changed while it was sent, so that the user may have
	// parts of both.
	Changed bool `json:"changed,omitempty"`
}

// kinds are the media types of names whose content looks like text or an archive. Their texts may
// begin as others do: a page in Markdown with a tag, a drawing with a comment.
var kinds = map[string]string{
	".csv": "text/csv", ".md": "text/markdown", ".json": "application/json", ".svg": "image/svg+xml", ".css": "text/css", ".js": "text/javascript",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// An openFile is a file that is being sent.
type openFile struct {
	File
	os   *os.File
	info fs.FileInfo // when it was opened
}

// ReadAt implements [io.ReaderAt] for the bytes that the file had.
func (f *openFile) ReadAt(p []byte, at int64) (n int, err error) {
	n, err = f.os.ReadAt(p, at)
	if errors.Is(err, io.EOF) && at+int64(n) < f.Size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// openFiles are the files of a call. All of them are open, or none.
type openFiles []*openFile

// open opens the files of a call as they were decided.
func (o Options) open(ctx context.Context, c *pegboard.Call, paths []string) (all openFiles, err error) {
	defer func() {
		if err != nil {
			all.close()
			all, err = nil, fmt.Errorf("nothing was sent: %w", err)
		}
	}()
	for _, path := range paths {
		f, err := files.OpenFile(ctx, c, path)
		if err != nil {
			return all, err
		}
		one := &openFile{os: f}
		all = append(all, one)
		if err := one.describe(path, o.maxFile()); err != nil {
			return all, err
		}
	}
	return all, nil
}

// describe finds the size and the type of the file. Limit is the largest size; negative means none.
func (f *openFile) describe(path string, limit int64) (err error) {
	if f.info, err = f.os.Stat(); err != nil {
		return err
	}
	f.File = File{Path: path, Name: filepath.Base(path), Size: f.info.Size()}
	if limit >= 0 && f.Size > limit {
		return fmt.Errorf("%s has %d bytes, and a file that is sent may have %d; tell the user where it is, or send a part of it", path, f.Size, limit)
	}
	head := make([]byte, min(f.Size, 512)) // as many as DetectContentType reads
	if _, err := f.os.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s could not be read: %w", path, err)
	}
	f.MIME = mediaType(f.Name, head)
	f.Content = io.NewSectionReader(f, 0, f.Size)
	return nil
}

// mediaType returns the media type of a file that begins with head.
func mediaType(name string, head []byte) string {
	found := http.DetectContentType(head)
	essence, params, err := mime.ParseMediaType(found)
	kind := kinds[strings.ToLower(filepath.Ext(name))]
	isText := strings.HasPrefix(essence, "text/")
	switch {
	case err != nil, kind == "":
	case strings.Contains(kind, "openxml"):
		if essence == "application/zip" {
			return kind
		}
	case isText && strings.HasPrefix(kind, "text/"):
		return mime.FormatMediaType(kind, params) // with the charset of the content
	case isText:
		return kind
	}
	return found
}

// files returns the files for the host.
func (all openFiles) files() []File {
	list := make([]File, len(all))
	for i, f := range all {
		list[i] = f.File
	}
	return list
}

// sent describes the files for the result of the call.
func (all openFiles) sent() []SentFile {
	list := make([]SentFile, len(all))
	for i, f := range all {
		now, err := f.os.Stat()
		changed := err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime())
		list[i] = SentFile{Path: f.Path, Size: f.Size, MIME: f.MIME, Changed: changed}
	}
	return list
}

// close closes the files. They were only read, so its errors mean nothing.
func (all openFiles) close() {
	for _, f := range all {
		_ = f.os.Close()
	}
}

// describeSent words the files of a result for the model.
func describeSent(list []SentFile) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "\n%s (%d bytes, %s)", f.Path, f.Size, f.MIME)
		if f.Changed {
			b.WriteString(", which was changed while it was sent; send it again if that matters")
		}
	}
	return b.String()
}

// countFiles returns a phrase for a number of files.
func countFiles(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
