package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A store removes results that are older than its Retention, by itself. A host that wants
// them gone now calls Sweep.
func ExampleDirStore_Sweep() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{Retention: 24 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	kept := map[string]pegboard.StoredResult{}
	for id, age := range map[string]time.Duration{"today": 0, "yesterday": 25 * time.Hour} {
		if kept[id], err = store.Put(ctx, id, "text/plain", strings.NewReader(log100())); err != nil {
			log.Fatal(err)
		}
		made := time.Now().Add(-age)
		if err := os.Chtimes(kept[id].Path, made, made); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(store.Sweep(ctx))
	whole, err := store.Open(ctx, kept["today"].Ref)
	fmt.Println(kept["today"].Size, "bytes are kept:", whole != nil, err)
	if err == nil {
		_ = whole.Close()
	}
	_, err = store.Open(ctx, kept["yesterday"].Ref)
	fmt.Println("gone:", errors.Is(err, fs.ErrNotExist))
	fmt.Println(store.Close())
	// Output:
	// <nil>
	// 1900 bytes are kept: true <nil>
	// gone: true
	// <nil>
}
