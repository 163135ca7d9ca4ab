package strictjson_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestQuoteCuts(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"a\n\""`, strictjson.Quote("a\n\""))
	require.Equal(t, `"`+strings.Repeat("é", 80)+`"`, strictjson.Quote(strings.Repeat("é", 80)))
	require.Equal(t, `"`+strings.Repeat("é", 80)+`…"`, strictjson.Quote(strings.Repeat("é", 81)))
	require.True(t, utf8.ValidString(strictjson.Cut(strings.Repeat("😀", 1000))))
}
