package settings_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

const (
	roleName = "SETTINGS_TEST_ROLE" // what the test binary does instead of testing
	fileName = "SETTINGS_TEST_FILE" // to which local file
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		if err := play(role, os.Getenv(fileName)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rulesAdded is how many rules a process adds.
const rulesAdded = 100

// play makes the test binary a program that saves rules, and says of each that it
// is saved.
func play(role, path string) error {
	f := settings.Files{Local: path, Dir: filepath.Dir(filepath.Dir(path)), OnSetAside: func(*settings.SetAsideError) {}}
	if role == "reload" {
		return reload(f)
	}
	if role == "add later" {
		fmt.Println("ready")
	}
	for i := 0; role != "add" || i < rulesAdded; i++ {
		rule := fmt.Sprintf("p%d-%d", os.Getpid(), i)
		if err := f.Save(context.Background(), []policy.Update{add(policy.Allow, local, bash(rule))}); err != nil {
			return err
		}
		fmt.Println(rule)
	}
	return nil
}

// reload makes the test binary a program that loads files, waits for the end of its input, saves
// rules and approvals, and reloads the files whenever another program has changed them, which it
// awaits. It fails if it ever loads less than it saved.
func reload(f settings.Files) error {
	f = settings.Locate(f.Dir, filepath.Join(f.Dir, "home")) // to know its own saves
	f.Managed, f.Trusted = nil, true
	ctx := context.Background()
	loaded, err := f.Load(ctx)
	if err != nil {
		return err
	}
	fmt.Println("loaded")
	_, _ = io.Copy(io.Discard, os.Stdin)
	name, changed, began := "", false, time.Now()
	for i := 0; i < rulesAdded || !changed; i++ {
		if time.Since(began) > time.Minute {
			return errors.New("the other program has not saved anything")
		}
		if i < rulesAdded {
			name = fmt.Sprintf("p%d-%d", os.Getpid(), i)
			if err := f.Save(ctx, []policy.Update{add(policy.Allow, local, bash(name))}); err != nil {
				return err
			}
			if err := f.Approve(ctx, name, i%2 == 0); err != nil {
				return err
			}
		} else {
			time.Sleep(time.Millisecond) // no more is known of another process
		}
		if !f.Changed(loaded) {
			continue
		}
		changed = true
		if loaded, err = f.Load(ctx); err != nil {
			return err
		}
		if !slices.Contains(loaded.Rules[0].Allow, "Bash("+name+")") || !strings.Contains(settings.Explain(loaded), name) {
			return fmt.Errorf("%s was saved and is not loaded", name)
		}
	}
	return nil
}

const (
	local   = policy.SourceLocal
	project = policy.SourceProject
	user    = policy.SourceUser
)

func bash(command string) policy.UpdateRule {
	return policy.UpdateRule{Tool: "Bash", Pattern: command}
}

func tool(name string) policy.UpdateRule {
	return policy.UpdateRule{Tool: name}
}

func edit(path string) policy.UpdateRule {
	return policy.UpdateRule{Tool: "Edit", Pattern: path}
}

func change(how policy.UpdateType, b policy.Behavior, to policy.Source, rules ...policy.UpdateRule) policy.Update {
	return policy.Update{Type: how, Behavior: b, Rules: rules, Destination: to}
}

func add(b policy.Behavior, to policy.Source, rules ...policy.UpdateRule) policy.Update {
	return change(policy.AddRules, b, to, rules...)
}

func setMode(m policy.Mode, to policy.Source) policy.Update {
	return policy.Update{Type: policy.SetMode, Mode: m, Destination: to}
}

func directories(how policy.UpdateType, to policy.Source, dirs ...string) policy.Update {
	return policy.Update{Type: how, Directories: dirs, Destination: to}
}

// files returns those of a project and a home of their own, which exist.
func files(t testing.TB) settings.Files {
	t.Helper()
	base := realpath.Resolve(t.TempDir())
	dir, home := filepath.Join(base, "project"), filepath.Join(base, "home")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Mkdir(home, 0o755))
	f := settings.Locate(dir, home)
	f.Managed = nil // not those of this machine
	f.Lookup = func(string) (string, bool) { return "", false }
	f.TrustedLocal = true // the tests write it, as its user
	return f
}

func write(t testing.TB, path, data string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func save(t testing.TB, f settings.Files, updates ...policy.Update) {
	t.Helper()
	require.NoError(t, f.Save(t.Context(), updates))
}

func load(t testing.TB, f settings.Files) *settings.Loaded {
	t.Helper()
	l, err := f.Load(t.Context())
	require.NoError(t, err)
	return l
}

// names returns what is in a directory, nothing if it does not exist.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, _ := os.ReadDir(dir)
	found := []string{}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}
