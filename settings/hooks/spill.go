package hooks

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// maxText is how many characters of a text of a hook are passed on. They are UTF-16 units in
// the contract; code points are never more.
const maxText = 10_000

// spillTime is how long writing a text may take.
const spillTime = 10 * time.Second

// short returns a text that is not longer than maxText: the text, or its beginning and where
// the whole was written.
func (o *occasion) short(ctx context.Context, text string) string {
	if len(text) <= maxText || utf8.RuneCountInString(text) <= maxText {
		return text
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	source := excerpt.Source{Output: excerpt.Output{Head: []byte(text), Total: int64(len(text))}, Name: "Hook output", Lines: int64(lines)}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), spillTime)
	defer cancel()
	kept, err := hostCall(ctx, func() (pegboard.StoredResult, error) {
		return o.session.ResultStore().Put(ctx, "hook-"+o.event, "text/plain", strings.NewReader(text))
	})
	if err != nil {
		o.runner.options.problem(&Handler{}, fmt.Errorf("a text of %d bytes was cut: %w", len(text), err))
	}
	source.Path, source.Stored = cmp.Or(kept.Path, kept.Ref), kept.Size
	return excerpt.Beginning(source, 0).String()
}
