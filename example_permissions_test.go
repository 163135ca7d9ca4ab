package pegboard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleNewPermissions() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault,
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Edit(src/)"}, Deny: []string{"Edit(.env)"}},
		pegboard.RuleSet{Source: pegboard.SourceProject, Ask: []string{"WebFetch(domain:example.com)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Rules() { // in the order in which they win
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	_, err = pegboard.NewPermissions("yolo")
	fmt.Println(err)
	// Output:
	// deny Edit(.env) from userSettings
	// ask WebFetch(domain:example.com) from projectSettings
	// allow Edit(src/) from userSettings
	// unknown permission mode "yolo"
}

// The first rule that denies a tool as a whole.
func ExamplePermissions_AllRules() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Read"}, Deny: []string{"Edit(.env)", "WebFetch"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range p.AllRules() {
		if r.Behavior != pegboard.Deny {
			break // deny rules come first
		}
		if r.Pattern == "" {
			fmt.Println(r.Tool)
		}
	}
	// Output:
	// WebFetch
}

// A policy gives a directory that no update takes away.
func ExamplePermissions_WithDirectories() {
	p := pegboard.Permissions{}.WithDirectories(pegboard.AddedDirectory{Path: "/srv/data", Source: pegboard.SourcePolicy})
	_, err := p.Apply(pegboard.PermissionUpdate{
		Type: pegboard.UpdateRemoveDirectories, Directories: []string{"/srv/data"}, Destination: pegboard.SourcePolicy,
	})
	fmt.Println(p.Directories(), err)
	// Output:
	// [{/srv/data policySettings}] update removeDirectories: what the policy says cannot be changed here
}

// What a skill allows ends with the turn.
func ExampleSession_NewTurn() {
	session := begin(pegboard.SessionConfig{})
	err := session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.WithRules(pegboard.RuleSet{Source: pegboard.SourceTurn, Allow: []string{"Bash(git status)"}})
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.Permissions().Rules())
	session.NewTurn()
	fmt.Println(session.Permissions().Rules())
	// Output:
	// [Bash(git status)]
	// []
}

// The host decides which lax modes a conversation may ever enter.
func ExamplePermissions_WithAvailable() {
	p := pegboard.Permissions{}
	_, err := p.WithMode(pegboard.ModeAuto)
	fmt.Println(errors.Is(err, pegboard.ErrModeUnavailable))

	p = p.WithAvailable(pegboard.ModeAuto)
	q, err := p.WithMode(pegboard.ModeAuto)
	fmt.Println(q.Mode(), err)
	fmt.Println(p.Offers(pegboard.ModeAuto), p.Offers(pegboard.ModeBypass))
	// Output:
	// true
	// auto <nil>
	// true false
}

// A policy takes modes away for good.
func ExamplePermissions_Without() {
	p, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.Without(pegboard.ModeBypass)
	fmt.Println(p.Mode())
	_, err = p.WithAvailable(pegboard.ModeBypass).WithMode(pegboard.ModeBypass)
	fmt.Println(err)
	// Output:
	// default
	// permission mode not available: the permissions withhold bypassPermissions
}

// An agent's definition may ask for a mode that its parent does not have. The parent's holds.
func ExampleMode_Laxer() {
	parent := begin(pegboard.SessionConfig{}).Permissions().Mode()
	for _, wanted := range []pegboard.Mode{pegboard.ModePlan, pegboard.ModeAcceptEdits} {
		if wanted.Laxer(parent) {
			wanted = parent
		}
		fmt.Println(wanted)
	}
	// Output:
	// plan
	// default
}

// When the user approves a plan, the conversation goes on in the mode it had before.
func ExamplePermissions_AfterPlan() {
	p, err := pegboard.Permissions{}.WithMode(pegboard.ModeAcceptEdits)
	if err != nil {
		fmt.Println(err)
		return
	}
	planning, err := p.WithMode(pegboard.ModePlan)
	fmt.Println(planning.Mode(), err)
	fmt.Println(planning.AfterPlan().Mode())
	// Output:
	// plan <nil>
	// acceptEdits
}

func ExampleSession_SetPermissions() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the user said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "notes.md")

	p, err := s.Permissions().WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Allow: []string{"Edit(notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SetPermissions(p); err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(s, "notes.md")
	// Output:
	// notes.md: deny, the user said no
	// notes.md: allow by Edit(notes.md)
}

// An approval dialog or a hook script describes a change of the permissions in the
// documented form.
func ExamplePermissions_Apply() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Bash(npm test)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := p.Apply(
		pegboard.PermissionUpdate{
			Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: pegboard.SourceSession,
			Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: "npm run *"}},
		},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeBypass, Destination: pegboard.SourceSession}, // it was not available before
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(more.Mode())
	for _, r := range more.Rules() {
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	fmt.Println("and before:", p.Mode(), len(p.Rules()))

	_, err = more.Apply(
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModePlan, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateRemoveRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: " "}}})
	fmt.Println(err)
	// Output:
	// acceptEdits
	// allow Bash(npm test) from userSettings
	// allow Bash(npm run *) from session
	// and before: default 1
	// update removeRules: rule "Bash( )": the parentheses are empty; leave them out to mean the whole tool
}

