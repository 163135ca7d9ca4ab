package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestIndexMissesNothing: whatever a rule covers or touches, on any platform, the
// rule is a candidate for.
func TestIndexMissesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	specs := indexedSpecs(t, random)
	index := pattern.NewIndex(len(specs), func(i int) pattern.Spec { return specs[i] })
	matches, spared := 0, 0
	for range effort.Of(t, 4000) {
		x := randomSubject(random)
		found := index.Candidates(x, nil)
		require.True(t, slices.IsSorted(found))
		require.Equal(t, found, slices.Compact(slices.Clone(found)))
		for i, s := range specs {
			candidate := slices.Contains(found, int32(i))
			for _, b := range []pattern.Base{base, win, mac} {
				if s.Covers(x, b) || s.Touches(x, b) {
					require.True(t, candidate, "rule %d, %+v", i, x)
					matches++
				}
			}
			if !candidate {
				spared++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, matches, 2000)
		require.Greater(t, spared, 100000)
	}
}

func indexedSpecs(t *testing.T, random *rand.Rand) []pattern.Spec {
	t.Helper()
	rules := []string{
		"Bash(git *)", "Bash(git push:*)", "Bash(git)", "Bash(g*)", "Bash(* push)", `Bash("a b" c)`, `Bash(git "push" *)`, `PowerShell(git "Push")`, `Bash(a\ b)`, "Bash(git  push $X)", "PowerShell(GIT *)", "PowerShell(É *)",
		"WebFetch(domain:example.com)", "WebFetch(domain:*.example.com)", "WebFetch(domain:*)", "WebFetch(domain:example.*)", "WebFetch(domain:a*.example.com)", "WebFetch(domain:::1)", "WebFetch(domain:10.0.0.*)",
		"Read(.env)", "Read(*.go)", "Read(/app/src/**)", "Read(src/**)", "Read(/app/*/gen)", "Edit(//c/x/**)", `Edit(C:\srv\**)`, `Edit(src\gen)`, "Edit(./É)", "Edit(./x.)", "Edit(./:x)", `Edit(./a\\b)`,
		"Edit(~/**)", "Edit(//**)", "Edit(./a)", "Edit(**/gen/*.go)", "Edit(/link/*)", `Edit(./x\ )`, "Edit(./straße)",
		"Agent(git)", "Skill(deploy *)", "Skill(deploy now)", "mcp__a__b(/srv/app/src)", "mcp__a__b( x)",
	}
	var specs []pattern.Spec
	for _, rule := range rules {
		tool, text, _ := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		s, err := pattern.Parse(tool, text)
		require.NoError(t, err, rule)
		specs = append(specs, s, s.WithLinkTargets("/real/gen"), pattern.Spec{})
	}
	random.Shuffle(len(specs), func(i, j int) { specs[i], specs[j] = specs[j], specs[i] })
	return specs
}

