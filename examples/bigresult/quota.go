package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// fill stores 200 results of 1 MB in a store with a quota of 50 MB.
func fill(ctx context.Context, dir, work string) error {
	store, err := pegboard.NewDirStore(filepath.Join(dir, "results"), "another", pegboard.DirOptions{MaxSession: 50e6})
	if err != nil {
		return err
	}
	defer store.Close()
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: work, Results: store, Breaker: pegboard.BreakerLimits{Repeats: -1}})
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	var registry pegboard.Registry
	if err := registry.Add(source("Dump", func(context.Context, *pegboard.Call) (*pegboard.Result, error) {
		return pegboard.TextResult(strings.Repeat("0123456789abcdefghi\n", 50_000)), nil
	})); err != nil {
		return err
	}
	pool, executor := registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Executor{}
	var outcomes []pegboard.Outcome // kept, as a host would
	for i := 1; i <= 200; i++ {
		outcomes = append(outcomes, executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint("dump_", i), Name: "Dump"})...)
		if i%50 > 0 {
			continue
		}
		files, bytes, err := measure(store.Dir())
		if err != nil {
			return err
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("%3d results of 1 MB: the store has %d files of %d MB together, the heap less than %d MB\n",
			i, files, bytes/1e6, (m.HeapAlloc/8e6+1)*8)
	}
	for _, i := range []int{0, len(outcomes) - 1} {
		r, err := store.Open(ctx, outcomes[i].Result.Parts[0].Ref)
		fmt.Printf("result %d can still be read: %t\n", i+1, err == nil)
		if err == nil {
			_ = r.Close()
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("in all of this the program took less than %d MB of memory\n", (m.Sys/100e6+1)*100)
	return nil
}

// measure returns the number and the total size of the results in a directory.
func measure(dir string) (files int, bytes int64, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), ".") {
			files, bytes = files+1, bytes+info.Size()
		}
	}
	return files, bytes, err
}
