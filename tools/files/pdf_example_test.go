package files_test

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// formFeeds stands for a library that reads PDF: its pages end with form feeds.
type formFeeds struct{}

// Pages returns how many there are.
func (formFeeds) Pages(_ context.Context, doc *io.SectionReader) (int, error) {
	text, err := io.ReadAll(doc)
	return bytes.Count(text, []byte("\f")), err
}

// Show returns their text.
func (formFeeds) Show(_ context.Context, doc *io.SectionReader, first, last int) ([]pegboard.Part, error) {
	if _, err := doc.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(doc)
	pages := strings.Split(string(text), "\f")
	return []pegboard.Part{{Text: strings.Join(pages[first-1:last], "\n")}}, err
}

// A host gives Read a library of its choice.
func ExamplePDF() {
	session, done := newProject()
	defer done()
	put(session, "report.pdf", "%PDF-1.7 summary\fdetails\fannex\f")
	answerWith(session, files.Read(files.ReadOptions{PDF: formFeeds{}}), `{"file_path": "report.pdf", "pages": "2-"}`)
	// Output:
	// [PDF document, pages 2 to 3 of 3]
	// details
	// annex
}
