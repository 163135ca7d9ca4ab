package session_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A setting that a rule lets the model change.
func ExampleConfig() {
	theme := "dark"
	config, err := session.Config(session.Setting{
		Name: "theme", Description: "the colours of the screen", Type: session.TypeText, Allowed: []any{"dark", "light"},
		Get: func(context.Context, *pegboard.Session) (any, error) { return theme, nil },
		Set: func(_ context.Context, _ *pegboard.Session, value any) error {
			theme, _ = value.(string)
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Config(setting theme)"}})
	if err != nil {
		log.Fatal(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer func() { _ = s.Close(ctx) }()
	for _, input := range []string{`{"setting":"theme"}`, `{"setting":"theme","value":"light"}`, `{"setting":"theme","value":"pink"}`, `{"setting":"thme"}`} {
		fmt.Println(tooltest.Run(ctx, config, s, input).Result.Text())
	}
	// Output:
	// The setting theme is "dark".
	// Changed. The setting theme is "light". It was "dark".
	// Config was not run: the setting theme takes "dark" or "light", and not "pink"
	// Config was not run: there is no setting "thme"; did you mean theme?
}
