package pegboard_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestPlacesOfRules: a sandbox must learn where the files of a rule are, and whether they
// may be anywhere else.
func TestPlacesOfRules(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, tc := range []struct {
		rule, place string
		exact       bool
	}{
		{rule: "Read(./secrets/**)", place: in("secrets"), exact: true},
		{rule: "Read(secrets/**)", place: in("secrets")},
		{rule: "Read(./secrets)", place: in("secrets"), exact: true},
		{rule: "Read(a/b)", place: in("a", "b"), exact: true},
		{rule: "Read(.env)", place: in(".env")},
		{rule: "Read(*.pem)"},
		{rule: "Read(./keys/*.pem)", place: in("keys")},
		{rule: "Read(./**)", place: in(), exact: true},
		{rule: "Edit(~/.bashrc)", place: filepath.Join(home, ".bashrc"), exact: true},
		{rule: "Edit(//etc/**)", place: "/etc", exact: true},
		{rule: "Read"},
		{rule: "Bash(cat:*)"},
		{rule: "WebFetch(domain:example.com)"},
		{rule: "T(./secrets/**)"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: dir, Home: home})
			require.NoError(t, s.SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{tc.rule}})))
			place, exact := s.Permissions().Rules()[0].Place()
			require.Equal(t, filepath.ToSlash(tc.place), filepath.ToSlash(place))
			require.Equal(t, tc.exact, exact)
		})
	}
}

// TestPlacesAfterAMove: a deny rule is about the old directory and the new one.
func TestPlacesAfterAMove(t *testing.T) {
	t.Parallel()
	dir := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(dir, "p"), Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(./a)", "Read(//etc)", "Read(*.pem)", "Bash(ls)", "T(./a)"}, Allow: []string{"Read(./a)"}})})
	require.NoError(t, s.SetDir("tree"))
	home, tree := filepath.Join(dir, "p", "a"), filepath.Join(dir, "p", "tree", "a")
	for i, want := range [][]string{{home, tree}, {"/etc"}, nil, nil, nil, {home}} {
		r := s.Permissions().Rules()[i]
		places, exact := r.Places()
		require.Equal(t, want, places, r.String())
		require.Equal(t, want != nil, exact, r.String())
	}
}
