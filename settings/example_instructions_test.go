package settings_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/settings"
)

// The host puts the instructions of a project into its own prompt.
func ExampleFiles_LoadInstructions() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Run the tests before you commit.\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	files := settings.Files{Dir: dir, Home: filepath.Join(dir, "home")}
	list, err := files.LoadInstructions(context.Background())
	for _, file := range list {
		fmt.Print(filepath.Base(file.Path), ": ", file.Text)
	}
	fmt.Println(err)
	// Output:
	// AGENTS.md: Run the tests before you commit.
	// <nil>
}
