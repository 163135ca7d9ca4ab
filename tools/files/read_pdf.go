package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// readPDF returns the pages of the document that in names.
func (o ReadOptions) readPDF(ctx context.Context, doc *io.SectionReader, path string, in readInput) (ReadOutput, error) {
	f := PDFFile{FilePath: path, OriginalSize: doc.Size()}
	switch {
	case o.PDF == nil && o.code.real != "":
		return o.code.document(f), nil
	case o.PDF == nil && !o.documents:
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document (%d bytes), and this program has nothing that shows PDF. Extract its text in a shell, as with pdftotext -layout %q -, or ask the user for it.",
			path, doc.Size(), path)}
	case doc.Size() > o.MaxPDFBytes:
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document of %d bytes, more than the %d that are shown. Put the pages you need into a smaller one, or extract their text, and read that.",
			path, doc.Size(), o.MaxPDFBytes)}
	case o.PDF == nil:
		return o.wholePDF(doc, f)
	}
	var total int
	err := goroutine.Try(func() (err error) { total, err = o.PDF.Pages(ctx, doc); return err })
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	r, err := o.choosePages(in.Pages, total, path)
	if err != nil {
		return ReadOutput{}, err
	}
	parts, err := o.showPDF(ctx, doc, r)
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	f.Count = len(parts)
	head := pegboard.Part{Text: fmt.Sprintf("[PDF document, pages %d to %d of %d]", r.first, r.last, total)}
	f.parts = append([]pegboard.Part{head}, parts...)
	if len(parts) == 1 && parts[0].MIME == mimePDF {
		if parts[0].Title == "" {
			f.parts[1].Title = filepath.Base(path)
		}
		f.Data, f.Count = parts[0].Data, 0
		return ReadOutput{Type: "pdf", File: f}, nil
	}
	out := ReadOutput{Type: "parts", File: f, FirstPage: r.first, Pages: total}
	if o.code.real != "" {
		out.value = pdfValue(parts)
	}
	return out, nil
}

// showPDF returns pages of a document for the model or for code.
func (o ReadOptions) showPDF(ctx context.Context, doc *io.SectionReader, r pageRange) (parts []pegboard.Part, err error) {
	cutter, cuts := o.PDF.(PDFCutter)
	err = goroutine.Try(func() (err error) {
		if !cuts || !o.documents || o.code.real != "" {
			parts, err = o.PDF.Show(ctx, doc, r.first, r.last)
			return err
		}
		data, err := cutter.Cut(ctx, doc, r.first, r.last)
		parts = []pegboard.Part{{MIME: mimePDF, Data: data}}
		return err
	})
	return parts, err
}

// wholePDF returns a document that nothing here can read, for a model that takes documents.
// Providers refuse each request with a document that they cannot read, also those that follow,
// so one that is cut off or encrypted is refused here.
func (o ReadOptions) wholePDF(doc *io.SectionReader, f PDFFile) (ReadOutput, error) {
	data, err := io.ReadAll(io.LimitReader(doc, o.MaxPDFBytes))
	if err != nil {
		return ReadOutput{}, err
	}
	refuse := func(why string, args ...any) (ReadOutput, error) {
		return ReadOutput{}, &adviceError{text: f.FilePath + " is a PDF document " + fmt.Sprintf(why, args...)}
	}
	switch n := statedPages(data); {
	case !bytes.Contains(data[max(0, len(data)-maxTrailer):], []byte("%%EOF")):
		return refuse("whose end is missing. Get the file again, or ask the user for it.")
	case bytes.Contains(data, []byte("/Encrypt")):
		return refuse("that is encrypted, and cannot be shown. Ask the user for a copy that is not.")
	case n > o.MaxPDFPages:
		return refuse("with %d pages, more than the %d of a document that is shown. Put those you need into a smaller one, or extract their text, and read that.", n, o.MaxPDFPages)
	}
	f.Data = data
	f.parts = []pegboard.Part{{Text: "[PDF document, whole]"}, {MIME: mimePDF, Data: data, Title: filepath.Base(f.FilePath)}}
	return ReadOutput{Type: "pdf", File: f}, nil
}

// maxTrailer is where the mark of its end stands in a document, in bytes from the end.
const maxTrailer = 1024

// pageCounts finds the number of pages that a tree of pages states.
var pageCounts = regexp.MustCompile(`/Count\s+(\d{1,9})\b`)

// statedPages returns the number of pages that a document states, or 0 if that is
// compressed.
func statedPages(data []byte) (n int) {
	for _, m := range pageCounts.FindAllSubmatch(data, -1) {
		count, _ := strconv.Atoi(string(m[1])) // nine digits
		n = max(n, count)
	}
	return n
}

// pdfValue returns pages as code gets them: a text, or if there are images, a list in the
// form of MCP.
func pdfValue(parts []pegboard.Part) any {
	o := pegboard.Outcome{Result: &pegboard.Result{Parts: parts}}
	v, _ := o.Value() // the result is no failure
	return v
}

// pdfError returns the error for a failure of the host's PDF.
func pdfError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &adviceError{err: err, text: fmt.Sprintf("%s could not be shown as PDF: %v. Try to extract its text in a shell, as with pdftotext.", path, err)}
}

// choosePages returns the pages to show of a document with total pages.
func (o ReadOptions) choosePages(asked string, total int, path string) (pageRange, error) {
	refuse := func(format string, args ...any) (pageRange, error) {
		return pageRange{}, &adviceError{text: path + " " + fmt.Sprintf(format, args...)}
	}
	if total < 1 {
		return refuse("is a PDF document without pages. There is nothing to show.")
	}
	if total > o.MaxPDFPages {
		return refuse("has %d pages, more than the %d of a document that is shown. Put those you need into a smaller one, or extract their text, and read that.", total, o.MaxPDFPages)
	}
	r := pageRange{first: 1, last: total}
	if asked != "" {
		var err error
		if r, err = parsePages(asked); err != nil {
			return pageRange{}, &adviceError{text: err.Error()}
		}
	}
	if r.last == 0 || r.last > total {
		r.last = total
	}
	switch n := r.last - r.first + 1; {
	case r.first > total:
		return refuse("has %s; page %d is past the end.", plural(total, "page"), r.first)
	case o.code.real != "": // code has no limit but that of the document
	case asked == "" && n > maxDefaultPages:
		return refuse(`has %d pages. Say which to show, %d at most, as with pages "1-%d".`, total, maxPagesPerCall, maxDefaultPages)
	case n > maxPagesPerCall:
		return refuse(`has %d pages, and one call shows %d at most. Ask for pages "%d-%d" first.`, total, maxPagesPerCall, r.first, r.first+maxPagesPerCall-1)
	}
	return r, nil
}

// notPDFError returns the error for a call that names pages of a file that is not a PDF
// document.
func notPDFError(path string) error {
	return &adviceError{text: path + " is not a PDF document, so it has no pages. Leave pages out; offset and limit choose lines of a text."}
}
