package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A host whose model was trained on patches adds the tool beside the others.
func ExampleApplyPatch() {
	session, done := newProject()
	defer done()
	patch := strings.Join([]string{
		"*** Begin Patch",
		"*** Update File: src/main.go",
		"*** Move to: cmd/hello/main.go",
		"@@",
		" package main",
		"+",
		"+func main() { println(42) }",
		"*** Delete File: src/deep/util.go",
		"*** Add File: README",
		"+It prints a number.",
		"*** End Patch",
	}, "\n")
	change(session, append(files.Tools(), files.ApplyPatch(files.WriteOptions{})), "apply_patch", map[string]any{"input": patch})
	// One file is wrong, and none is changed.
	patch = "*** Begin Patch\n*** Delete File: README\n*** Update File: poem.txt\n@@\n-Roses are blue\n+Roses are white\n*** End Patch"
	change(session, append(files.Tools(), files.ApplyPatch(files.WriteOptions{})), "apply_patch", map[string]any{"input": patch})
	// Output:
	// Applied the patch to 3 files.
	// M <project>/cmd/hello/main.go (moved from <project>/src/main.go)
	// D <project>/src/deep/util.go
	// A <project>/README
	// apply_patch was not run: <project>/poem.txt: The hunk (line 4 of the patch): the old text is not in the file; nothing was changed. In the file line 1 is most like it (68% the same). Take the old text from there. The difference (- what was given, + what the file has):
	// -Roses are blue
	// +Roses are red
	// No file was changed. Send the whole patch again when this is mended.
}

func ExampleMultiEdit() {
	session, done := newProject()
	defer done()
	tools := append(files.Tools(), files.MultiEdit(files.WriteOptions{}))
	change(session, tools, "Read", map[string]any{"file_path": "poem.txt"})
	change(session, tools, "MultiEdit", map[string]any{"file_path": "poem.txt", "edits": []files.EditStep{
		{OldString: "red", NewString: "blue", ReplaceAll: true},
		{OldString: "not so blue", NewString: "red"},
	}})
	// Output:
	//      1	Roses are red
	//      2	violets are
	//      3	not so red.
	// Edited <project>/poem.txt: 2 edits, 3 replacements.
	//      1	Roses are blue
	//      2	violets are
	//      3	red.
}

// change makes one call that a person allows, and prints what the model would see.
func change(s *pegboard.Session, tools []pegboard.Tool, name string, input any) {
	var reg pegboard.Registry
	if err := reg.Add(tools...); err != nil {
		log.Fatal(err)
	}
	raw, err := json.Marshal(input)
	if err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeAcceptEdits)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.SetPermissions(perms); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: name, Input: raw}) {
		fmt.Println(strings.ReplaceAll(o.Result.Text(), s.Dir(), "<project>"))
	}
}

// A cell goes by its id, which Read shows. The outputs of the old code are gone.
func ExampleNotebookEdit() {
	session, done := newProject()
	defer done()
	put(session, "sum.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"cell_type": "code", "id": "add", "metadata": {}, "execution_count": 1, "source": "print(1 + 1)",
		 "outputs": [{"output_type": "stream", "name": "stdout", "text": "2\n"}]}]}`)
	tools := []pegboard.Tool{files.Read(files.ReadOptions{}), files.NotebookEdit(files.WriteOptions{})}
	change(session, tools, "Read", map[string]any{"file_path": "sum.ipynb"})
	change(session, tools, "NotebookEdit", map[string]any{"notebook_path": "sum.ipynb", "cell_id": "add", "new_source": "print(2 + 2)"})
	change(session, tools, "Read", map[string]any{"file_path": "sum.ipynb"})
	// Output:
	// [Notebook, cells 1 to 1 of 1]
	// <cell id="add" type="code" language="python" run="1">
	// print(1 + 1)
	// <output type="stream" name="stdout">
	// 2
	// </output>
	// </cell>
	// Replaced the source of the code cell add. Its outputs were dropped, since they were the old code's.
	// [Notebook, cells 1 to 1 of 1]
	// <cell id="add" type="code" language="python">
	// print(2 + 2)
	// </cell>
}
