// Command settings loads settings files of all kinds and plays one message of a model under
// them. Of the hooks in the files one blocks a call, one rewrites another, one adds words for
// the model, one answers for the person, and one is late. Then it shows why each call was
// decided as it was, and where each setting comes from.
//
//	go run ./examples/settings          the explanation as text
//	go run ./examples/settings -json    the explanation as JSON
//
// The files are in the directory folder, as users have them. They are copied to a temporary
// directory first. Nothing is read from the network or from the user's own settings.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/settings"
)

//go:embed all:folder
var folder embed.FS

func main() {
	asJSON := flag.Bool("json", false, "show the explanation of the settings as JSON")
	flag.Parse()
	if runtime.GOOS == "windows" {
		fmt.Println("The hooks of this example are scripts for sh.")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Stdout, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "settings:", err)
		cancel()
		os.Exit(1)
	}
}

// run copies the files, plays the message and explains what happened.
func run(ctx context.Context, out io.Writer, asJSON bool) (err error) {
	base, err := os.MkdirTemp("", "settings")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return err
	}
	files, err := fs.Sub(folder, "folder")
	if err != nil {
		return err
	}
	if err := os.CopyFS(base, files); err != nil {
		return err
	}
	show := screen{out: out, base: base}
	located := locate(base)
	loaded, err := approve(ctx, show, located)
	if err != nil {
		return err
	}
	if err := play(ctx, show, located, loaded); err != nil {
		return err
	}
	return explain(show, loaded, asJSON)
}

// locate returns the files of the project, with managed ones of this example instead of those
// of the system, and without the environment.
func locate(base string) settings.Files {
	f := settings.Locate(filepath.Join(base, "project"), filepath.Join(base, "home"))
	f.Managed = []string{filepath.Join(base, "etc", "managed-settings.json"), filepath.Join(base, "etc", "managed-settings.d")}
	f.Flags = settings.Flags{DisallowedTools: []string{"WebSearch, Bash(git push *)"}}
	f.Lookup = func(string) (string, bool) { return "", false }
	f.Trusted = true // as the user would be asked
	return f
}

// approve loads the files, lets the user answer for the MCP servers of the project, and loads
// them again.
func approve(ctx context.Context, show screen, f settings.Files) (*settings.Loaded, error) {
	loaded, err := f.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range loaded.Warnings {
		show.printf("warning: %v\n", w)
	}
	for _, s := range loaded.Servers {
		if s.Approval == settings.ServerAsk {
			show.printf("The user approves the MCP server %s.\n", s.Name)
			if err := f.Approve(ctx, s.Name, true); err != nil {
				return nil, err
			}
		}
	}
	show.printf("Have the files been changed by others? %v\n", f.Changed(loaded))
	if loaded, err = f.Load(ctx); err != nil {
		return nil, err
	}
	for _, s := range loaded.Servers {
		show.printf("server %s (%s)\n", s, s.Why)
	}
	return loaded, nil
}

// explain shows where each setting comes from.
func explain(show screen, loaded *settings.Loaded, asJSON bool) error {
	show.printf("\nThe settings:\n")
	if !asJSON {
		show.printf("%s", settings.Explain(loaded))
		return nil
	}
	data, err := settings.ExplainJSON(loaded)
	show.printf("%s\n", data)
	return err
}

// A screen prints texts without the path of the temporary directory.
type screen struct {
	out  io.Writer
	base string
}

func (s screen) printf(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), s.base+string(filepath.Separator), "")
	_, _ = io.WriteString(s.out, text) // there is nowhere else to tell it
}
