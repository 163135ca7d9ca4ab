package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

// A session goes down into a worktree, and back to where it was made.
func ExampleSession_SetDir() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(project) }()
	tree := filepath.Join(project, ".claude", "worktrees", "fix")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: project})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()

	shown := func() string {
		rel, err := filepath.Rel(project, session.Dir())
		return fmt.Sprintln(filepath.ToSlash(rel), err)
	}
	fmt.Println(session.SetDir(".claude/worktrees/fix"))
	fmt.Print(shown())
	fmt.Println(errors.Is(session.SetDir(filepath.Dir(tree)), pegboard.ErrOutside)) // it may not go up
	fmt.Print(shown())
	fmt.Println(session.SetDir(project)) // but home
	fmt.Print(shown())
	// Output:
	// <nil>
	// .claude/worktrees/fix <nil>
	// true
	// .claude/worktrees/fix <nil>
	// <nil>
	// . <nil>
}

// A host is told of each change, for example to fire its hooks of CwdChanged.
func ExampleSession_OnSetDir() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(project) }()
	if err := os.Mkdir(filepath.Join(project, "tree"), 0o755); err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: project})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()

	session.OnSetDir("hooks", func(from, to string) {
		fmt.Println(from == project, filepath.Base(to))
	})
	fmt.Println(session.SetDir("tree"))
	// Output:
	// true tree
	// <nil>
}
