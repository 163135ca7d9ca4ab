package effort_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		n, want     int
	}{
		{name: "unset means a tenth", value: "", n: 3000, want: 300},
		{name: "full", value: "100", n: 3000, want: 3000},
		{name: "more than full", value: "250", n: 10, want: 25},
		{name: "rounded up", value: "10", n: 11, want: 2},
		{name: "at least one", value: "1", n: 3, want: 1},
		{name: "nothing stays nothing", value: "10", n: 0, want: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(effort.Variable, tt.value)
			require.Equal(t, tt.want, effort.Of(t, tt.n))
		})
	}
}

func TestFull(t *testing.T) {
	for value, want := range map[string]bool{"": false, "99": false, "100": true, "1000": true} {
		t.Setenv(effort.Variable, value)
		require.Equal(t, want, effort.Full(t), value)
	}
}

func TestSample(t *testing.T) {
	cases := []string{"a", "b", "c", "d", "e", "f", "g"}
	for _, tt := range []struct {
		name, value string
		want        []string
	}{
		{name: "one", value: "1", want: []string{"a"}},
		{name: "spread evenly", value: "40", want: []string{"a", "c", "e"}},
		{name: "all", value: "100", want: cases},
		{name: "never more than all", value: "1000", want: cases},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(effort.Variable, tt.value)
			require.Equal(t, tt.want, effort.Sample(t, cases))
		})
	}
	require.Empty(t, effort.Sample(t, []string{}))
}

// refusal records how a test was failed.
type refusal struct {
	testing.TB
	text string
}

func (r *refusal) Helper() {}

func (r *refusal) Fatalf(format string, args ...any) {
	r.text = fmt.Sprintf(format, args...)
	panic(r)
}

func TestAnInvalidValueFailsTheTest(t *testing.T) {
	for _, value := range []string{"0", "-5", "100001", "1.5", "10%", "full", " 10", "99999999999999999999"} {
		t.Run(value, func(t *testing.T) {
			t.Setenv(effort.Variable, value)
			r := &refusal{TB: t}
			require.Panics(t, func() { effort.Of(r, 10) })
			require.Contains(t, r.text, fmt.Sprintf("PEGBOARD_EFFORT=%q", value))
		})
	}
}
