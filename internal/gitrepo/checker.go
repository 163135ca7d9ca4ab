package gitrepo

import (
	"fmt"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxRepositories limits the repositories checked for one command. Submodules are
// repositories too, and git enters them.
const maxRepositories = 50

// A checker checks repositories, each once.
type checker struct {
	seen map[string]bool // checked repositories, by folder and working tree
}

// checkDirectory checks the repositories that git may find in a directory. found says that
// every version of git uses one of them, so that git looks no further up. A repository
// that only some versions accept is checked as well, so the result does not depend on the
// exact conditions of a version.
func (c *checker) checkDirectory(at string) (found bool, err error) {
	folder, err := folderOf(at)
	if err != nil {
		return false, err
	}
	if folder != "" {
		if err := c.checkRepository(folder, at); err != nil || isCertainlyRepository(folder) {
			return true, err
		}
	}
	if !mayBeRepository(at) {
		return false, nil
	}
	return isCertainlyRepository(at), c.checkRepository(at, "")
}

// checkRepository checks the files that git reads in the folder of a repository and in
// those of its submodules. tree is the directory of the checked-out files, or empty for a
// bare repository.
func (c *checker) checkRepository(folder, tree string) error {
	if c.seen[folder+"\x00"+tree] {
		return nil
	}
	c.seen[folder+"\x00"+tree] = true
	if len(c.seen) > maxRepositories {
		return fmt.Errorf("the repository has more than %d submodules, too many to look at", maxRepositories)
	}
	shared, err := sharedFolder(folder)
	if err != nil {
		return err
	}
	entries, err := configuration(shared, folder)
	if err != nil {
		return err
	}
	r := repository{folder: folder, shared: shared, tree: tree}
	for _, e := range entries {
		if err := r.checkSetting(e); err != nil {
			return err
		}
	}
	if err := r.checkOwner(entries); err != nil {
		return err
	}
	if err := r.checkContained(); err != nil {
		return err
	}
	if err := refuseHooks(filepath.Join(shared, "hooks")); err != nil || tree == "" {
		return err
	}
	return c.checkSubmodules(r, hashSize(entries))
}

// checkSubmodules checks the repositories of submodules: git runs status in each one that
// the index has an entry for.
func (c *checker) checkSubmodules(r repository, hash int) error {
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
		if err := c.checkRepository(folder, realpath.Resolve(at)); err != nil {
			return err
		}
	}
	return nil
}
