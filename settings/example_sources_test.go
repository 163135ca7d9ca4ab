package settings_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// exampleFiles makes a project and a home directory, and returns its files without those of
// this machine. Remove deletes them.
func exampleFiles(texts map[string]string) (files settings.Files, remove func()) {
	base, err := os.MkdirTemp("", "settings")
	if err != nil {
		log.Fatal(err)
	}
	for _, dir := range []string{"project/.claude", "home/.claude"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			log.Fatal(err)
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	files = settings.Locate(filepath.Join(base, "project"), filepath.Join(base, "home"))
	files.Managed, files.Lookup = nil, func(string) (string, bool) { return "", false }
	files.TrustedLocal = true // nobody but the user has written that file
	return files, func() { _ = os.RemoveAll(base) }
}

// short leaves the directories of an example out of a text.
func short(f settings.Files, text string) string {
	return filepath.ToSlash(strings.NewReplacer(f.Dir, "project", f.Home, "home").Replace(text))
}

// Each setting is shown with its place, and what did not count with what overrode it.
func ExampleExplain() {
	files, remove := exampleFiles(map[string]string{
		"project/.claude/settings.json": `{
  "permissions": {"deny": ["Read(.env)"], "defaultMode": "acceptEdits"},
  "env": {"LOG": "quiet"}
}`,
		"home/.claude/settings.json": `{"env": {"LOG": "loud"}, "modell": "small"}`,
	})
	defer remove()
	files.Trusted = true
	files.Flags.Mode = "plan"
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(short(files, settings.Explain(loaded)))
	// Output:
	// file
	//   project/.claude/settings.json
	//   home/.claude/settings.json
	// mode
	//   plan  [--permission-mode]
	// - acceptEdits  [project/.claude/settings.json:2:58]  (overridden by --permission-mode)
	// rule
	//   deny Read(.env)  [project/.claude/settings.json:2:28]
	// variable
	//   LOG  [project/.claude/settings.json:3:11]
	// - LOG  [home/.claude/settings.json:1:10]  (overridden by project/.claude/settings.json:3:11)
	// key
	//   modell  [home/.claude/settings.json:1:26]
	// starts in mode plan
}

func ExampleExplainJSON() {
	files, remove := exampleFiles(map[string]string{"home/.claude/settings.json": `{"permissions": {"allow": ["Bash(ls)"]}}`})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	data, err := settings.ExplainJSON(loaded)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(short(files, string(data)))
	// Output:
	// {"mode":"default","facts":[{"kind":"file","text":"home/.claude/settings.json","source":"userSettings","path":"home/.claude/settings.json","counts":true},{"kind":"rule","text":"allow Bash(ls)","source":"userSettings","path":"home/.claude/settings.json","line":1,"column":28,"counts":true}],"warnings":[],"broken":[]}
}

// A host asks between turns whether the files have changed, and takes what they hold as a
// whole. What it has saved itself is no change.
func ExampleFiles_Changed() {
	ctx := context.Background()
	files, remove := exampleFiles(map[string]string{"home/.claude/settings.json": `{"env": {"A": "1"}}`})
	defer remove()
	loaded, err := files.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer := policy.Update{
		Type: policy.AddRules, Behavior: policy.Allow, Destination: policy.SourceLocal,
		Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: "make"}},
	}
	if err := files.Save(ctx, []policy.Update{answer}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(files.Changed(loaded))

	if err := os.WriteFile(files.User, []byte(`{"env": {"A": "2"}}`), 0o600); err != nil { // an editor
		log.Fatal(err)
	}
	fmt.Println(files.Changed(loaded))
	for _, c := range files.Changes(loaded) { // for hooks on ConfigChange
		fmt.Println(c.ConfigSource(), short(files, c.Path))
	}
	if loaded, err = files.Load(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Env["A"], files.Changed(loaded))
	// Output:
	// false
	// true
	// user_settings home/.claude/settings.json
	// 2 false
}

// The user is asked once about each MCP server of a project.
func ExampleFiles_Approve() {
	ctx := context.Background()
	files, remove := exampleFiles(map[string]string{
		"project/.mcp.json": `{"mcpServers": {"issues": {"url": "https://example.com/mcp"}, "notes": {"command": "notes"}}}`,
	})
	defer remove()
	loaded, err := files.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range loaded.Servers {
		if s.Approval == settings.ServerAsk {
			if err := files.Approve(ctx, s.Name, s.Name == "notes"); err != nil { // as the user says
				log.Fatal(err)
			}
		}
	}
	if loaded, err = files.Load(ctx); err != nil {
		log.Fatal(err)
	}
	for _, s := range loaded.Servers {
		fmt.Println(s)
	}
	// Output:
	// issues (http): off
	// notes (stdio): on
}

