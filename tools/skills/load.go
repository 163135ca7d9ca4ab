package skills

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// maxFiles is how many skills of one directory are read. Our choice: a model cannot be told of
// more.
const maxFiles = 1000

// LoadOptions describe the skills of a directory. The zero value trusts nothing.
type LoadOptions struct {
	// Dir is the absolute path of the directory that the file system stands for. Empty means
	// that the model cannot read files of the skills.
	Dir     string
	Source  Source
	Trusted bool
	// Plugin is put before each name, with a colon. Empty means none.
	Plugin string
	// Variables are set in each skill, see [Skill].
	Variables map[string]string
}

// Load reads the skills of a directory: each is a directory with a file SKILL.md. They are
// sorted by the names of their directories. Of two skills with the same name the first is
// returned, and the other is a problem. A directory that does not exist has no skills.
func Load(fsys fs.FS, o LoadOptions) ([]Skill, []Problem) {
	l := &loader{LoadOptions: o, fsys: fsys, seen: map[string]string{}}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		l.unreadable(".", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := fs.Stat(fsys, e.Name()); err != nil || !info.IsDir() {
			continue
		}
		l.load(path.Join(e.Name(), skillFile), "")
	}
	return l.skills, l.problems
}

// LoadCommands reads the files of a directory whose names end in .md, as the directory commands
// has them. A file in a folder has the name folder:file. It is otherwise like [Load].
func LoadCommands(fsys fs.FS, o LoadOptions) ([]Skill, []Problem) {
	l := &loader{LoadOptions: o, fsys: fsys, seen: map[string]string{}, commands: true}
	_ = fs.WalkDir(fsys, ".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.unreadable(file, err)
			return nil
		case e.IsDir() && file != "." && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(file, ".md") || strings.HasPrefix(e.Name(), "."):
			return nil
		}
		if folder := path.Dir(file); folder != "." {
			l.load(file, strings.ReplaceAll(folder, "/", ":"))
			return nil
		}
		l.load(file, "")
		return nil
	})
	return l.skills, l.problems
}

// A loader reads the skills of one directory.
type loader struct {
	LoadOptions
	fsys     fs.FS
	skills   []Skill
	problems []Problem
	seen     map[string]string // paths by name
	commands bool              // the files are those of the directory commands
	tooMany  bool
}

func (l *loader) skip(file, format string, args ...any) {
	l.problems = append(l.problems, Problem{Path: l.place(file), Reason: fmt.Sprintf(format, args...), Skipped: true})
}

// unreadable notes a file or directory that cannot be read. A missing one is not noted.
func (l *loader) unreadable(file string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		l.skip(file, "%v", err)
	}
}

// place returns the path of a file for messages.
func (l *loader) place(file string) string {
	if l.Dir == "" {
		return file
	}
	return filepath.Join(l.Dir, filepath.FromSlash(file))
}

// load reads one file, whose name gets a prefix.
func (l *loader) load(file, folder string) {
	data, err := l.readFile(file)
	if err != nil {
		l.unreadable(file, err)
		return
	}
	if len(l.skills) >= maxFiles {
		if !l.tooMany {
			l.skip(file, "there are more than %d skills in the directory; this one and those after it are not read", maxFiles)
		}
		l.tooMany = true
		return
	}
	s, problems, err := Parse(file, data)
	for _, p := range problems {
		p.Path = l.place(file)
		l.problems = append(l.problems, p)
	}
	if err != nil {
		l.skip(file, "%v", errors.Unwrap(err))
		return
	}
	for _, prefix := range []string{folder, l.Plugin} {
		if strings.ContainsFunc(prefix, func(c rune) bool { return c != '-' && c != '.' && c != ':' && !isWordRune(c) }) {
			l.skip(file, "%s cannot be part of a name; write letters, digits and hyphens", strictjson.Quote(prefix))
			return
		}
		if prefix != "" {
			s.Name = prefix + ":" + s.Name
		}
	}
	if first, twice := l.seen[s.Name]; twice {
		l.skip(file, "the name %s is that of %s, too", s.Name, first)
		return
	}
	l.seen[s.Name] = l.place(file)
	s.Origin, s.Source, s.Trusted, s.Variables = l.place(file), l.Source, l.Trusted, l.Variables
	if l.Dir != "" && !l.commands {
		s.Dir = filepath.Dir(s.Origin)
	}
	l.skills = append(l.skills, s)
}

// readFile returns the beginning of a regular file, one byte more than a file may have at most.
func (l *loader) readFile(file string) ([]byte, error) {
	info, err := fs.Stat(l.fsys, file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file")
	}
	f, err := l.fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, frontmatter.MaxBytes+1))
}

// A Problem is something in a file that has no effect, or that keeps the file from being used.
type Problem struct {
	Path    string // in the file system, or absolute
	Reason  string
	Skipped bool // the file is not used at all
}

// String returns the path and the reason.
func (p Problem) String() string { return p.Path + ": " + p.Reason }
