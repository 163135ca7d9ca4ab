package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type ownInput struct {
	Path string `json:"path"`
}

// own returns a tool of a host that has one path as its target, and does something to it.
func own(access policy.Access, do func(ctx ctx, c *pegboard.Call, path string) error) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[ownInput, string]{
		Info: pegboard.Info{Name: "Own"}, Description: "Does something to a file.",
		Inspect: func(in ownInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: access == policy.Read, Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Access: access, Value: in.Path}}}
		},
		Call: func(ctx context.Context, in ownInput, c *pegboard.Call) (string, error) {
			return "done", do(ctx, c, in.Path)
		},
	})
}

func TestOwnToolsReadWhatWasDecided(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "f", "text")
	link(t, "f", filepath.Join(g.dir, "link"))
	var read string
	tool := own(policy.Read, func(ctx ctx, c *pegboard.Call, path string) error {
		f, err := files.OpenFile(ctx, c, path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		data, err := io.ReadAll(f)
		read = string(data)
		return err
	})
	for _, name := range []string{"f", "link", path} {
		read = ""
		require.NoError(t, tooltest.Run(t.Context(), tool, g.session, fmt.Sprintf(`{"path":%q}`, name)).Err)
		require.Equal(t, "text", read)
	}
	require.ErrorIs(t, tooltest.Run(t.Context(), tool, g.session, `{"path":"none"}`).Err, fs.ErrNotExist)

	swapped := own(policy.Read, func(ctx ctx, c *pegboard.Call, path string) error {
		if err := errors.Join(os.Remove(filepath.Join(g.dir, "f")), os.Symlink("/etc/hostname", filepath.Join(g.dir, "f"))); err != nil {
			return err
		}
		_, err := files.OpenFile(ctx, c, path)
		return err
	})
	require.ErrorContains(t, tooltest.Run(t.Context(), swapped, g.session, `{"path":"f"}`).Err, "leads elsewhere now")
}

// TestAnotherHardLinkOfADeniedFileIsNotOpened: it took the place of the file that was decided.
func TestAnotherHardLinkOfADeniedFileIsNotOpened(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		rule   string
		take   string // what takes the place of f
		linked bool   // as another hard link
		says   string
	}{
		{name: "denied", rule: "Read(secret)", take: "secret", linked: true, says: "leads elsewhere now"},
		{name: "any other with several names", rule: "Read(secret)", take: "g", linked: true, says: "leads elsewhere now"},
		{name: "a new file", rule: "Read(secret)", take: "g"},
		{name: "no rule on files", rule: "WebFetch(domain:x.com)", take: "secret", linked: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			for _, name := range []string{"f", "g", "secret"} {
				g.put(t, name, name)
			}
			at := func(name string) string { return filepath.Join(g.dir, name) }
			p, err := policy.New(policy.ModeBypass, policy.RuleSet{Deny: []string{tc.rule}})
			require.NoError(t, err)
			require.NoError(t, g.session.SetPermissions(p))
			take := os.Rename
			if tc.linked {
				take = os.Link
			}
			for access, open := range map[policy.Access]func(ctx, *pegboard.Call, string) error{
				policy.Read: func(ctx ctx, c *pegboard.Call, path string) error {
					f, err := files.OpenFile(ctx, c, path)
					if err != nil {
						return err
					}
					return f.Close()
				},
				policy.Write: func(ctx ctx, c *pegboard.Call, path string) error {
					return files.UpdateFile(ctx, c, path, func(old []byte) ([]byte, error) { return old, nil })
				},
			} {
				g.put(t, tc.take, tc.take)
				_ = os.Remove(at("f"))
				g.put(t, "f", "f")
				swapped := own(access, func(ctx ctx, c *pegboard.Call, path string) error {
					if err := errors.Join(os.Remove(at("f")), take(at(tc.take), at("f"))); err != nil {
						return err
					}
					return open(ctx, c, path)
				})
				err = tooltest.Run(t.Context(), swapped, g.session, `{"path":"f"}`).Err
				if tc.says == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, tc.says)
				}
			}
		})
	}
}

