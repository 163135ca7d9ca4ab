package tooltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func ExampleCheckStore() {
	dir, err := os.MkdirTemp("", "results-*")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Println(tooltest.CheckStore(func() (pegboard.ResultStore, error) {
		return pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{})
	}))

	// A store that names a result after its call alone.
	all := newPlace()
	err = tooltest.CheckStore(func() (pegboard.ResultStore, error) {
		return &memoryStore{place: all, name: func(callID string, _ []byte) string { return hashed(callID, nil) }}, nil
	})
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// others are apart
	// forks and later turns may have calls of the same id, and none may read the result of another
}

// A program prints the sample of a store, and the test of the store compares it with what
// it is given itself. Here a file stands for the program's output.
func ExampleStoreSample() {
	dir, err := os.MkdirTemp("", "results-*")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	open := func() (pegboard.ResultStore, error) {
		return pegboard.NewDirStore(filepath.Join(dir, "results"), "conversation", pegboard.DirOptions{})
	}
	printed := filepath.Join(dir, "sample.json")
	if err := program(open, printed); err != nil {
		log.Fatal(err)
	}
	fmt.Println(tooltest.StoreChecker{
		Large: 1 << 20,
		Elsewhere: func() (sample []pegboard.StoredResult, err error) {
			text, err := os.ReadFile(printed)
			if err != nil {
				return nil, err
			}
			return sample, json.Unmarshal(text, &sample)
		},
	}.Check(open))
	// Output: <nil>
}

// program is the program that runs in another process.
func program(open func() (pegboard.ResultStore, error), printed string) error {
	store, err := open()
	if err != nil {
		return err
	}
	sample, err := tooltest.StoreSample(store)
	if err != nil {
		return err
	}
	text, err := json.Marshal(sample)
	if err != nil {
		return err
	}
	return os.WriteFile(printed, text, 0o600)
}
