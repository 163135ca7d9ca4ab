package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A person sees what an edit would do before it is done.
func ExamplePreview() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	poem := filepath.Join(dir, "poem.txt")
	if err := os.WriteFile(poem, []byte("Roses are red\nviolets are\nnot so red.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: dir,
		Ask: func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			p, err := files.Preview(ctx, q)
			if err != nil {
				return pegboard.Decision{}, err // nobody can say yes to what cannot be shown
			}
			fmt.Printf("%s %s?\n%s", q.Tool.Info().Name, filepath.Base(p.FilePath), files.Unified(p.Hunks))
			if p.Omitted > 0 {
				fmt.Printf("and %d more lines\n", p.Omitted)
			}
			return pegboard.Decision{Behavior: pegboard.Allow}, nil // the person said yes
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(files.Tools()...); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	ex.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Read", Input: json.RawMessage(`{"file_path": "poem.txt"}`)},
		pegboard.Call{ID: "2", Name: "Edit", Input: json.RawMessage(`{"file_path": "poem.txt", "old_string": "not so red", "new_string": "blue"}`)})
	// Output:
	// Edit poem.txt?
	// @@ -1,3 +1,3 @@
	//  Roses are red
	//  violets are
	// -not so red.
	// +blue.
}