func TestOwnToolsWriteWhatWasDecided(t *testing.T) {
	t.Parallel()
	create := func(ctx ctx, c *pegboard.Call, path string) error {
		return files.CreateFile(ctx, c, path, []byte("new"))
	}
	write := func(ctx ctx, c *pegboard.Call, path string) error {
		return files.WriteFile(ctx, c, path, []byte("new"))
	}
	update := func(ctx ctx, c *pegboard.Call, path string) error {
		return files.UpdateFile(ctx, c, path, func(old []byte) ([]byte, error) { return append(bytes.Clone(old), "new"...), nil })
	}
	refuse := func(ctx ctx, c *pegboard.Call, path string) error {
		return files.UpdateFile(ctx, c, path, func([]byte) ([]byte, error) { return nil, errors.New("not today") })
	}
	tests := []struct {
		name   string
		do     func(ctx, *pegboard.Call, string) error
		before string // "-": there is no file
		want   string
		says   string
	}{
		{name: "create", do: create, before: "-", want: "new"},
		{name: "create over a file", do: create, before: "old", want: "old", says: "exists already"},
		{name: "create over an empty file", do: create, want: "", says: "exists already"},
		{name: "write anew", do: write, before: "-", want: "new"},
		{name: "write over a file", do: write, before: "old", want: "new"},
		{name: "update", do: update, before: "old", want: "oldnew"},
		{name: "update nothing", do: update, before: "-", want: "new"},
		{name: "refuse", do: refuse, before: "old", want: "old", says: "not today"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			if tc.before != "-" {
				g.put(t, "dir/f", tc.before)
			}
			err := tooltest.Run(t.Context(), own(policy.Write, tc.do), g.session, `{"path":"dir/f"}`).Err
			require.Equal(t, tc.want, content(t, filepath.Join(g.dir, "dir", "f")))
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				require.Equal(t, strings.Contains(tc.says, "exists"), errors.Is(err, fs.ErrExist))
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestOwnToolWritesNothingThatWasSwapped(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "dir/f", "old")
	g.put(t, "other/f", "other")
	tool := own(policy.Write, func(ctx ctx, c *pegboard.Call, path string) error {
		dir := filepath.Join(g.dir, "dir")
		if err := errors.Join(os.Rename(dir, dir+"2"), os.Symlink("other", dir)); err != nil {
			return err
		}
		return files.WriteFile(ctx, c, path, []byte("new"))
	})
	require.Error(t, tooltest.Run(t.Context(), tool, g.session, `{"path":"dir/f"}`).Err)
	require.Equal(t, "other", content(t, filepath.Join(g.dir, "other", "f")))
	require.Equal(t, "old", content(t, filepath.Join(g.dir, "dir2", "f")))
}

func TestUpdatesOfOneFileTakeTurns(t *testing.T) {
	t.Parallel()
	const agents = 20
	g := editable(t)
	tool := own(policy.Write, func(ctx ctx, c *pegboard.Call, path string) error {
		return files.UpdateFile(ctx, c, path, func(old []byte) ([]byte, error) { return append(bytes.Clone(old), 'x'), nil })
	})
	var wg sync.WaitGroup
	for range agents {
		wg.Go(func() {
			if out := tooltest.Run(t.Context(), tool, g.session, `{"path":"f"}`); out.Err != nil {
				t.Error(out.Err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, strings.Repeat("x", agents), content(t, filepath.Join(g.dir, "f")))
}

func TestEditRefusesAFileThatAnOwnToolHasWritten(t *testing.T) {
	t.Parallel()
	g := editable(t)
	const text = "one\ntwo\n"
	write := func(note bool) {
		tool := own(policy.Write, func(ctx ctx, c *pegboard.Call, path string) error {
			if note {
				defer files.Note(c.Session(), path, 0, []byte(text))
			}
			return files.WriteFile(ctx, c, path, []byte(text))
		})
		require.NoError(t, tooltest.Run(t.Context(), tool, g.session, `{"path":"f"}`).Err)
	}
	write(false)
	require.ErrorContains(t, g.edit(t, "f", "one", "1").Err, "was not read", "nobody has said that the model knows the content")
	write(true)
	require.NoError(t, g.edit(t, "f", "one", "1").Err)
	write(true)
	g.put(t, "f", "ONE\nTWO\n")
	require.ErrorContains(t, g.call(t.Context(), t, "Write", map[string]any{"file_path": "f", "content": "x"}).Err, "changed since", "it has other content now")
}

func TestNoteOfAPartThatAToolHasShown(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "f", "one\ntwo\nthree\n")
	files.Note(g.session, "f", 4, []byte("two\n"))
	require.NoError(t, g.edit(t, "f", "two", "2").Err)
	require.ErrorContains(t, g.call(t.Context(), t, "Write", map[string]any{"file_path": "f", "content": "x"}).Err, "in part only")
	files.Note(g.session, "f", 0, []byte("one\n2\nthree\n"))
	require.NoError(t, g.call(t.Context(), t, "Write", map[string]any{"file_path": "f", "content": "x"}).Err)

	g.put(t, "g", "one\n")
	files.Note(g.session, "g", -1, []byte("one\n"))
	files.Note(g.session, "g", math.MaxInt64, []byte("one\n"))
	require.ErrorContains(t, g.call(t.Context(), t, "Write", map[string]any{"file_path": "g", "content": "x"}).Err, "was not read", "no file has bytes there")
}
