package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// listed is a package as the go command lists it.
type listed struct {
	ImportPath string
	Name       string
	Export     string // the file with its export data
	GoFiles    []string
	Module     *struct{ Main bool }
}

// isPublic reports whether other modules can import the package, which no folder of tests
// alone is.
func (l listed) isPublic() bool {
	return len(l.GoFiles) > 0 && l.Module != nil && l.Module.Main && l.Name != "main" && !slices.Contains(strings.Split(l.ImportPath, "/"), "internal")
}

// load returns the public packages of the module in the current folder, read from the
// compiler's export data.
func load() ([]*types.Package, error) {
	all, err := list()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	var public []*types.Package
	for _, l := range all {
		if !l.isPublic() {
			continue
		}
		p, err := from.Import(l.ImportPath)
		if err != nil {
			return nil, err
		}
		public = append(public, p)
	}
	if len(public) == 0 {
		return nil, errors.New("there is no public package here")
	}
	return public, nil
}

// list builds the packages of the module and returns them with all they import.
func list() ([]listed, error) {
	command := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Name,Export,GoFiles,Module", "./...")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64") // and cgo as it is, so that what other steps have built serves
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(out); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return all, command.Wait()
		} else if err != nil {
			return nil, errors.Join(err, command.Wait())
		}
		all = append(all, l)
	}
}
