package agents

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

// Extension is that of agent files.
const Extension = ".md"

// The limits of Load for one tree.
const (
	maxFiles = 2_000
	maxDepth = 16 // folders in folders
)

// Parse reads an agent file: Markdown that begins with a head in YAML, whose body is the
// prompt. origin is the path for messages.
//
// The error is a *SkippedError; then there is no definition. The reasons are a name that is
// missing, begins with "-" or has one of ":(),", no description, YAML that is not understood,
// a wrong value of a key that limits the agent: tools, disallowedTools, permissionMode,
// maxTurns, isolation or hooks, and an unknown key that may be meant to, such as
// disallowed-tools. The problems are about all other keys, which are left out if they are wrong
// or unknown.
//
// Parse takes hooks, mcpServers, memory, color and initialPrompt to Extra; the host decides
// whether they count.
func Parse(data []byte, origin string) (Definition, []Problem, error) {
	return parseFile(data, origin, nil)
}

// A Tree says where the files of [Load] are. The zero value names them by their paths in the
// file system, and takes them as the user's own.
type Tree struct {
	// Path is the directory of the file system, for messages.
	Path string
	// Plugin is the name of the plugin that the files belong to. Then the name of a definition
	// becomes plugin:name, below folders plugin:folder:name, a file without a name has that of
	// the file, and hooks, mcpServers and permissionMode do not count.
	Plugin string
}

// Load reads all files of a tree whose names end in [Extension], folders included, and returns
// their definitions in the byte order of the names. A missing tree has none. Files that cannot
// be used are among the problems with a reason, and so is the later one, in the byte order of
// the paths, of two files with one name. Links to folders are not followed. At most 2,000 files
// are read, of 16 folders in one another.
func Load(fsys fs.FS, t Tree) ([]Definition, []Problem) {
	l := &treeLoader{Tree: t, fsys: fsys, first: map[string]string{}}
	paths := l.find()
	slices.Sort(paths)
	if len(paths) > maxFiles {
		l.skip(".", "there are %d files; at most %d are read", len(paths), maxFiles)
		paths = paths[:maxFiles]
	}
	for _, p := range paths {
		l.load(p)
	}
	slices.SortFunc(l.definitions, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return l.definitions, l.problems
}

// A treeLoader reads the files of a tree.
type treeLoader struct {
	Tree
	fsys        fs.FS
	definitions []Definition
	problems    []Problem
	first       map[string]string // the origins by name
}

// origin returns a path for messages.
func (l *treeLoader) origin(p string) string {
	if l.Path == "" {
		return p
	}
	return filepath.Join(l.Path, filepath.FromSlash(p))
}

func (l *treeLoader) skip(p, format string, args ...any) {
	l.problems = append(l.problems, Problem{Path: l.origin(p), Text: fmt.Sprintf(format, args...), Skipped: true})
}

// find returns the paths of the files.
func (l *treeLoader) find() (paths []string) {
	walk := func(p string, entry fs.DirEntry, err error) error {
		switch {
		case p == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			l.skip(p, "it cannot be read: %v", err)
			return nil
		case entry.IsDir() && strings.Count(p, "/") >= maxDepth:
			l.skip(p, "it is more than %d folders deep", maxDepth)
			return fs.SkipDir
		case !entry.IsDir() && l.isFile(p, entry):
			paths = append(paths, p)
		}
		return nil
	}
	if err := fs.WalkDir(l.fsys, ".", walk); err != nil {
		l.skip(".", "it cannot be read: %v", err)
	}
	return paths
}

// isFile reports whether a path is that of an agent file, maybe through a link.
func (l *treeLoader) isFile(p string, entry fs.DirEntry) bool {
	isLink := entry.Type()&fs.ModeSymlink != 0
	named := path.Ext(p) == Extension
	if !named && !isLink {
		return false
	}
	info, err := fs.Stat(l.fsys, p) // follows links
	switch {
	case err != nil && named:
		l.skip(p, "it cannot be read: %v", err)
	case err != nil:
	case info.IsDir():
		l.skip(p, "it is a link to a folder, which is not followed")
	case named && !info.Mode().IsRegular():
		l.skip(p, "it is no regular file")
	default:
		return named
	}
	return false
}

// load reads one file.
func (l *treeLoader) load(p string) {
	data, err := readFile(l.fsys, p)
	if err != nil {
		l.skip(p, "it cannot be read: %v", err)
		return
	}
	var plugin *pluginFile
	if l.Plugin != "" {
		plugin = &pluginFile{plugin: l.Plugin, path: p}
	}
	d, problems, err := parseFile(data, l.origin(p), plugin)
	l.problems = append(l.problems, problems...)
	var skipped *SkippedError
	if errors.As(err, &skipped) {
		l.problems = append(l.problems, skipped.Problem)
		return
	}
	if first, again := l.first[d.Name]; again {
		l.skip(p, "the name %s is that of %s, too; give one of them another name", d.Name, first)
		return
	}
	l.first[d.Name] = d.Origin
	l.definitions = append(l.definitions, d)
}

// readFile reads a file, up to a byte more than Parse accepts.
func readFile(fsys fs.FS, p string) ([]byte, error) {
	file, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(file, frontmatter.MaxBytes+1))
}

// Merge returns the definitions of several places, each name once: that of the first place that
// has it. They are in the byte order of the names, so that the text of the Agent tool is the
// same in every run.
func Merge(places ...[]Definition) []Definition {
	var all []Definition
	seen := map[string]bool{}
	for _, place := range places {
		for _, d := range place {
			if !seen[d.Name] {
				seen[d.Name] = true
				all = append(all, d)
			}
		}
	}
	slices.SortFunc(all, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
