package files_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func ExampleGrep() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	text := "package main\n\n// Run does nothing.\nfunc Run() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "run.go"), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(files.Grep(files.GrepOptions{})); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{
		Name:  "Grep",
		Input: []byte(`{"pattern":"^func \\w+","output_mode":"content","-B":1}`),
	})
	fmt.Println(out[0].Result.Text())
	// Output:
	// run.go-3-// Run does nothing.
	// run.go:4:func Run() {}
}
