package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func ExampleDiffOf() {
	d, err := files.DiffOf("/notes.txt", []byte("milk\neggs\n"), []byte("milk\nbread\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s", d.Path, d.Unified())
	// Output:
	// /notes.txt
	// @@ -1,2 +1,2 @@
	//  milk
	// -eggs
	// +bread
}

// A person sees what an edit would do before it is done.
func Example_preview() {
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
		Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
			diffs, err := q.Preview(ctx)
			if err != nil {
				return policy.Decision{}, err // nobody can say yes to what cannot be shown
			}
			fmt.Printf("%s?\n", q.Call.View().Before)
			for _, d := range diffs {
				fmt.Print(d.Unified())
				if d.Omitted > 0 {
					fmt.Printf("and %d more lines\n", d.Omitted)
				}
			}
			return policy.Decision{Behavior: policy.Allow}, nil // the person said yes
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
