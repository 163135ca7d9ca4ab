package resulttrim_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

const written = `{"version":1,"results":[` +
	`{"id":"old","fate":"masked"},` +
	`{"id":"","fate":"whole"},` +
	`{"id":"","repeat":1,"fate":"replaced","text":"93 characters, in results/1.txt"},` +
	`{"id":"last","fate":"whole"}]}`

// TestWrittenForm makes sure that states written by this version can be read by
// the next one, or that its author gives the form another number.
func TestWrittenForm(t *testing.T) {
	t.Parallel()
	results := []resulttrim.Result{
		{ID: "old", Turn: 1, Size: 60},
		{Turn: 2, Size: 50},
		{Turn: 2, Size: 93},
		{ID: "last", Turn: 3, Size: 1},
	}
	limits := resulttrim.Limits{PerMessage: 100, KeepRecent: 100}
	var s resulttrim.State
	s.Decide(results, limits)
	limits.KeepRecent = 50
	d := s.Decide(results, limits)
	require.True(t, s.SetText(d[2].Key, "93 characters, in results/1.txt"))
	data, err := json.Marshal(&s)
	require.NoError(t, err)
	require.Equal(t, written, string(data))

	var read resulttrim.State
	require.NoError(t, json.Unmarshal(data, &read))
	require.Equal(t, d, read.Decide(results, resulttrim.Limits{}))

	data, err = json.Marshal(resulttrim.State{})
	require.NoError(t, err)
	require.Equal(t, `{"version":1,"results":[]}`, string(data))
	require.NoError(t, json.Unmarshal(data, &read), "what was there before is gone")
	require.Equal(t, []resulttrim.Form{whole, whole, whole, whole}, forms(read.Decide(results, resulttrim.Limits{})))
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		want       string // "" if the text of the error is that of encoding/json
	}{
		{name: "no JSON", data: `{`},
		{name: "null", data: `null`, want: "decisions on results have version 0, want 1"},
		{name: "no version", data: `{"results":[]}`, want: "decisions on results have version 0, want 1"},
		{name: "a later version", data: `{"version":2}`, want: "decisions on results have version 2, want 1"},
		{name: "another type", data: `{"version":1,"results":7}`},
		{
			name: "an unknown form",
			data: `{"version":1,"results":[{"id":"a","fate":"whole"},{"id":"b","fate":"undecided"}]}`,
			want: `decision 1, on "b": unknown fate "undecided"`,
		},
		{
			name: "a negative repeat",
			data: `{"version":1,"results":[{"id":"a","repeat":-1,"fate":"whole"}]}`,
			want: `decision 0, on "a": repeat is -1`,
		},
		{
			name: "two decisions on one result",
			data: `{"version":1,"results":[{"id":"a","fate":"whole"},{"id":"a","fate":"masked"}]}`,
			want: `decision 1, on "a": it is there twice`,
		},
		{
			name: "a text in place of a whole result",
			data: `{"version":1,"results":[{"id":"a","fate":"whole","text":"x"}]}`,
			want: `decision 0, on "a": a whole result has a text in its place`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s resulttrim.State
			require.NoError(t, json.Unmarshal([]byte(written), &s))
			err := s.UnmarshalJSON([]byte(tt.data))
			require.Error(t, err)
			if tt.want != "" {
				require.EqualError(t, err, tt.want)
			}
			data, err := json.Marshal(&s)
			require.NoError(t, err)
			require.Equal(t, written, string(data), "it is as it was")
		})
	}
}
