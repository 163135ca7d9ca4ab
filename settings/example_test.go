package settings_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// What a person allows for good stands in a settings file, where the next session
// finds it.
func Example() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	dir := filepath.Join(home, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}

	files := settings.Locate(dir, home)
	files.Trusted = true // as the user said
	files.OnSetAside = func(e *settings.SetAsideError) { log.Print(e) }
	answer := policy.Update{
		Type:        policy.AddRules,
		Rules:       []policy.UpdateRule{{Tool: "Bash", Pattern: "go test *"}},
		Behavior:    policy.Allow,
		Destination: policy.SourceLocal,
	}
	if err := files.Save(ctx, []policy.Update{answer}); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(files.Local)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))

	loaded, err := files.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, warning := range loaded.Warnings {
		log.Print(warning)
	}
	permissions, err := loaded.Permissions()
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: files.Dir, Home: files.Home,
		Permissions: permissions,
		OnRemember:  files.Save, // what further answers want remembered
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	for _, rule := range session.Permissions().Rules() {
		fmt.Println(rule.Behavior, rule, "from", rule.Source)
	}
	// Output:
	// {
	//   "permissions": {
	//     "allow": [
	//       "Bash(go test *)"
	//     ]
	//   }
	// }
	// allow Bash(go test *) from localSettings
}
