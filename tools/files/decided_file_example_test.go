package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A tool of the host appends a line to a file. The model has sent the line, so the
// session has seen it and may edit it.
func ExampleUpdateFile() {
	type input struct {
		File string `json:"file"`
		Line string `json:"line"`
	}
	appendLine := pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "AppendLine"},
		Description: "Appends a line to a file.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Concurrency: pegboard.PerTarget,
				Targets:     []policy.Target{{Kind: policy.Path, Access: policy.Write, Value: in.File}},
			}
		},
		Call: func(ctx context.Context, in input, c *pegboard.Call) (string, error) {
			line := []byte(in.Line + "\n")
			var offset int64
			err := files.UpdateFile(ctx, c, in.File, func(old []byte) ([]byte, error) {
				offset = int64(len(old))
				return append(bytes.Clone(old), line...), nil
			})
			if err == nil {
				files.Note(c.Session(), in.File, offset, line)
			}
			return "appended", err
		},
	})

	session, done := newProject()
	defer done()
	perms, err := policy.New(policy.ModeAcceptEdits)
	if err != nil {
		log.Fatal(err)
	}
	if err := session.SetPermissions(perms); err != nil {
		log.Fatal(err)
	}
	var reg pegboard.Registry
	if err := reg.Add(appendLine, files.Edit(files.WriteOptions{})); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{Name: "AppendLine", Input: []byte(`{"file":"poem.txt","line":"Sugar is sweet"}`)},
		pegboard.Call{Name: "Edit", Input: []byte(`{"file_path":"poem.txt","old_string":"sweet","new_string":"sweet, too"}`)},
		pegboard.Call{Name: "Edit", Input: []byte(`{"file_path":"src/main.go","old_string":"main","new_string":"other"}`)},
	) {
		fmt.Println(o.Err == nil)
	}
	// Output:
	// true
	// true
	// false
}

// A tool of the host copies a file. It opens the file that was decided, and replaces none unless
// the model says so.
func ExampleOpenFile() {
	type input struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Replace bool   `json:"replace,omitempty"`
	}
	copyFile := pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "CopyFile"},
		Description: "Copies a file.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{
				{Kind: policy.Path, Access: policy.Read, Value: in.From},
				{Kind: policy.Path, Access: policy.Write, Value: in.To},
			}}
		},
		Call: func(ctx context.Context, in input, c *pegboard.Call) (string, error) {
			file, err := files.OpenFile(ctx, c, in.From)
			if err != nil {
				return "", err
			}
			defer func() { _ = file.Close() }()
			text, err := io.ReadAll(file)
			if err != nil {
				return "", err
			}
			if in.Replace {
				return "replaced", files.WriteFile(ctx, c, in.To, text)
			}
			err = files.CreateFile(ctx, c, in.To, text)
			if errors.Is(err, fs.ErrExist) {
				return "", fmt.Errorf("%s exists; to replace it, call again with replace", in.To)
			}
			return "copied", err
		},
	})

	session, done := newProject()
	defer done()
	for _, input := range []map[string]any{
		{"from": "poem.txt", "to": "copies/poem.txt"},
		{"from": "src/main.go", "to": "poem.txt"},
		{"from": "src/main.go", "to": "copies/poem.txt", "replace": true},
	} {
		change(session, []pegboard.Tool{copyFile}, "CopyFile", input)
	}
	// Output:
	// copied
	// poem.txt exists; to replace it, call again with replace
	// replaced
}
