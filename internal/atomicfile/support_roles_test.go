package atomicfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// large is the size of the contents that are written until somebody kills us.
const large = 1 << 20

// linesAdded is how many lines a process adds.
const linesAdded = 10

// addLine adds a line, starting anew when somebody else was faster.
func addLine(ctx context.Context, s *atomicfile.Store, path, line string) error {
	for {
		snap, err := s.Load(ctx, path, plenty)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = snap.Replace(ctx, append(snap.Data, line+"\n"...))
		if !errors.Is(err, atomicfile.ErrChanged) {
			return err
		}
	}
}

// play makes the test binary a program that writes a file.
func play(role, path string) error {
	ctx := context.Background()
	var s atomicfile.Store
	switch role {
	case "replace for ever":
		for i := 0; ; i++ {
			snap, err := s.Load(ctx, path, plenty)
			if err != nil {
				return err
			}
			if _, err := snap.Replace(ctx, bytes.Repeat([]byte{"ab"[i%2]}, large)); err != nil {
				return err
			}
			if i == 0 {
				fmt.Println("ready")
			}
		}
	case "create for ever":
		for i := 0; ; i++ {
			if _, err := s.Create(ctx, fmt.Sprint(path, i), bytes.Repeat([]byte("a"), large), 0); err != nil {
				return err
			}
			if i == 0 {
				fmt.Println("ready")
			}
		}
	case "add lines":
		for i := range linesAdded {
			if err := addLine(ctx, &s, path, fmt.Sprintf("%d %d", os.Getpid(), i)); err != nil {
				return err
			}
		}
	case "replace as nobody":
		if err := becomeNobody(); err != nil {
			return err
		}
		snap, err := s.Load(ctx, path, plenty)
		if err != nil {
			return err
		}
		next, err := snap.Replace(ctx, []byte("new content"))
		if err != nil {
			return err
		}
		fmt.Print(map[bool]string{true: "in place", false: "renamed"}[os.SameFile(snap.Info, next.Info)])
	}
	return nil
}
