package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// The names of the directories of skills in .claude.
const (
	skillsName   = "skills"
	commandsName = "commands"
)

// sharedFolder is the folder of skills that several agents read, in a project and in the home
// directory.
const sharedFolder = ".agents"

// skillOverridesKey is the key of [Loaded.SkillOverrides].
const skillOverridesKey = "skillOverrides"

// maxNested is how many directories below the session's are looked into for skills. Our choice.
const maxNested = 1000

// SkillOptions hold the facts that files of skills do not state. The zero value works.
type SkillOptions struct {
	Plugins []Plugin
	// Bundled are the skills of the host, and Prompts the prompts of MCP servers, which Skills of
	// tools/mcp.Servers returns.
	Bundled, Prompts []skills.Skill
	// Touched are files that were touched, absolute paths: the skills of the directories around
	// them, up to the project's, are read, too. List of [skills.Options] gets them.
	Touched []string
	// Overrides are the visibilities of skills by name, see [Loaded.SkillOverrides]. Skills of
	// plugins have none.
	Overrides map[string]skills.Visibility
}

// Skills are the skills of all places, see [Files.LoadSkills]. The fields are read-only.
type Skills struct {
	// Skills are those that count, each name once, the highest place first.
	Skills []skills.Skill
	// Overridden are those of a name that a higher place has, too.
	Overridden []skills.Skill
	// Problems are the files, and parts of files, that do not count, to show to the user.
	Problems []skills.Problem

	files     Files
	overrides map[string]skills.Visibility
	places    []skillPlace
	trees     []*tree
}

// LoadSkills reads the skills of all places, in this order of precedence:
//
//	managed       .claude/skills of the directories of the managed files
//	user          skills beside the user's settings file
//	project       .claude/skills of each directory from the session's up to the project's
//	nested        .claude/skills around files that were touched
//	directories   .claude/skills of each directory of Flags.Dirs
//	plugins       skills of the directory of each plugin, under the name plugin:skill
//	bundled       Bundled
//	prompts       Prompts, under the name mcp__server__prompt
//
// In a project and in the home directory, .agents/skills follows .claude/skills. At each place the
// files of the directory commands beside skills follow. Without trust, see
// [Files].Trusted, the skills of the project, nested ones and those of Flags.Dirs are loaded,
// but grant nothing, and links in them lead nowhere outside of their directory. So are nested ones
// of another repository and below node_modules in any case. A file that
// cannot be used is a problem, and costs nothing else. The error is that of the context.
func (f Files) LoadSkills(ctx context.Context, o SkillOptions) (*Skills, error) {
	l := &skillLoader{loaded: &Skills{files: f, overrides: maps.Clone(o.Overrides), places: f.skillPlaces(o)}, seen: map[string]bool{}}
	for _, p := range l.loaded.places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.read(p)
	}
	for i := range o.Bundled {
		l.add(o.Bundled[i])
	}
	for i := range o.Prompts {
		l.add(o.Prompts[i])
	}
	for i := range l.loaded.Skills {
		s := &l.loaded.Skills[i]
		if v, ok := o.Overrides[s.Name]; ok && s.Source != skills.SourcePlugin {
			s.Visibility = v
		}
	}
	return l.loaded, nil
}

// SkillsChanged reports whether LoadSkills with these options may find something else in files than
// since, as [Files.AgentsChanged] does for agents. Bundled and Prompts are not compared.
func (f Files) SkillsChanged(since *Skills, o SkillOptions) bool {
	return since == nil || !f.same(since.files) || !maps.Equal(o.Overrides, since.overrides) ||
		!slices.Equal(f.skillPlaces(o), since.places) || slices.ContainsFunc(since.trees, (*tree).changed)
}

// A skillPlace is a directory of skills or of commands.
type skillPlace struct {
	place
	from     skills.Source
	commands bool
	rank     int
}

