package settings_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// exampleSkills makes a home directory with one skill and one override.
func exampleSkills() (files settings.Files, remove func()) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(home, "work")
	for path, text := range map[string]string{
		filepath.Join(home, ".claude", "skills", "commit", "SKILL.md"): "---\ndescription: Commits the changes.\n---\nCommit them.\n",
		filepath.Join(home, ".claude", "settings.json"):                `{"skillOverrides": {"commit": "name-only"}}`,
		filepath.Join(dir, ".claude", "commands", "deploy.md"):         "---\nallowed-tools: Bash\n---\nDeploy $0.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	files = settings.Locate(dir, home)
	files.Managed = nil
	return files, func() { _ = os.RemoveAll(home) }
}

func ExampleFiles_LoadSkills() {
	files, remove := exampleSkills()
	defer remove()
	k, err := skills.New(skills.Options{List: func(_ *pegboard.Session, touched []string) []skills.Skill {
		found, err := files.LoadSkills(context.Background(), settings.SkillOptions{Touched: touched})
		if err != nil {
			return nil
		}
		return found.Skills
	}})
	if err != nil {
		panic(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: files.Dir, Home: files.Home, Hooks: k.Hooks()})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	for _, skill := range k.List(s) {
		fmt.Println(skill.Name, skill.Source, "trusted:", skill.Trusted)
	}
	// Output:
	// commit user trusted: true
	// deploy project trusted: false
}

func ExampleLoaded_SkillOverrides() {
	files, remove := exampleSkills()
	defer remove()
	loaded, err := files.Load(context.Background())
	if err != nil {
		panic(err)
	}
	overrides, warnings := loaded.SkillOverrides()
	fmt.Println(overrides["commit"], len(warnings))
	// Output: name-only 0
}

func ExampleFiles_SkillsChanged() {
	files, remove := exampleSkills()
	defer remove()
	found, err := files.LoadSkills(context.Background(), settings.SkillOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(files.SkillsChanged(found, settings.SkillOptions{}))
	if err := os.Remove(filepath.Join(files.Dir, ".claude", "commands", "deploy.md")); err != nil {
		panic(err)
	}
	fmt.Println(files.SkillsChanged(found, settings.SkillOptions{}))
	// Output:
	// false
	// true
}