func randomSubject(random *rand.Rand) pattern.Subject {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	names := []string{"src", "gen", ".env", "a.go", "SRC", "É", "é", "e\u0301", "x.", "x .", "x:y", "x\u200c.", "x.\u200c", `a\b`, "a", "link", "strasse", "STRAßE", ":x"}
	x := pattern.Subject{Write: random.IntN(2) == 0, Tree: random.IntN(6) == 0, Kind: pattern.Kind(random.IntN(4))}
	for range 1 + random.IntN(2) {
		var name string
		switch x.Kind {
		case pattern.Command:
			name = pick("git", "git push", "  git\tpush $X", "git  push $X", "gits", `"a b" c`, `a\ b`, "GIT push", `git "push" x`, `git 'push'`, "é x", "É\tx $Y")
		case pattern.Host:
			name = pick("example.com", "EXAMPLE.com.", "a.b.example.com", "a.example.com", "example.org", "[::1]", "0::1", "10.0.0.7", "", ".")
		case pattern.Path:
			name = pick("/srv/app", "/SRV/app", "/srv", `C:\srv\app`, `c:/srv`, "/c/srv", "/c", "/c/x", "/Users/ada/app", "/home/ada", "/real", "/real/gen", `\\?\C:\srv`, `\\h\c$\x`, "/")
			for range random.IntN(4) {
				name += pick("/", "/", `\`) + pick(names...)
			}
		default:
			name = pick("git", "deploy", "deploy now", "deploys", "/srv/app/src", " x", "")
		}
		if x.Names = append(x.Names, name); random.IntN(4) == 0 {
			x.Nested, x.Names = x.Names, []string{"other"}
		}
	}
	return x
}

func TestIndexOfNothing(t *testing.T) {
	t.Parallel()
	index := pattern.NewIndex(0, nil)
	for _, x := range []pattern.Subject{reads("/a"), tree("/"), runs("ls"), reaches("a.b"), called("x"), {}} {
		require.Empty(t, index.Candidates(x, nil))
	}
	require.Equal(t, []int32{7, 3}, index.Candidates(reads("/a"), []int32{7, 3}), "what is there stays")
}

// TestIndexSparesRules: of many rules, few are candidates, and finding them
// allocates nothing.
func TestIndexSparesRules(t *testing.T) {
	specs := manyRules(t, 1000)
	index := pattern.NewIndex(len(specs), func(i int) pattern.Spec { return specs[i] })
	found := make([]int32, 0, 1000)
	for _, x := range askedAbout() {
		require.LessOrEqual(t, len(index.Candidates(x, found)), 1, "%+v", x)
		require.Zero(t, testing.AllocsPerRun(10, func() { index.Candidates(x, found) }), "%+v", x)
	}
}

// manyRules returns n rules of three kinds, none like another.
func manyRules(t testing.TB, n int) []pattern.Spec {
	t.Helper()
	specs := make([]pattern.Spec, n)
	for i := range specs {
		var err error
		switch i % 3 {
		case 0:
			specs[i], err = pattern.Parse("Bash", fmt.Sprintf("command%d *", i))
		case 1:
			specs[i], err = pattern.Parse("WebFetch", fmt.Sprintf("domain:*.site%d.com", i))
		case 2:
			specs[i], err = pattern.Parse("Edit", fmt.Sprintf("/project%d/**", i))
		}
		require.NoError(t, err)
	}
	return specs
}

func askedAbout() []pattern.Subject {
	return []pattern.Subject{runs("command3 --all x"), reaches("www.site4.com"), writes("/srv/project5/src/Main.go")}
}

// BenchmarkIndex finds and tests the rules about a command, a host and a path.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		specs := manyRules(b, n)
		index := pattern.NewIndex(n, func(i int) pattern.Spec { return specs[i] })
		subjects := askedAbout()
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			found := make([]int32, 0, n)
			for b.Loop() {
				for _, x := range subjects {
					found = index.Candidates(x, found[:0])
					for _, i := range found {
						if !specs[i].Touches(x, base) {
							b.Fatal("a rule that is none")
						}
					}
				}
			}
		})
		b.Run(fmt.Sprintf("all of rules=%d", n), func(b *testing.B) {
			for b.Loop() {
				for _, x := range subjects {
					for _, s := range specs {
						s.Touches(x, base)
					}
				}
			}
		})
	}
}

// TestIndexFilesTwoWords: a rule is filed under its first two words, and the words
// of a line find it, whatever is folded in them.
func TestIndexFilesTwoWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rule, line string }{
		{name: "plain", rule: "git push:*", line: "git push origin"},
		{name: "blanks", rule: "git push:*", line: " \tgit\t push origin"},
		{name: "first beyond ASCII", rule: "größe now:*", line: "größe now x"},
		{name: "second beyond ASCII", rule: "show Größe:*", line: "show Größe x"},
		{name: "both beyond ASCII", rule: "Über Größe:*", line: "Über Größe x"},
		{name: "parts of one syllable", rule: "\u1112 \u1161:*", line: "\u1112 \u1161 x"},
		{name: "a mark at the start", rule: "e \u0301x:*", line: "e \u0301x y"},
		{name: "no text", rule: "a \xff:*", line: "a \xff b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			specs := make([]pattern.Spec, 2)
			for i, text := range []string{tt.rule, "other " + tt.rule} {
				spec, err := pattern.Parse("Bash", text)
				require.NoError(t, err)
				specs[i] = spec
			}
			x := pattern.Subject{Kind: pattern.Command, Names: []string{tt.line}}
			require.True(t, specs[0].Touches(x))
			index := pattern.NewIndex(len(specs), func(i int) pattern.Spec { return specs[i] })
			require.Equal(t, []int32{0}, index.Candidates(x, nil))
		})
	}
}
