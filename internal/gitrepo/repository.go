package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Limits on what is read of a file, in bytes.
const (
	maxConfig = 1 << 20
	maxSmall  = 64 << 10 // HEAD, .git, commondir
)

// repository checks what git reads in the folder of a repository, and what it
// reads in those of the submodules. tree is the directory of the checked out
// files, empty for a repository without one.
func (c *checker) repository(folder, tree string) error {
	if c.seen[folder+"\x00"+tree] {
		return nil
	}
	c.seen[folder+"\x00"+tree] = true
	if len(c.seen) > maxRepositories {
		return fmt.Errorf("the repository has more than %d submodules, too many to look at", maxRepositories)
	}
	shared, err := common(folder)
	if err != nil {
		return err
	}
	entries, err := configuration(shared, folder)
	if err != nil {
		return err
	}
	r := repository{folder: folder, shared: shared, tree: tree}
	for _, e := range entries {
		if err := r.judge(e); err != nil {
			return err
		}
	}
	if err := r.belongs(entries); err != nil {
		return err
	}
	if err := r.contained(); err != nil {
		return err
	}
	if err := refuseHooks(filepath.Join(shared, "hooks")); err != nil || tree == "" {
		return err
	}
	return c.submodules(r, hashSize(entries))
}

// A repository is what a setting may refer to.
type repository struct {
	folder string // where HEAD and the index are
	shared string // where the configuration is: folder, but for linked worktrees
	tree   string // where the files are, or empty
}

// A setting is an entry, and where it stands.
type setting struct {
	entry
	file string
}

// configuration reads the files of configuration that git may read.
func configuration(shared, folder string) ([]setting, error) {
	var all []setting
	for _, name := range []string{
		filepath.Join(shared, "config"),
		filepath.Join(shared, "config.worktree"),
		filepath.Join(folder, "config.worktree"),
	} {
		text, err := read(name, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := parseConfig(text)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be understood: %w", name, err)
		}
		for _, e := range entries {
			all = append(all, setting{entry: e, file: name})
		}
	}
	return all, nil
}

// hashSize is the length of the names of objects in bytes.
func hashSize(entries []setting) int {
	for _, e := range entries {
		if e.key == "extensions.objectformat" && strings.EqualFold(e.value, "sha256") {
			return 32
		}
	}
	return 20
}

// refuseHooks looks for hooks that reading runs. Git runs post-index-change when
// it has refreshed the index; Microsoft's git runs the two others around every
// command.
func refuseHooks(dir string) error {
	for _, name := range []string{"post-index-change", "pre-command", "post-command"} {
		for _, suffix := range []string{"", ".exe"} {
			if hook := filepath.Join(dir, name+suffix); exists(hook) {
				return fmt.Errorf("the hook %s may run", hook)
			}
		}
	}
	return nil
}

// submodules checks the repositories in the working tree that git goes into: it
// asks for the status of each one that the index has an entry for.
func (c *checker) submodules(r repository, hash int) error {
	names, err := gitlinks(r.folder, hash)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := filepath.Join(r.tree, filepath.FromSlash(name.path))
		if !filepath.IsLocal(filepath.FromSlash(name.path)) {
			return fmt.Errorf("the index of %s names %q, which is outside", r.folder, name.path)
		}
		if name.sparse {
			if exists(at) {
				return fmt.Errorf("the index of %s leaves out %s, which is there", r.folder, name.path)
			}
			continue
		}
		folder, err := folderOf(at)
		if err != nil {
			return err
		}
		if folder == "" {
			continue
		}
		if err := c.repository(folder, realpath.Resolve(at)); err != nil {
			return err
		}
	}
	return nil
}

// read returns the text of a regular file of up to limit bytes.
func read(name string, limit int64) (string, error) {
	f, err := open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > limit {
		return "", fmt.Errorf("%s is larger than %d bytes, too large to look at", name, limit)
	}
	return string(data), nil
}

// open opens a regular file, through links.
func open(name string) (*os.File, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	f, err := realpath.Open(realpath.Resolve(name))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return f, nil
}