// skillPlaces returns the directories of all places, from the highest precedence to the lowest.
func (f Files) skillPlaces(o SkillOptions) (all []skillPlace) {
	for _, name := range []string{skillsName, commandsName} {
		var besides []string
		if name == skillsName {
			besides = []string{sharedFolder}
		}
		places := f.places(name, o.Plugins, besides...)
		for _, p := range append(places, f.nestedPlaces(name, places, o.Touched, besides)...) {
			s := skillPlace{place: p, commands: name == commandsName}
			switch {
			case p.plugin != "":
				s.from, s.rank = skills.SourcePlugin, 4
			case p.managed():
				s.from, s.rank = skills.SourceManaged, 0
			case p.source == policy.SourceUser:
				s.from, s.rank = skills.SourceUser, 1
			case p.source == policy.SourceProject:
				s.from, s.rank = skills.SourceProject, 2
			default:
				s.from, s.rank = skills.SourceProject, 3
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b skillPlace) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// nestedPlaces returns the directories called name around files, below the project's directory,
// that are not among the others, in .claude and in the folders besides. Those nearer to the
// project's directory come first.
func (f Files) nestedPlaces(name string, others []place, files, besides []string) (all []place) {
	folders := append([]string{folder}, besides...)
	root := f.projectDir()
	_, home, err := f.sessionDirs()
	if err != nil || root == "" {
		return nil
	}
	seen := map[string]bool{root: true}
	var dirs []string
	for _, file := range files {
		if !filepath.IsAbs(file) || !realpath.Contains(root, file) {
			continue
		}
		for d := filepath.Dir(filepath.Clean(file)); !seen[d] && filepath.Dir(d) != d && len(seen) < maxNested; d = filepath.Dir(d) {
			seen[d] = true
			dirs = append(dirs, d)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	known := map[string]bool{}
	for _, p := range others {
		known[realpath.Resolve(p.path)] = true
	}
	for _, d := range dirs {
		if slices.Contains(folders, filepath.Base(d)) || sameDir(d, home) {
			continue
		}
		for _, in := range folders {
			if path := filepath.Join(d, in, name); !known[realpath.Resolve(path)] {
				all = append(all, place{source: policy.SourceProject, path: path, trusted: f.Trusted && isOwn(root, d)})
			}
		}
	}
	return all
}

// isOwn reports whether a directory below another holds the same author's files, as far as that can
// be seen: it is not in another repository, and not in an installed package.
func isOwn(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && gitrepo.Tree(realpath.Resolve(root)) == gitrepo.Tree(realpath.Resolve(dir)) &&
		!slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "node_modules")
}

// A skillLoader reads the skills of all places.
type skillLoader struct {
	loaded *Skills
	seen   map[string]bool
}

// add adds a skill of a lower place than all before.
func (l *skillLoader) add(s skills.Skill) {
	if l.seen[s.Name] {
		l.loaded.Overridden = append(l.loaded.Overridden, s)
		return
	}
	l.seen[s.Name] = true
	l.loaded.Skills = append(l.loaded.Skills, s)
}

// read reads one directory.
func (l *skillLoader) read(p skillPlace) {
	o := skills.LoadOptions{Dir: p.path, Source: p.from, Trusted: p.trusted, Plugin: p.plugin}
	if p.plugin != "" {
		o.Variables = map[string]string{"CLAUDE_PLUGIN_ROOT": filepath.Dir(p.path)}
	}
	l.loaded.trees = append(l.loaded.trees, newTree(p.path, func(name string) bool { return filepath.Ext(name) == ".md" }))
	tree, closeTree, err := openTree(p.place)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.loaded.Problems = append(l.loaded.Problems, skills.Problem{Path: p.path, Reason: err.Error(), Skipped: true})
		}
		return
	}
	defer closeTree()
	load := skills.Load
	if p.commands {
		load = skills.LoadCommands
	}
	list, problems := load(tree, o)
	l.loaded.Problems = append(l.loaded.Problems, problems...)
	for i := range list {
		l.add(list[i])
	}
}

// openTree opens a directory. A link in the files of an author who is not trusted could show the
// model any file, so that it must stay inside the directory that holds .claude or .agents.
func openTree(p place) (fs.FS, func(), error) {
	if p.trusted {
		return os.DirFS(p.path), func() {}, nil
	}
	root, err := os.OpenRoot(filepath.Dir(filepath.Dir(p.path)))
	if err != nil {
		return nil, nil, err
	}
	return &confinedTree{root, path.Join(filepath.Base(filepath.Dir(p.path)), filepath.Base(p.path))}, func() { _ = root.Close() }, nil
}

// SkillOverrides returns the visibilities of skills that the key skillOverrides sets, the highest
// source first, for [SkillOptions]. A value that does not count gives a warning.
func (l *Loaded) SkillOverrides() (map[string]skills.Visibility, []Warning) {
	all := map[string]skills.Visibility{}
	var warnings []Warning
	for _, k := range l.Keys {
		if k.Name != skillOverridesKey {
			continue
		}
		warn := func(format string, args ...any) {
			warnings = append(warnings, Warning{Position: k.Position, Text: skillOverridesKey + ": " + fmt.Sprintf(format, args...)})
		}
		if !k.Trusted {
			warn("it does not count until the project is trusted")
			continue
		}
		for name, v := range visibilitiesOf(k.Value, warn) {
			if _, known := all[name]; !known {
				all[name] = v
			}
		}
	}
	return all, warnings
}

// visibilitiesOf returns the visibilities in a value of the key. If a value is not
// understood, the skill is switched off.
func visibilitiesOf(value json.RawMessage, warn func(format string, args ...any)) map[string]skills.Visibility {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(value, &values); err != nil {
		warn("it is not an object; it does not count")
		return nil
	}
	_, fault := strictjson.Decode(value, strictjson.Limits{})
	if fault != nil {
		warn("%v; each skill that is named there is switched off", fault)
	}
	all := map[string]skills.Visibility{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var v skills.Visibility
		if err := json.Unmarshal(values[name], &v); err != nil {
			warn("%s: write on, name-only, user-invocable-only or off; the skill is switched off", strictjson.Quote(name))
			v = skills.Off
		}
		if fault != nil {
			v = skills.Off
		}
		all[name] = v
	}
	return all
}
