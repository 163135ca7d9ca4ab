package shell_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func ExampleBash() {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{"Bash(rm:*)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(shell.Bash(shell.Options{})); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"echo hello"}`)},
		pegboard.Call{ID: "2", Name: "Bash", Input: []byte(`{"command":"echo hello; touch here"}`)}) {
		fmt.Println(strings.ReplaceAll(out.Result.Text(), session.Dir()+"/", ""))
	}
	// Output:
	// hello
	// Bash was denied: no rule allows it: Bash wants to run touch here, write here (what needs no approval: run echo hello), and nobody can be asked; the allow rule Bash(touch here) would permit it. No person refused it; do something else or tell the user what is needed.
}

// A host withholds variables of its own beside the usual ones, and lets one of these pass.
func ExampleDefaultWithheld() {
	for _, name := range []string{"ACME_LICENSE", "GH_TOKEN", "NPM_TOKEN"} {
		if err := os.Setenv(name, "secret"); err != nil {
			log.Fatal(err)
		}
		defer func() { _ = os.Unsetenv(name) }()
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(echo *)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(shell.Bash(shell.Options{Withheld: append(shell.DefaultWithheld(), "ACME_*", "!GH_TOKEN")})); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Bash",
		Input: []byte(`{"command":"echo \"[$ACME_LICENSE] [$NPM_TOKEN] [$GH_TOKEN]\""}`)})
	fmt.Println(out[0].Result.Text())
	// Output:
	// Commands do not get ACME_LICENSE, NPM_TOKEN: what may be a secret of the host is withheld.
	// [] [] [secret]
}
