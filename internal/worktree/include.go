package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// includeName is the file that names further files of a working tree, in the syntax of
// .gitignore.
const includeName = ".worktreeinclude"

// The limits of copying.
const (
	maxIncluded      = 10_000    // files
	maxIncludedBytes = 512 << 20 // of all files together
	maxSkipped       = 20        // reasons
)

// include copies the files that .worktreeinclude names and that git ignores to a worktree.
// Files that are there stay as they are. Links are not copied, and none is followed.
func (r *repository) include(ctx context.Context, path string, mayRead func(string) bool) (included, skipped []string) {
	c := copier{mayRead: mayRead, left: maxIncludedBytes}
	if err := c.copyAll(ctx, r, path); err != nil {
		c.skip(includeName, err)
	}
	return c.included, c.skipped
}

// A copier copies files from one working tree to another.
type copier struct {
	mayRead           func(string) bool
	from, to          *os.Root
	left              int64 // bytes that may still be copied
	included, skipped []string
}

func (c *copier) skip(name string, reason error) {
	if len(c.skipped) < maxSkipped {
		c.skipped = append(c.skipped, name+": "+reason.Error())
	} else if len(c.skipped) == maxSkipped {
		c.skipped = append(c.skipped, "and more")
	}
}

func (c *copier) copyAll(ctx context.Context, r *repository, path string) (err error) {
	names, err := r.included(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	if c.mayRead == nil {
		return errors.New("nothing may be read")
	}
	if c.from, err = os.OpenRoot(r.top); err != nil {
		return err
	}
	defer func() { _ = c.from.Close() }()
	if c.to, err = os.OpenRoot(path); err != nil {
		return err
	}
	defer func() { _ = c.to.Close() }()
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(c.included) == maxIncluded {
			return fmt.Errorf("it names more than %d files", maxIncluded)
		}
		if !c.mayRead(filepath.Join(r.top, name)) {
			c.skip(name, errors.New("it may not be read"))
		} else if err := c.copyFile(r.top, name); err != nil {
			c.skip(name, err)
		} else {
			c.included = append(c.included, name)
		}
	}
	return nil
}

// included returns the files that .worktreeinclude names and git ignores.
func (r *repository) included(ctx context.Context) ([]string, error) {
	file := filepath.Join(r.top, includeName)
	if fi, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil || !fi.Mode().IsRegular() {
		return nil, errors.New("not a regular file that can be read")
	}
	at := *r
	at.dir = r.top
	named, err := at.git(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+file)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	ignored, err := at.gitWith(ctx, named, "check-ignore", "-z", "--stdin")
	if failed := (*gitError)(nil); errors.As(err, &failed) && failed.code == 1 {
		return nil, nil // none
	} else if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(string(ignored), "\x00") {
		own := strings.Contains("/"+name, "/"+Folder+"/")
		if name = filepath.FromSlash(name); name != "" && !own && filepath.IsLocal(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// copyFile copies one regular file.
func (c *copier) copyFile(top, name string) error {
	in, err := realpath.Open(filepath.Join(top, name)) // no link, nor one on the way
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if info.Size() > c.left {
		return fmt.Errorf("the files are larger than %d bytes together", int64(maxIncludedBytes))
	}
	if err := c.to.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	out, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, c.left))
	c.left -= n
	if err := errors.Join(err, out.Close()); err != nil {
		_ = c.to.Remove(name)
		return err
	}
	return nil
}
