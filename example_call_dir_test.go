package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

type fileInput struct {
	File string `json:"file"`
}

// A tool opens the file that was decided, not the one to which the path of its input leads
// by now. The user reads the path relative to the working directory.
func ExampleCall_PathTarget() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("milk\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	size := pegboard.Build(pegboard.Definition[fileInput, string]{
		Info:        pegboard.Info{Name: "Size"},
		Description: "Returns the size of a file.",
		Inspect: func(in fileInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.File}}}
		},
		Call: func(ctx context.Context, in fileInput, c *pegboard.Call) (string, error) {
			target, err := c.PathTarget(ctx, pegboard.AccessRead, in.File)
			if err != nil {
				return "", err
			}
			file, err := os.Open(target.Real())
			if err != nil {
				return "", err
			}
			defer func() { _ = file.Close() }()
			info, err := file.Stat()
			if err != nil {
				return "", err
			}
			if !target.WasDecided(info) {
				return "", errors.New("the file was replaced by one that a rule may be about; call again")
			}
			return fmt.Sprintf("%s has %d bytes", c.ShortPath(in.File), info.Size()), nil
		},
	})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), pool(pegboard.SessionConfig{Dir: dir}, size),
		pegboard.Call{ID: "1", Name: "Size", Input: fmt.Appendf(nil, `{"file":%q}`, notes)})
	fmt.Println(out[0].Result.Text())
	// Output: notes.txt has 5 bytes
}

// A tool that searches everything begins in each working directory of its call.
func ExampleCall_Dirs() {
	root, err := os.MkdirTemp("", "work")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	app, lib := filepath.Join(root, "app"), filepath.Join(root, "lib")
	if err := errors.Join(os.Mkdir(app, 0o700), os.Mkdir(lib, 0o700)); err != nil {
		log.Fatal(err)
	}
	search := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "SearchAll"},
		Description: "Searches all working directories.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, dir := range c.Dirs() {
				fmt.Println(filepath.Base(dir), dir == c.Dir())
			}
			return "nothing found", nil
		},
	})
	var executor pegboard.Executor
	executor.Run(context.Background(), pool(pegboard.SessionConfig{Dir: app, MoreDirs: []string{lib}}, search),
		pegboard.Call{ID: "1", Name: "SearchAll"})
	// Output:
	// app true
	// lib false
}
