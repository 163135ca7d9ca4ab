package files_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func ExampleRead() {
	session, done := newProject()
	defer done()
	answer(session, "Read", `{"file_path": "poem.txt", "limit": 2}`)
	answer(session, "Read", `{"file_path": "peom.txt"}`)
	// Output:
	// [PARTIAL view: lines 1 to 2 of 3; the file has 38 bytes. Go on with offset 3.]
	//      1	Roses are red
	//      2	violets are
	// <project>/peom.txt does not exist. The working directory is <project>. Did you mean <project>/poem.txt?
}

func ExampleGlob() {
	session, done := newProject()
	defer done()
	answer(session, "Glob", `{"pattern": "**/*.go"}`)
	answer(session, "Glob", `{"pattern": "*.go", "path": "src"}`)
	answer(session, "Glob", `{"pattern": "**/*.rs"}`)
	// Output:
	// src/main.go
	// src/deep/util.go
	// src/main.go
	// No files found
}

// newProject returns a session in a directory with three files.
func newProject() (s *pegboard.Session, done func()) {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	dir, _ = filepath.EvalSymlinks(dir)
	files := []struct{ name, text string }{ // the oldest first
		{"poem.txt", "Roses are red\nviolets are\nnot so red.\n"},
		{"src/deep/util.go", "package deep\n"},
		{"src/main.go", "package main\n"},
	}
	for i, f := range files {
		path := filepath.Join(dir, f.name)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, []byte(f.text), 0o644)
		at := time.Unix(int64(i), 0)
		_ = os.Chtimes(path, at, at)
	}
	s, err = pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	return s, func() {
		_ = s.Close(context.Background())
		_ = os.RemoveAll(dir)
	}
}

// answer makes one call and prints what the model would see.
func answer(s *pegboard.Session, tool, input string) {
	var reg pegboard.Registry
	if err := reg.Add(files.Tools()...); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{Name: tool, Input: []byte(input)}) {
		fmt.Println(strings.ReplaceAll(o.Result.Text(), s.Dir(), "<project>"))
	}
}