func ExampleParseRule() {
	for _, text := range []string{"Bash", "Bash(git status)", "Edit(/src/main.go)", "mcp__github__*", "Bash(npm run *)", "Agent(model:opus)", "Bash()"} {
		r, err := pegboard.ParseRule(pegboard.Deny, text)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Printf("%v %s: tool %q, pattern %q\n", r.Behavior, r, r.Tool, r.Pattern)
	}
	// Output:
	// deny Bash: tool "Bash", pattern ""
	// deny Bash(git status): tool "Bash", pattern "git status"
	// deny Edit(/src/main.go): tool "Edit", pattern "/src/main.go"
	// deny mcp__github: tool "mcp__github", pattern ""
	// deny Bash(npm run *): tool "Bash", pattern "npm run *"
	// deny Agent(model:opus): tool "Agent", pattern "model:opus"
	// refused: rule "Bash()": the parentheses are empty; leave them out to mean the whole tool
}

// A log shows of a rule that an answer has made only what tool it is about.
func ExampleRule_Redacted() {
	for _, source := range []pegboard.RuleSource{pegboard.SourceProject, pegboard.SourceSession} {
		fmt.Println(pegboard.Rule{Behavior: pegboard.Allow, Tool: "Bash", Pattern: "git push *", Source: source}.Redacted())
	}
	// Output:
	// Bash(git push *)
	// Bash(…)
}

// A sandbox hides what deny rules name. Where a rule has a wildcard it cannot know all files,
// and has to leave the decision to a person.
func ExampleRule_Place() {
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(//srv/keys/**)", "Read(//srv/*.pem)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	for _, r := range s.Permissions().Rules() {
		path, exact := r.Place()
		fmt.Println(r, path, exact)
	}
	// Output:
	// Read(//srv/keys/**) /srv/keys true
	// Read(//srv/*.pem) /srv false
}

// A rule that names an absolute path has one place, wherever the session has moved.
func ExampleRule_Places() {
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(//srv/keys/**)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	for _, r := range s.Permissions().Rules() {
		fmt.Println(r.Places())
	}
	// Output:
	// [/srv/keys] true
}

// The host rules calls by what they do, whatever the tools are called.
func ExamplePermissions_WithFactRules() {
	p, err := pegboard.Permissions{}.WithFactRules(
		pegboard.FactRule{Behavior: pegboard.Deny, Source: pegboard.SourcePolicy, ReadOnly: pegboard.FactNo, OpenWorld: pegboard.FactYes},
		pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: pegboard.FactYes},
	)

	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.WithTrustedSources("tickets") // its server tells what its tools do
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	tool := func(name string, tr pegboard.Traits) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For an example.", Traits: tr,
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
		})
	}
	var registry pegboard.Registry
	if err := registry.Add(tool("Post", pegboard.Traits{OpenWorld: true})); err != nil {
		fmt.Println(err)
		return
	}
	for _, source := range []string{"tickets", "news"} {
		if _, err := registry.Attach(source, tool("list", pegboard.Traits{ReadOnly: true, OpenWorld: true})); err != nil {
			fmt.Println(err)
			return
		}
	}
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	for _, name := range []string{"Post", "mcp__tickets__list", "mcp__news__list"} {
		d := pool.Decide(context.Background(), pegboard.Call{Name: name})
		fmt.Printf("%s: %v, %s\n", name, d.Behavior, d.Reason)
	}
	// Output:
	// Post: deny, deny rule on calls that are "not read-only, open-world" from policySettings covers it
	// mcp__tickets__list: allow, allow rule on calls that are "read-only" covers it
	// mcp__news__list: deny, deny rule on calls that are "not read-only, open-world" from policySettings covers it
}

// A page of settings shows what decides calls beside the rules on tools.
func ExamplePermissions_FactRules() {
	p, err := pegboard.Permissions{}.WithFactRules(
		pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: pegboard.FactYes},
		pegboard.FactRule{Behavior: pegboard.Deny, Source: pegboard.SourcePolicy, Destructive: pegboard.FactYes},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.WithTrustedSources("tickets", "calendar")
	for _, r := range p.FactRules() {
		fmt.Printf("%v: %v\n", r.Behavior, r)
	}
	fmt.Println("trusted:", p.TrustedSources())
	// Output:
	// deny: destructive
	// allow: read-only
	// trusted: [calendar tickets]
}

// A log that must not contain inputs writes the classes of targets.
func ExampleTarget_Class() {
	fmt.Println(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "notes/diary.md"}.Class())
	fmt.Println(pegboard.Target{Kind: pegboard.TargetPath, Value: "out", Shell: pegboard.ShellFacts{Guess: true}}.Class())
	// Output:
	// path:read
	// path:write?
}

