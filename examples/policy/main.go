// Policy explains how the permissions of a settings file decide three calls. It imports nothing
// of pegboard but the permission engine:
//
//	go run ./examples/policy [settings.json]
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/policy/shell"
)

//go:embed settings.json
var settings []byte

func main() {
	text, err := settings, error(nil)
	if len(os.Args) > 1 {
		text, err = os.ReadFile(os.Args[1])
	}
	var file struct{ Permissions policy.RuleSet }
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, file.Permissions)
	if err != nil {
		log.Fatal(err)
	}
	here, err := policy.Dirs{Dir: "."}.Place()
	if err != nil {
		log.Fatal(err)
	}
	line := shell.Read("git status && cat .env | tee out.txt", shell.Env{Dir: here.Dir(), Home: here.Home()})
	for _, r := range []policy.Request{
		{Tool: policy.Builtin("Bash"), Targets: line.Targets, Facts: line.Facts},
		{Tool: policy.Builtin("Edit"), Targets: []policy.Target{policy.Writes("src/a.go")}},
		{Tool: policy.External("github", "get_issue"), Targets: []policy.Target{policy.Reaches("api.github.com")}},
	} {
		r.Place = here
		fmt.Printf("%s\n%v\n", r.Tool.Name, perms.Explain(context.Background(), r))
	}
}