// A file that cannot be read keeps a session from starting, since it may deny something. The
// user may go on without it.
func ExampleLoaded_WithoutBroken() {
	files, remove := exampleFiles(map[string]string{
		"project/.claude/settings.json": "{\n  \"permissions\": {\"deny\": [\"Read(.env)\"]\n}",
		"home/.claude/settings.json":    `{"permissions": {"deny": ["WebSearch"]}}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	fmt.Println(short(files, err.Error()))
	if _, err := loaded.Permissions(); err != nil {
		permissions, err := loaded.WithoutBroken().Permissions() // the user has said so
		fmt.Println(permissions.Rules(), err)
	}
	// Output:
	// project/.claude/settings.json:3:1 is not valid: the text ends before the value is complete
	// [WebSearch] <nil>
}

// Keys that are the host's are the JSON text of the source that wins.
func ExampleLoaded_Key() {
	files, remove := exampleFiles(map[string]string{
		"project/.claude/settings.local.json": `{"model": "large"}`,
		"home/.claude/settings.json":          `{"model": "small", "statusLine": {"type": "command", "command": "date"}}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	value, from, ok := loaded.Key("model")
	fmt.Println(string(value), from, ok)
	for _, k := range loaded.Keys {
		fmt.Println(k.Name, short(files, k.String()))
	}
	// Output:
	// "large" localSettings true
	// model project/.claude/settings.local.json:1:2
	// model home/.claude/settings.json:1:2
	// statusLine home/.claude/settings.json:1:20
}

// What the variables of the key env, and of the environment, mean for other packages.
func ExampleReadValues() {
	values, problems := settings.ReadValues(func(name string) string { // or os.Getenv
		return map[string]string{"BASH_DEFAULT_TIMEOUT_MS": "300000", "MCP_TIMEOUT": "soon"}[name]
	})
	fmt.Println(values.ShellTimeout, values.MCPBegin)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// 5m0s 0s
	// MCP_TIMEOUT=soon: it must be a number of milliseconds above 0
}

// The hooks of the files, with the variables and limits that the files say.
func ExampleLoaded_HookOptions() {
	files, remove := exampleFiles(map[string]string{
		"home/.claude/settings.json": `{
			"env": {"TEAM": "blue"}, "allowedHttpHookUrls": ["https://hooks.example.com/*"],
			"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./bell.sh"}]}]}
		}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	options := loaded.HookOptions()
	options.Message = func(_ *pegboard.Session, text string) { fmt.Println(text) }
	runner := hooks.New(loaded.Hooks, options) // its Hooks are for pegboard.SessionConfig
	fmt.Println(runner != nil, options.Env, options.AllowedURLs, short(files, options.Project))
	// Output:
	// true map[TEAM:blue] [https://hooks.example.com/*] project
}

// A rule that can match nothing is shown with the warnings, once all tools are there.
func ExampleLoaded_RuleProblems() {
	files, remove := exampleFiles(map[string]string{
		"home/.claude/settings.json": `{"permissions": {"deny": ["Red(.env)", "Write(x)"]}}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	permissions, err := loaded.Permissions()
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: files.Dir, Home: files.Home, Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(tooltest.FakeConfig{Name: "Read"}.New()); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, w := range append(loaded.Warnings, loaded.RuleProblems(pool)...) {
		fmt.Println(short(files, w.String()))
	}
	// Output:
	// home/.claude/settings.json:1:40: deny rule not understood; what it may mean is asked about, as if it were the ask rule Edit(x): rule "Write(x)": no rule on Write is consulted for a path; write Edit(x), which covers every tool that writes
	// home/.claude/settings.json:1:27: deny rule "Red(.env)" from userSettings: there is no tool Red; near names: Read
}

// A person who is refused wants to see the line that refuses.
func ExampleLoaded_RulePosition() {
	files, remove := exampleFiles(map[string]string{
		"home/.claude/settings.json": `{"permissions": {"deny": ["Read(.env)"]}}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	permissions, err := loaded.Permissions()
	if err != nil {
		log.Fatal(err)
	}
	for _, rule := range permissions.Rules() {
		at, _ := loaded.RulePosition(rule)
		fmt.Println(rule, short(files, at.String()))
	}
	// Output:
	// Read(.env) home/.claude/settings.json:1:27
}

// So does one whose call a hook has changed.
func ExampleLoaded_HookPosition() {
	files, remove := exampleFiles(map[string]string{
		"home/.claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard"}]}]}}`,
	})
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, hook := range loaded.Hooks.Match("PreToolUse", "Bash") {
		at, _ := loaded.HookPosition(hook)
		fmt.Println(hook.Command, short(files, at.String()))
	}
	// Output:
	// guard home/.claude/settings.json:1:38
}

// A page of settings shows what counts, and why the rest does not.
func ExampleLoaded_Facts() {
	files, remove := exampleFiles(map[string]string{
		"project/.claude/settings.json": `{"permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}`,
	})
	defer remove() // the user does not trust the project
	loaded, err := files.Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range loaded.Facts() {
		if f.Kind == "rule" {
			fmt.Printf("%s: %v, %q\n", f.Text, f.Counts, f.Why)
		}
	}
	// Output:
	// deny Read(.env): true, ""
	// allow Bash: false, "the project is not trusted"
}
