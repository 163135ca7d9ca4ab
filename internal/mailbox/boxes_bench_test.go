package mailbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

// BenchmarkMessage puts, takes and confirms one message.
func BenchmarkMessage(b *testing.B) {
	onDisk, err := mailbox.Open(b.TempDir(), nil)
	require.NoError(b, err)
	defer func() { require.NoError(b, onDisk.Close()) }()
	for name, boxes := range map[string]*mailbox.Boxes{"memory": mailbox.New(), "directory": onDisk} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := boxes.Put("ann", letter{From: "bob", Number: 1}.json()); err != nil {
					b.Fatal(err)
				}
				if messages, _ := boxes.Take("ann", all); len(messages) != 1 {
					b.Fatal(len(messages))
				}
				if err := boxes.Confirm("ann"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
