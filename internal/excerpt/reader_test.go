package excerpt_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

func TestReader(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line\n", 300_000) + "the end"
	r := excerpt.NewReader(strings.NewReader(text))
	begin := make([]byte, 10)
	_, err := io.ReadFull(r, begin)
	require.NoError(t, err)
	s := r.Source() // reads the rest
	require.Equal(t, text[:10], string(begin))
	require.EqualValues(t, len(text), s.Total)
	require.EqualValues(t, 300_001, s.Lines)
	require.True(t, strings.HasSuffix(string(s.Tail), "\nthe end"))
	require.Positive(t, s.Omitted)
	require.NoError(t, r.Err())

	broken := errors.New("broken")
	r = excerpt.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	s = r.Source()
	require.ErrorIs(t, r.Err(), broken)
	require.Equal(t, "a\nb", s.Text())
	require.EqualValues(t, 2, s.Lines)
}
