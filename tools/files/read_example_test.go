package files_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A model with a small window is shown less at once.
func ExampleReadOptions() {
	session, done := newProject()
	defer done()
	read := files.Read(files.ReadOptions{MaxTokens: 12})
	answerWith(session, read, `{"file_path": "poem.txt"}`)
	answerWith(session, read, `{"file_path": "poem.txt", "limit": 3}`)
	// Output:
	// [PARTIAL view: lines 1 to 2 of 3; the file has 38 bytes. One call shows about 12 tokens at most. Go on with offset 3 and limit 2.]
	//      1	Roses are red
	//      2	violets are
	// Lines 1 to 3 are about 15 tokens, more than the 12 that one call shows. Ask for offset 1 and limit 2, which fits, or find the place with Grep.
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

// A conversation is summarized, and the model no longer has the text that it was shown. It has
// to read a file again before it edits the file.
func ExampleForget() {
	session, done := newProject()
	defer done()
	read, edit := map[string]any{"file_path": "src/main.go"}, map[string]any{"file_path": "src/main.go", "old_string": "main", "new_string": "app"}
	change(session, files.Tools(), "Read", read)
	files.Forget(session)
	change(session, files.Tools(), "Edit", edit)
	change(session, files.Tools(), "Read", read)
	change(session, files.Tools(), "Edit", edit)
	// Output:
	// 1	package main
	// Edit was not run: <project>/src/main.go was not read. Read it first, so that the edit rests on what is there.
	//      1	package main
	// Edited <project>/src/main.go: 1 replacement.
	//      1	package app
}

// A host that makes images fits them to the limits of models. The ResultLimits of a
// session take the same func.
func ExampleSmaller() {
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 4*files.MaxImageEdge, 100))); err != nil {
		log.Fatal(err)
	}
	part, err := files.Smaller(context.Background(), pegboard.Part{MIME: "image/png", Data: drawn.Bytes()})
	if err != nil {
		log.Fatal(err)
	}
	shown, format, err := image.DecodeConfig(bytes.NewReader(part.Data))
	fmt.Println(format, shown.Width == files.MaxImageEdge, shown.Height, err)
	// Output:
	// png true 25 <nil>
}
