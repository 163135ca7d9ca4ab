package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A function is an exported function of the standard library.
type function struct {
	pkg, name, about string
	params           []param
	result           bool // the function returns a value
}

type param struct{ name, goType string }

// schema returns the JSON schema of the input. A parameter whose type has no
// counterpart in JSON is a string with a Go expression.
func (f function) schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range f.params {
		properties[p.name] = map[string]string{"type": p.jsonType(), "description": p.goType}
		required = append(required, p.name)
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(err) // it is made of strings
	}
	return b
}

// call runs the function in a program of its own.
func (f function) call(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
	var values map[string]any
	if err := json.Unmarshal(in, &values); err != nil {
		return nil, err
	}
	var args []string
	for _, p := range f.params {
		arg := fmt.Sprint(values[p.name])
		if p.goType == "string" {
			arg = fmt.Sprintf("%q", arg)
		}
		args = append(args, arg)
	}
	call := fmt.Sprintf("%s.%s(%s)", path.Base(f.pkg), f.name, strings.Join(args, ", "))
	if f.result {
		call = "fmt.Print(" + call + ")"
	}
	dir, err := os.MkdirTemp("", "search")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := fmt.Sprintf("package main\nimport (\n\"fmt\"\n%q\n)\nvar _ = fmt.Print\nfunc main() { %s }\n", f.pkg, call)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "run", file).CombinedOutput()
	return pegboard.TextResult(string(out)), err
}

func (p param) jsonType() string {
	switch strings.TrimRight(p.goType, "0123456789") {
	case "int", "uint":
		return "integer"
	case "float":
		return "number"
	case "bool":
		return "boolean"
	}
	return "string"
}
