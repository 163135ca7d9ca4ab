package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

type changeInput struct {
	File string `json:"file" jsonschema_description:"The changelog, such as CHANGELOG.md"`
	Line string `json:"line" jsonschema_description:"What has changed, in one line"`
}

// changeAdded is the Result.Data of AddChange.
type changeAdded struct{ File, Line string }

// addChange puts a line at the top of a changelog.
func addChange() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[changeInput, changeAdded]{
		Info:        pegboard.Info{Name: "AddChange", Title: "Add to changelog"},
		Description: "Adds a line to the top of a changelog. Creates the file if it is missing.",
		Inspect: func(in changeInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []policy.Target{policy.Writes(in.File)},
				Concurrency: pegboard.PerTarget,
				Kind:        pegboard.KindEdit,
			}
		},
		Validate: func(_ context.Context, in changeInput, _ *pegboard.Call) error {
			if strings.TrimSpace(in.Line) == "" || strings.Contains(in.Line, "\n") {
				return errors.New("line must be one line of text; call AddChange once for each line")
			}
			return nil
		},
		Call: func(ctx context.Context, in changeInput, c *pegboard.Call) (changeAdded, error) {
			line := "- " + in.Line + "\n"
			err := files.UpdateFile(ctx, c, in.File, func(old []byte) ([]byte, error) {
				if bytes.HasPrefix(old, []byte(line)) {
					return nil, errors.New("the changelog has this line already; nothing was written")
				}
				return append([]byte(line), old...), nil
			})
			if err != nil {
				return changeAdded{}, err
			}
			files.Note(c.Session(), in.File, 0, []byte(line)) // the model wrote it, so it may edit it
			return changeAdded(in), nil
		},
		Result: func(out changeAdded) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: fmt.Sprintf("Added to %s.", out.File)}}, Data: out, Line: "Added: " + out.Line}
		},
	})
}
