package treefence

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A fileInput is the input of the tool with which MayRead asks.
type fileInput struct {
	Path string `json:"path"`
}

// MayRead returns a function that reports whether s may read a file without a question.
func MayRead(ctx context.Context, s *pegboard.Session) func(path string) bool {
	tool := pegboard.Build(pegboard.Definition[fileInput, string]{
		Info: pegboard.Info{Name: "Read"}, Description: "Reads a file.",
		Inspect: func(in fileInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.Path}}}
		},
		Call: func(context.Context, fileInput, *pegboard.Call) (string, error) {
			return "", errors.New("it only decides")
		},
	})
	registry := new(pegboard.Registry)
	if err := registry.Add(tool); err != nil {
		return nil
	}
	pool := registry.AssemblePool(s, pegboard.PoolConfig{Roles: &pegboard.RoleTables{}})
	return func(path string) bool {
		input, err := json.Marshal(fileInput{path})
		return err == nil && pool.Decide(ctx, pegboard.Call{Name: "Read", Input: input}).Behavior == policy.Allow
	}
}
