package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A subject is code that is mutated.
type subject struct {
	name   string
	files  []string // patterns of paths below the root of the module
	except []string // likewise
	stages []stage  // in the order in which they run
}

// A stage is a set of tests.
type stage struct {
	folder string   // of the package
	files  []string // patterns of the files with the tests; empty means all
	skip   string   // the pattern of the tests that are left out
	effort int      // of generated tests; 0 means 1
}

// decisions are the tests of the root that have much decided.
var decisions = stage{folder: ".", skip: "SuggestedPathsAreLiteral|FuzzTargetValue", files: []string{
	"bind_test.go", "budget_test.go", "call_test.go", "call_check_test.go", "example_*_test.go", "hooks*_test.go", "invariants_test.go", "policy_*_test.go", "pool_test.go",
	"pool_decide_test.go", "question*_test.go", "restrict_test.go", "session_test.go",
}}

// subjects are all code that is mutated.
var subjects = []subject{
	{
		name:   "decide",
		files:  []string{"policy/decide*.go", "policy/rule*.go"},
		stages: []stage{{folder: "policy"}, decisions},
	},
	{
		name:   "pattern",
		files:  []string{"internal/pattern/*.go"},
		stages: []stage{{folder: "internal/pattern"}, decisions},
	},
	{
		name:   "lane",
		files:  []string{"internal/lane/*.go"},
		stages: []stage{{folder: "internal/lane"}},
	},
}

func subjectNames() string {
	var names []string
	for _, s := range subjects {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// run returns the pattern of the tests of a stage.
func (s stage) run() (string, error) {
	if len(s.files) == 0 {
		return "", nil
	}
	var names []string
	for _, pattern := range s.files {
		paths, err := filepath.Glob(filepath.Join(s.folder, pattern))
		if err != nil {
			return "", err
		}
		if len(paths) == 0 {
			return "", fmt.Errorf("no file is called %s", pattern)
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return "", err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest.MatchString(f.Name.Name) {
					names = append(names, f.Name.Name)
				}
			}
		}
	}
	return "^(" + strings.Join(names, "|") + ")$", nil
}

// isTest matches the names of what a test program runs.
var isTest = regexp.MustCompile("^(Test|Example|Fuzz)([^a-z]|$)")

// sources returns the paths of the files of s that Linux builds.
func (s subject) sources() ([]string, error) {
	var found []string
	for _, pattern := range s.files {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		found = append(found, paths...)
	}
	found = slices.DeleteFunc(found, func(path string) bool {
		return strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_windows.go") || strings.HasSuffix(path, "_darwin.go") ||
			slices.ContainsFunc(s.except, func(pattern string) bool { ok, _ := filepath.Match(pattern, path); return ok })
	})
	slices.Sort(found)
	return slices.Compact(found), nil
}
