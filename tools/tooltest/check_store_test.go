package tooltest_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func (b badStore) check(t *testing.T) {
	t.Helper()
	b.checker.Large = large
	open := b.open
	if open == nil {
		open = storesOver(newPlace(), b.change)
	}
	err := b.checker.Check(open)
	require.ElementsMatch(t, b.rules, rulesOf(t, err), "%v", err)
	require.ErrorContains(t, err, b.got)
}

func TestCheckStoreFindsBadStores(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(badStores(t), storesThatCrash()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
		})
	}
}

func TestCheckStoreFindsStoresThatHang(t *testing.T) {
	t.Parallel()
	for i, tt := range storesThatHang(nil) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				storesThatHang(release)[i].check(t)
				close(release)
				time.Sleep(time.Hour) // so that what hung has ended
			})
		})
	}
}

func TestCheckStoreRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range slices.Concat(badStores(t), storesThatCrash(), storesThatHang(nil)) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "check_store.go", tooltest.StoreRules(), broken)
}

// requireRules expects that each rule has a purpose, an item in the comments of a file, and
// something bad that breaks it.
func requireRules(t *testing.T, file string, purposes map[string]string, broken map[string]bool) {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^//  \d+\. ([^:]+):`).FindAllStringSubmatch(string(source), -1) {
		listed = append(listed, strings.ToLower(m[1]))
	}
	lower := map[string]bool{}
	for rule, why := range purposes {
		require.NotEmpty(t, why, rule)
		require.True(t, broken[rule], "nothing bad breaks the rule %q", rule)
		lower[strings.ToLower(rule)] = true
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(lower)), listed)
}

func TestCheckStorePassesAGoodStore(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckStore(storesOver(newPlace(), nil)))
}

// TestDirStoreKeepsTheContract also runs in the process that it starts, which stores the
// sample.
func TestDirStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	const variable = "PEGBOARD_TEST_STORE"
	open := func(dir string) (*pegboard.DirStore, error) {
		return pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{})
	}
	if dir := os.Getenv(variable); dir != "" {
		store, err := open(dir)
		require.NoError(t, err)
		defer func() { require.NoError(t, store.Close()) }()
		sample, err := tooltest.StoreSample(store)
		require.NoError(t, err)
		text, err := json.Marshal(sample)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(os.Getenv(variable+"_TO"), text, 0o600))
		return
	}
	dir, to := t.TempDir(), t.TempDir()+"/sample.json"
	elsewhere := func() (sample []pegboard.StoredResult, err error) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+dir, variable+"_TO="+to)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, errors.New(string(out))
		}
		text, err := os.ReadFile(to)
		if err != nil {
			return nil, err
		}
		return sample, json.Unmarshal(text, &sample)
	}
	require.NoError(t, tooltest.StoreChecker{Elsewhere: elsewhere}.Check(func() (pegboard.ResultStore, error) { return open(dir) }))
}

// TestDirStoreWithALimitKeepsTheContract cuts the large result.
func TestDirStoreWithALimitKeepsTheContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, tooltest.StoreChecker{Large: 4 << 20}.Check(func() (pegboard.ResultStore, error) {
		return pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{MaxFile: 1 << 20})
	}))
}