// What would become of a call, and by which rule, can be asked without making it.
func ExamplePool_ExplainDecision() {
	p, err := pegboard.NewPermissions(pegboard.ModeDontAsk,
		pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"Deploy(to:production)"}},
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Deploy"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(pool.ExplainDecision(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"to":"production"}`)}))

	// The reasons take time to collect. What cannot be read is denied.
	decision := pool.Decide(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"place":"test"}`)})
	fmt.Println(decision.Behavior)
	// Output:
	// deny: deny rule "Deploy(to:production)" from policySettings is about it
	// = deny: deny rule "Deploy(to:production)" from policySettings covers it
	// deny
}

// A tool that runs something in a sandbox says so in its traits: the sandbox is why the call
// may run, although no rule allows it.
func ExampleCall_Decision() {
	build := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Build"},
		Description: "Builds the project in a container.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Sandboxed: true}
		},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Decision().Reason, nil
		},
	})
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(build); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	fmt.Println(executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Build"})[0].Result.Text())
	// Output: it runs in a sandbox, inside the working directories
}

// A person allowed the call before the program was restarted. It runs without a second
// question.
func ExampleForceDecision() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	deploy := pegboard.Call{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)}
	for _, c := range []pegboard.Call{
		deploy,
		pegboard.ForceDecision(deploy, pegboard.Allow, "approved before the restart"),
		pegboard.ForceDecision(deploy, pegboard.Deny, "not on a Friday"),
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%v by %v: %s\n", d.Behavior, d.By, d.Reason)
	}
	// Output:
	// deny by nobody: no rule allows it: Deploy wants to do something unknown, and nobody can be asked; the allow rule Deploy would permit it
	// allow by caller: the caller: approved before the restart
	// deny by caller: not on a Friday
}

// The program has its own word about every call, also where a rule allows it.
func ExampleGuard() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Deploy", "Write"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Guard: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			if q.Call.Name == "Deploy" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the budget of this month is spent"}, nil
			}
			return pegboard.Decision{}, nil // as it was decided
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)},
		{ID: "2", Name: "Write", Input: []byte(`{"file":"a.md"}`)},
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%s: %v by %v: %s\n", c.Name, d.Behavior, d.By, d.Reason)
	}
	// Output:
	// Deploy: deny by guard: the budget of this month is spent
	// Write: allow by rule: allow rule "Write" covers it
}

// In auto mode a classifier stands in the place of the person, who is asked where
// it has no answer.
func ExampleClassifier() {
	p, err := pegboard.NewPermissions(pegboard.ModeAuto, pegboard.RuleSet{Ask: []string{"Edit(./notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Classifier: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			if q.Call.Name == "Deploy" && q.ClassifierInput == "to production" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "nothing leaves this machine"}, nil
			}
			return pegboard.Decision{}, nil // the person shall say
		},
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the person said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{Name: "Write", Input: []byte(`{"file":"drafts/a.md"}`)}, // an edit, inside the working directory
		{Name: "Deploy", Input: []byte(`{"to":"production"}`)},
		{Name: "Write", Input: []byte(`{"file":"notes.md"}`)}, // an ask rule is for the person
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%s: %v, %s\n", c.Name, d.Behavior, d.Reason)
	}
	// Output:
	// Write: allow, mode auto permits edits inside the working directories
	// Deploy: deny, the classifier: nothing leaves this machine
	// Write: deny, the person said no
}

// A classifier of the host asks the default one first, which calls no model.
func ExampleClassifyByTargets() {
	classify := func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
		if d, err := pegboard.ClassifyByTargets(ctx, q); err != nil || d.Behavior == pegboard.Deny {
			return d, err
		}
		return pegboard.Decision{Behavior: pegboard.Allow, Reason: "a model found no harm in it"}, nil
	}
	for _, targets := range [][]pegboard.Target{
		{{Kind: pegboard.TargetPath, Value: "drafts"}},
		{{Kind: pegboard.TargetPath, Value: "/home/ada", Tree: true, AskReason: "it removes a home directory"}},
	} {
		d, err := classify(context.Background(), &pegboard.Question{Targets: targets})
		fmt.Println(d.Behavior, d.Reason, err)
	}
	// Output:
	// allow a model found no harm in it <nil>
	// deny it removes a home directory <nil>
}

// Once all tools are there, a host shows the rules that its user has misspelt.
func ExamplePool_RuleProblems() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault,
		pegboard.RuleSet{Source: pegboard.SourceUser, Deny: []string{"Deploy(too:production)", "deploy"}, Allow: []string{"Deploy"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, problem := range pool.RuleProblems() {
		fmt.Println(problem.Rule, problem.Near)
	}
	// Output:
	// Deploy(too:production) [to]
	// deploy [Deploy]
}
