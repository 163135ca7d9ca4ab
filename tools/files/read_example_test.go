package files_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A host that knows its model's tokens counts them itself.
func ExampleReadOptions() {
	session, done := newProject()
	defer done()
	read := files.Read(files.ReadOptions{
		MaxTokens: 8,
		Tokens:    func(text []byte) int { return len(bytes.Fields(text)) },
	})
	answerWith(session, read, `{"file_path": "poem.txt"}`)
	answerWith(session, read, `{"file_path": "poem.txt", "limit": 3}`)
	// Output:
	// [PARTIAL view: lines 1 to 2 of 3; the file has 38 bytes. One call shows about 8 tokens at most. Go on with offset 3 and limit 2.]
	//      1	Roses are red
	//      2	violets are
	// Lines 1 to 3 are about 11 tokens, more than the 8 that one call shows. Ask for offset 1 and limit 2, which fits, or find the place with Grep.
}

// A notebook comes by cell, with the ids that NotebookEdit takes.
func ExampleNotebookFile() {
	session, done := newProject()
	defer done()
	put(session, "sum.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"cell_type": "code", "id": "add", "metadata": {}, "execution_count": 1, "source": "print(1 + 1)",
		 "outputs": [{"output_type": "stream", "name": "stdout", "text": "2\n"}]}]}`)
	answer(session, "Read", `{"file_path": "sum.ipynb"}`)
	// Output:
	// [Notebook, cells 1 to 1 of 1]
	// <cell id="add" type="code" language="python" run="1">
	// print(1 + 1)
	// <output type="stream" name="stdout">
	// 2
	// </output>
	// </cell>
}

// formFeeds stands for a library that reads PDF: its pages end with form feeds.
type formFeeds struct{}

func (formFeeds) Pages(_ context.Context, doc *io.SectionReader) (int, error) {
	text, err := io.ReadAll(doc)
	return bytes.Count(text, []byte("\f")), err
}

func (formFeeds) Show(_ context.Context, doc *io.SectionReader, first, last int) ([]pegboard.Part, error) {
	if _, err := doc.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(doc)
	pages := strings.Split(string(text), "\f")
	return []pegboard.Part{{Text: strings.Join(pages[first-1:last], "\n")}}, err
}

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

// put writes a file into the session's directory.
func put(s *pegboard.Session, name, text string) {
	if err := os.WriteFile(filepath.Join(s.Dir(), name), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
}

// answerWith makes one call of tool and prints what the model would see.
func answerWith(s *pegboard.Session, tool pegboard.Tool, input string) {
	var reg pegboard.Registry
	if err := reg.Add(tool); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{Name: tool.Info().Name, Input: []byte(input)}) {
		fmt.Println(strings.ReplaceAll(o.Result.Text(), s.Dir(), "<project>"))
	}
}
