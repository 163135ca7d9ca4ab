package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"codeberg.org/go-pdf/fpdf"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/pdf"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// With a Reader the tool Read shows the text of pages.
func ExampleReader() {
	ctx := context.Background()
	reader, err := pdf.New(ctx, pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = reader.Close(ctx) }()

	dir, err := os.MkdirTemp("", "pdf")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := writeReport(filepath.Join(dir, "report.pdf")); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	var reg pegboard.Registry
	if err := reg.Add(files.Read(files.ReadOptions{PDF: reader})); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	out := ex.Run(ctx, reg.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Read", Input: []byte(`{"file_path":"report.pdf","pages":"2-"}`)})[0]
	fmt.Println(out.Result.Text())
	// Output:
	// [PDF document, pages 2 to 3 of 3]
	// [page 2]
	// Details
	// [page 3]
	// Annex
}

// writeReport writes a document of three pages.
func writeReport(path string) error {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetFont("Helvetica", "", 12)
	for _, text := range []string{"Summary", "Details", "Annex"} {
		f.AddPage()
		f.Cell(40, 10, text)
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}
