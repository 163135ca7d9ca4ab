package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// open makes the tools and the session of a project, as its files and those of its user say.
func open(ctx context.Context, dir, home string) (*builtin.Set, *pegboard.Session, error) {
	files := settings.Locate(dir, home)
	files.Trusted = true // the user has said that the project may allow things
	loaded, err := files.Load(ctx)
	if err != nil {
		return nil, nil, err // what may deny something cannot be read
	}
	for _, warning := range loaded.Warnings {
		fmt.Println(warning)
	}
	set, err := builtin.Tools(builtin.Options{Files: files, Settings: loaded})
	if err != nil {
		return nil, nil, err
	}
	session, err := set.NewSession(pegboard.SessionConfig{}) // set Ask to ask a person
	return set, session, err
}

func Example_settingsFile() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		log.Fatal(err)
	}
	text := `{"permissions": {"allow": ["CloseTicket(WEB-*)"], "deny": ["CloseTicket(OPS-*)"]}}`
	if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	_, session, err := open(context.Background(), dir, home)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	tool := closeTicket(tickets{"WEB-7": "open", "OPS-1": "open"})
	for _, input := range []string{`{"ticket": "WEB-7"}`, `{"ticket": "OPS-1"}`} {
		out := tooltest.Run(context.Background(), tool, session, input)
		fmt.Println(out.Decision.Behavior, out.Decision.Reason)
	}
	// Output:
	// allow allow rule "CloseTicket(WEB-*)" from projectSettings covers it
	// deny deny rule "CloseTicket(OPS-*)" from projectSettings covers it
}
