package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/media"
)

func TestExtension(t *testing.T) {
	t.Parallel()
	for mimeType, want := range map[string]string{
		"": "txt", "nonsense": "txt", "text/plain; charset=utf-8": "txt", "text/": "txt",
		"image/jpg": "jpg", "Image/PNG": "png", "application/json": "json",
	} {
		require.Equal(t, want, media.Extension(mimeType), mimeType)
	}
}
