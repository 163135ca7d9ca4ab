package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func TestCarry(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 15_000) // 30,000 bytes
	var list []skills.Skill
	for i := range 7 {
		list = append(list, skills.Skill{Name: fmt.Sprint("long-", i), Body: long})
	}
	list = append(list, skills.Skill{Name: "short", Body: "Be brief."}, skills.Skill{Name: "unused", Body: "x"})
	w := newWorld(t, worldConfig{list: list, rules: allowSkills()})
	require.Empty(t, w.skills.Carry(w.session))
	for i := range 7 {
		require.NoError(t, w.load(t, fmt.Sprint("long-", i), "").Err)
	}
	require.NoError(t, w.load(t, "short", "").Err)

	parts := w.skills.Carry(w.session)
	require.Len(t, parts, 6)
	require.Equal(t, "Skill short:\n\nBe brief.", parts[0].Text, "the last used")
	total := 0
	for i, p := range parts[1:] {
		require.True(t, strings.HasPrefix(p.Text, fmt.Sprintf("Skill long-%d:\n\né", 6-i)), p.Text[:20])
		require.Contains(t, p.Text, "[The rest of skill long-")
		require.NotContains(t, p.Text, "\uFFFD")
		total += len(p.Text)
	}
	require.Less(t, total, (skills.MaxCarriedAll+200)*4)

	require.Len(t, w.skills.Carry(w.session), 6, "at the next summary")
	require.Empty(t, messages(w.load(t, "short", "")), "it was carried whole")
	require.NotEmpty(t, messages(w.load(t, "long-6", "")), "it was cut")
	require.NotEmpty(t, messages(w.load(t, "long-0", "")), "it was left out")
}

func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: allowSkills()})
	require.NotEmpty(t, messages(w.load(t, "it", "")))
	require.Empty(t, messages(w.load(t, "it", "")))
	w.skills.Forget(w.session)
	require.Empty(t, w.skills.Carry(w.session))
	w.session.NewTurn()
	require.NotEmpty(t, messages(w.load(t, "it", "")))
	require.Empty(t, messages(w.load(t, "it", "")))
}
