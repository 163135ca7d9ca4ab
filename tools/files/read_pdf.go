package files

import (
	"context"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard"
)

// readPDF returns the pages of the document that in names.
func (o ReadOptions) readPDF(ctx context.Context, doc *io.SectionReader, path string, in readInput) (ReadOutput, error) {
	if o.PDF == nil {
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document (%d bytes), and this program has nothing that shows PDF. Extract its text in a shell, as with pdftotext -layout %q -, or ask the user for it.",
			path, doc.Size(), path)}
	}
	if doc.Size() > o.MaxPDFBytes {
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document of %d bytes, more than the %d that are shown. Put the pages you need into a smaller one, or extract their text, and read that.",
			path, doc.Size(), o.MaxPDFBytes)}
	}
	total, err := o.PDF.Pages(ctx, doc)
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	r, err := o.choosePages(in.Pages, total, path)
	if err != nil {
		return ReadOutput{}, err
	}
	parts, err := o.PDF.Show(ctx, doc, r.first, r.last)
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	f := PDFFile{FilePath: path, OriginalSize: doc.Size(), Count: len(parts)}
	head := pegboard.Part{Text: fmt.Sprintf("[PDF document, pages %d to %d of %d]", r.first, r.last, total)}
	f.parts = append([]pegboard.Part{head}, parts...)
	if len(parts) == 1 && parts[0].MIME == mimePDF {
		f.Data, f.Count = parts[0].Data, 0
		return ReadOutput{Type: "pdf", File: f}, nil
	}
	return ReadOutput{Type: "parts", File: f, FirstPage: r.first, Pages: total}, nil
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
