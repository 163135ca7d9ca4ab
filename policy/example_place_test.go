package policy_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/policy"
)

// tree makes a directory for an example, with two directories in it.
func tree() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	for _, name := range []string{"web", "store"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// A path means what it means in the working directory of its call.
func ExampleDirs_Place() {
	here, err := policy.Dirs{Dir: "/usr", More: []string{"/etc"}, Home: "/home/ada"}.Place()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(here.Dir(), here.Home(), here.Short("/usr/share/doc"))
	for _, t := range here.Resolve([]policy.Target{policy.Reads("share/../local"), policy.Writes("~/notes"), policy.Reaches("https://EXAMPLE.com/x")}) {
		fmt.Println(t)
	}
	_, err = policy.Dirs{Dir: "/no/such/directory"}.Place()
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output:
	// /usr /home/ada share/doc
	// read /usr/local
	// write /home/ada/notes
	// read example.com
	// true
}

// What a tool has stored for the model may be read, although it lies elsewhere.
func ExamplePlace_AddReadable() {
	dir, remove := tree()
	defer remove()
	here := placeOf(filepath.Join(dir, "web"))
	r := policy.Request{
		Tool: policy.Builtin("Show"), Facts: policy.Facts{ReadOnly: true}, Place: here,
		Targets: []policy.Target{policy.Reads(filepath.Join(dir, "store", "result.txt"))},
	}
	fmt.Println(policy.Permissions{}.Decide(context.Background(), r).Behavior)
	here.AddReadable(filepath.Join(dir, "store"))
	fmt.Println(policy.Permissions{}.Decide(context.Background(), r).Behavior)
	// Output:
	// ask
	// allow
}

// A sub-agent works in a directory of its parent, and may do nothing that its parent may not.
func ExamplePermissions_Fork() {
	dir, remove := tree()
	defer remove()
	parent, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Bash(rm *)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	parent = parent.In(placeOf(dir))
	there, err := parent.Fork(policy.Dirs{Dir: filepath.Join(dir, "web"), Home: parent.Place().Home()})
	if err != nil {
		fmt.Println(err)
		return
	}
	child, err := policy.New("", policy.RuleSet{Deny: []string{"WebFetch"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("of its own:", child.Mode(), "below its parent:", child.Inherit(parent).Mode())
	both := parent.Narrow(child.In(there))
	fmt.Println(both.Modes(), both.Rules(), len(both.WorkDirs()))

	lax, err := policy.New(policy.ModeBypass)
	fmt.Println(parent.CheckChild(lax), err)
	_, err = both.Fork(policy.Dirs{Dir: filepath.Join(dir, "store")})
	fmt.Println(errors.Is(err, policy.ErrOutside))
	// Output:
	// of its own: default below its parent: acceptEdits
	// [acceptEdits] [WebFetch Bash(rm *)] 1
	// mode bypassPermissions is laxer than the parent's mode acceptEdits <nil>
	// true
}

// After the cd of a shell, a relative path means another file, and rules mean the same.
func ExamplePermissions_Chdir() {
	dir, remove := tree()
	defer remove()
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(/secret)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	perms = perms.In(placeOf(dir))
	web, err := perms.Chdir("web")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(web.Cwd()), web.Dir() == dir)
	for _, name := range []string{"secret", "../secret"} {
		r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes(name)}, Place: web}
		fmt.Println(name, perms.Decide(context.Background(), r).Behavior)
	}
	// Output:
	// web true
	// secret allow
	// ../secret deny
}

// After a move, a deny rule is about the file here and about the one there.
func ExamplePermissions_Move() {
	dir, remove := tree()
	defer remove()
	perms, err := policy.New(policy.ModeBypass, policy.RuleSet{Deny: []string{"Edit(./secret)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	perms = perms.In(placeOf(dir))
	web, err := perms.Move("web", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, moved := perms.Place(), perms.In(web)
	for _, p := range []policy.Permissions{moved, moved.OnlyIn(before)} {
		for _, name := range []string{"secret", "web/secret"} {
			r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes(filepath.Join(dir, name))}, Place: p.Place()}
			fmt.Println(name, p.Decide(context.Background(), r).Behavior)
		}
	}

	// A rule that was asked about before the move means the directory of that time.
	later, err := moved.WithRules(policy.RuleSet{Ask: []string{"Edit(./notes)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := later.AddedAt(before, moved).In(web).Rules()
	paths, _ := rules[len(rules)-1].Places()
	fmt.Println(before.Short(paths[0]))
	// Output:
	// secret deny
	// web/secret deny
	// secret deny
	// web/secret allow
	// notes
}

// A tool that opens files itself opens what was decided.
func ExamplePermissions_Resolve() {
	dir, remove := tree()
	defer remove()
	if err := os.Symlink("store", filepath.Join(dir, "link")); err != nil {
		fmt.Println(err)
		return
	}
	perms := policy.Permissions{}.In(placeOf(dir))
	targets := perms.Resolve([]policy.Target{policy.Reads("link/a.txt")})
	r := policy.Request{Tool: policy.Builtin("Show"), Facts: policy.Facts{ReadOnly: true}, Targets: targets, Place: perms.Place()}
	if perms.Decide(context.Background(), r).Behavior == policy.Allow {
		fmt.Println("open", perms.Place().Short(targets[0].Real()))
	}
	// Output: open store/a.txt
}
