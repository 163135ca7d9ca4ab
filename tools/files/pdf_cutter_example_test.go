package files_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// cutter is a PDF that can make a document of some pages.
type cutter struct{ formFeeds }

// Cut returns the document of these pages.
func (cutter) Cut(_ context.Context, doc *io.SectionReader, first, last int) ([]byte, error) {
	text, err := io.ReadAll(io.NewSectionReader(doc, 0, doc.Size()))
	if err != nil {
		return nil, err
	}
	pages := bytes.SplitAfter(bytes.TrimPrefix(text, []byte("%PDF-1.7 ")), []byte("\f"))
	return append([]byte("%PDF-1.7 "), bytes.Join(pages[first-1:last], nil)...), nil
}

// The model takes documents, so Read shows it the pages that it asks for as a document.
func ExamplePDFCutter() {
	session, done := newProject()
	defer done()
	pegboard.KeyFileLimits.Set(session, pegboard.FileLimits{Documents: true})
	put(session, "report.pdf", "%PDF-1.7 summary\fdetails\fannex\f")
	var registry pegboard.Registry
	if err := registry.Add(files.Read(files.ReadOptions{PDF: cutter{}})); err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Read", Input: []byte(`{"file_path": "report.pdf", "pages": "2"}`)})
	for _, p := range out[0].Result.Parts {
		fmt.Printf("%s%s %q\n", p.Text, p.MIME, p.Data)
	}
	// Output:
	// [PDF document, pages 2 to 2 of 3] ""
	// application/pdf "%PDF-1.7 details\f"
}
