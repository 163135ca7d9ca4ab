package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The variables that a test program reads.
const (
	chosen = "PEGBOARD_MUTANT"     // the number of the mutant that is on
	reach  = "PEGBOARD_MUTANT_LOG" // the file for the numbers of those that are reached
)

// switchFile is added to each package with mutants.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("` + chosen + `"))
	mutantLog       = os.Getenv("` + reach + `")
	mutantReached   sync.Map
)

func mutantOn(n int) bool {
	if mutantLog != "" {
		if _, known := mutantReached.LoadOrStore(n, true); !known {
			if f, err := os.OpenFile(mutantLog, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
				_, _ = f.WriteString(strconv.Itoa(n) + "\n")
				_ = f.Close()
			}
		}
	}
	return n == mutantChosen
}
`

// A build is the test programs with all mutants in them.
type build struct {
	folder   string // for whatever is made
	mutants  []mutant
	programs map[string]string // by the folder of the package
	overlay  struct{ Replace map[string]string }
}

// newBuild mutates the module in the current folder. It compiles the tests of one subject,
// or of all if of is empty.
func newBuild(ctx context.Context, folder, of string) (*build, error) {
	b := &build{folder: folder, programs: map[string]string{}}
	b.overlay.Replace = map[string]string{}
	for _, s := range subjects {
		paths, err := s.sources()
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("subject %s has no files", s.name)
		}
		for _, path := range paths {
			if err := b.mutate(s, path); err != nil {
				return nil, err
			}
		}
	}
	return b, b.compile(ctx, of)
}

// mutate replaces a file in the overlay.
func (b *build) mutate(s subject, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, mutants, err := mutate(s.name, path, string(text), len(b.mutants)+1)
	if err != nil {
		return err
	}
	b.mutants = append(b.mutants, mutants...)
	if err := b.replace(path, changed); err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly)
	if err != nil {
		return err
	}
	return b.replace(filepath.Join(filepath.Dir(path), "mutant_switch.go"), fmt.Sprintf(switchFile, file.Name.Name))
}

// replace has the compiler read text for the file at path.
func (b *build) replace(path, text string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	instead := filepath.Join(b.folder, strings.NewReplacer("/", "_", string(filepath.Separator), "_", ":", "_").Replace(path))
	b.overlay.Replace[path] = instead
	return os.WriteFile(instead, []byte(text), 0o600)
}

// compile makes the test programs of a subject, or of all.
func (b *build) compile(ctx context.Context, of string) error {
	data, err := json.Marshal(b.overlay)
	if err != nil {
		return err
	}
	overlay := filepath.Join(b.folder, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return err
	}
	for _, s := range subjects {
		if of != "" && s.name != of {
			continue
		}
		for _, st := range s.stages {
			if b.programs[st.folder] != "" {
				continue
			}
			program := filepath.Join(b.folder, fmt.Sprintf("test%d", len(b.programs)))
			b.programs[st.folder] = program
			cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+filepath.ToSlash(st.folder))
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("go test -c ./%s: %w", st.folder, err)
			}
		}
	}
	return nil
}
