package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

// A codeReader reads for code: the whole text as it is in the file, without line numbers,
// limits and notices.
type codeReader struct {
	real string // the resolved path of the file; empty if the model made the call
}

// forCode returns o for a call that code makes, of the file at the path real.
func (o ReadOptions) forCode(real string) ReadOptions {
	o.code.real = real
	o.MaxTokens, o.limits.Bytes = math.MaxInt, math.MaxInt // of the cells of a notebook
	return o
}

// text returns the lines that in names; all lines of the file without a limit.
func (r codeReader) text(ctx context.Context, f *os.File, path string, e encoding, in readInput) (ReadOutput, error) {
	fi, err := f.Stat() // before reading, so that a later change is detected
	if err != nil {
		return ReadOutput{}, err
	}
	if !in.hasRange() && fi.Size() > pegboard.MaxInMemory {
		return r.file(path, fi, e.mime()), nil
	}
	l, err := e.lineReader(f)
	if err != nil {
		return ReadOutput{}, err
	}
	first := orDefault(in.Offset, 1)
	if _, _, err := l.skipLines(ctx, first-1, unlimited); err != nil {
		return ReadOutput{}, err
	}
	limit := orDefault(in.Limit, math.MaxInt)
	if in.Limit == 0 && in.ByteOffset > 0 {
		limit = 1
	}
	l.startRange()
	text, lines, err := l.wholeLines(ctx, limit, in.ByteOffset, pegboard.MaxInMemory)
	switch {
	case errors.Is(err, errLongText):
		return ReadOutput{}, &adviceError{err: err, text: fmt.Sprintf("The lines of %s from %d on that the call names have more than %d bytes. Ask for fewer lines with limit, or for the whole file without offset and limit.",
			path, first, pegboard.MaxInMemory)}
	case err != nil:
		return ReadOutput{}, err
	case !e.isUTF16() && !utf8.ValidString(text):
		return r.file(path, fi, ""), nil
	}
	t := TextFile{FilePath: path, Content: text, NumLines: lines, StartLine: first, TotalLines: -1, text: text, linesCut: in.ByteOffset > 0}
	if l.hasMore() {
		t.Partial = true
	} else {
		t.TotalLines = first - 1 + lines
	}
	return ReadOutput{Type: "text", File: t, value: text, view: t.view(fi, l.shown)}, nil
}

// file returns a file that code reads itself.
func (r codeReader) file(path string, fi fs.FileInfo, mime string) ReadOutput {
	t := TextFile{FilePath: path, StartLine: 1, TotalLines: -1, Partial: true}
	t.text = fmt.Sprintf("[%s has %d bytes, which code reads from the file.]", path, fi.Size())
	return ReadOutput{Type: "text", File: t, value: pegboard.FileValue{Path: r.real, Size: fi.Size(), MIME: mime}}
}

// document returns a PDF document that code reads itself.
func (r codeReader) document(f PDFFile) ReadOutput {
	f.parts = []pegboard.Part{{Text: fmt.Sprintf("[%s is a PDF document of %d bytes, which code reads from the file.]", f.FilePath, f.OriginalSize)}}
	return ReadOutput{Type: "pdf", File: f, value: pegboard.FileValue{Path: r.real, Size: f.OriginalSize, MIME: mimePDF}}
}

// image returns an image that code reads itself.
func (r codeReader) image(path, mime string, fi fs.FileInfo) ReadOutput {
	img := ImageFile{FilePath: path, MIME: mime, OriginalSize: fi.Size(), note: fmt.Sprintf("[%s is an image of %d bytes, which code reads from the file.]", path, fi.Size())}
	return ReadOutput{Type: "image", File: img, value: pegboard.FileValue{Path: r.real, Size: fi.Size(), MIME: mime}}
}

// Smaller fits an image to the limits of models, as [Read] does with default options:
// it rotates the image as its EXIF data say, scales it down to edges of at most
// MaxImageEdge pixels, and encodes it again if it exceeds 500 KB. It fits the
// field Downscale of [pegboard.ResultLimits], and may be called concurrently. The error
// says why the image cannot be decoded.
func Smaller(_ context.Context, image pegboard.Part) (pegboard.Part, error) {
	described, err := media.Describe(image.Data)
	if err != nil {
		return image, err
	}
	o := ReadOptions{}.withDefaults()
	if int64(len(image.Data)) > o.limits.ImageBytes {
		return image, fmt.Errorf("the image has %d bytes, more than the %d that are decoded", len(image.Data), o.limits.ImageBytes)
	}
	p, err := o.fitImage(image.Data, described.Type)
	if err != nil {
		return image, err
	}
	image.Data, image.MIME = p.data, p.mime
	return image, nil
}
